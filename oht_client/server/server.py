"""The tournament server: its ports and its connections."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oht_client.errors import OHTError
from oht_client.server.certificate import ensure_certificate
from oht_client.server.connection import Connection
from oht_client.server.house import House
from oht_client.server.sessions import Sessions
from oht_client.server.wire import WireFault
from state_manager import make_game
from storage import AppendLog

if TYPE_CHECKING:
    from params import Params

Session = Callable[[Connection], Awaitable[None]]

RESULTS_FILE = "results.jsonl"

_HANDSHAKE_SECONDS = 10.0
_READ_AHEAD_BYTES = 65_536

_LOG = logging.getLogger(__name__)


class OHTServer:
    """An Online Hex Tournament at home, for both generations of clients, over TLS.

    It is started once and stopped once, in one event loop.

    Attributes:
        certificate: What clients must trust.
        ports: ``text``, ``json`` and ``league``: the ports that are listened on, once it is
            started.
    """

    def __init__(self, params: Params, folder: Path, tell: Callable[[str], None]) -> None:
        """Prepare a server.

        Args:
            params: Sections ``oht_server``, ``oht.board_size``, and what the opponents need.
            folder: Where the certificate and the results are kept.
            tell: Called with a line for people whenever something has happened.

        Raises:
            AgentError: An opponent cannot be made, or does not fit the board.
            OHTError: The folder or the certificate cannot be used.
        """
        self.ports: dict[str, int] = {}
        self._params = params.oht_server
        self._folder = folder
        self._tell = tell
        self._executor = ThreadPoolExecutor(params.play.workers, "opponents")
        game = make_game("hex", size=params.oht.board_size)
        house = House(game, params, self._executor)
        self.certificate, key = ensure_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._handlers = Sessions(params, game, house, tell, self._keep)
        self._listeners: list[asyncio.Server] = []
        self._sessions: dict[asyncio.Task[None], Connection] = {}
        self._results: AppendLog | None = None
        self._stopped = False

    async def start(self) -> None:
        """Listen on all ports.

        Raises:
            OHTError: One of them cannot be had, or results cannot be written.
        """
        params, handlers = self._params, self._handlers
        try:
            self._results = _open_results(self._folder / RESULTS_FILE)
            for name, key, port, session in (
                ("text", "port", params.port, handlers.text),
                ("json", "qualifiers_port", params.qualifiers_port, handlers.qualifiers),
                ("league", "league_port", params.league_port, handlers.league),
            ):
                self.ports[name] = await self._listen(f"oht_server.{key}", port, session)
        except BaseException:
            await self.stop()
            raise

    async def serve_forever(self) -> None:
        """Start, if that is still to be done, and serve until cancelled; then stop."""
        if not self._listeners:
            await self.start()
        try:
            await asyncio.Event().wait()
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Close the ports and cut all connections; opponents finish the moves they think about."""
        self._stopped = True
        for listener in self._listeners:
            listener.close()
        sessions = dict(self._sessions)
        for session in sessions:
            session.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)
        for connection in sessions.values():
            connection.abort()
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)
        if self._results is not None:
            self._results.close()

    async def _listen(self, key: str, port: int, session: Session) -> int:
        """Open a port for one kind of sessions; return its number."""

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = Connection(reader, writer)
            if self._stopped:
                connection.abort()
                return
            task = asyncio.ensure_future(self._run(session, connection))
            self._sessions[task] = connection
            task.add_done_callback(self._sessions.pop)

        host = self._params.host
        try:
            listener = await asyncio.start_server(
                accept,
                host,
                port,
                family=socket.AF_INET,
                limit=_READ_AHEAD_BYTES,
            )
        except (OSError, UnicodeError) as error:  # UnicodeError: the host can be no host's name
            number = getattr(error, "errno", None) or 0
            reason = os.strerror(number) if number > 0 else str(error)
            raise OHTError(f"{key}: cannot listen on {host}:{port}: {reason}") from error
        self._listeners.append(listener)
        return int(listener.sockets[0].getsockname()[1])

    async def _run(self, session: Session, connection: Connection) -> None:
        """Lead a session to its end, whatever that is, and end its connection.

        TLS is begun here, and not by the listener, so that every connection can be cut.
        """
        try:
            try:
                await connection.secure(self._context, _HANDSHAKE_SECONDS)
                await session(connection)
            except WireFault as fault:
                self._tell(f"a client could not connect: {fault}")
            except Exception:
                _LOG.exception("a session failed")
                self._tell("a session ended because the server failed; its log says how")
            await connection.close()
        finally:
            connection.abort()

    def _keep(self, result: dict[str, Any]) -> None:
        """Append a result to the file; a full disk does not end the tournament."""
        try:
            if self._results is not None:
                self._results.append(result)
        except OSError as error:
            self._tell(f"{self._folder / RESULTS_FILE}: cannot be written: {error}")


def _open_results(path: Path) -> AppendLog:
    """Open the file of results; half a line at its end, left by a crash, is cut off."""
    try:
        whole = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
        log = AppendLog(path)
        log.truncate(whole)
    except OSError as error:
        raise OHTError(f"{path}: cannot be written: {error.strerror or error}") from error
    return log
