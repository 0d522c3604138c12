"""The tournament server: its ports and its connections."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from base.params import Params
from oht_client.server.connection import READ_AHEAD_BYTES, ClientConnection, WireFault, listen
from oht_client.server.sessions import Sessions
from oht_client.server.tls import ensure_certificate
from oht_client.server.tournament import Archive, Opponents
from online.errors import AddressError
from state_manager import make_game

_HANDSHAKE_SECONDS = 10.0

_LOG = logging.getLogger(__name__)


class OHTServer:
    """A local Online Hex Tournament; start and stop it once, in one event loop.

    Its clients must trust ``certificate``, and connect to one of its ``ports``: ``text``, ``json``
    or ``league``.
    """

    def __init__(self, params: Params, folder: Path, tell: Callable[[str], None]) -> None:
        """Prepare a server with certificate and results in ``folder``; ``tell`` shows messages.

        An unusable host, opponent or folder raises an ``AddressError``, ``AgentError`` or
        ``TournamentError``.
        """
        self.ports: dict[str, int] = {}
        self._params = params.oht_server
        if ":" in self._params.host:
            expected = "a name or an IPv4 address, 0.0.0.0 for all of this machine"
            got = f"{self._params.host!r}: the tournament does not support IPv6"
            raise AddressError(f"oht_server.host: expected {expected}, got {got}")
        self._tell = tell
        self._executor = ThreadPoolExecutor(params.play.workers, "opponents")
        opponents = Opponents(make_game("hex", size=params.oht.board_size), params, self._executor)
        self.certificate, key = ensure_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._archive = Archive(folder, tell)
        self._client_sessions = Sessions(params, opponents, tell, self._archive)
        self._listeners: list[asyncio.Server] = []
        self._sessions: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on all ports; a ``TournamentError`` if one, or the results, cannot be opened."""
        params = self._params
        try:
            self._archive.open()
            for name, key, number in (
                ("text", "port", params.port),
                ("json", "qualifiers_port", params.qualifiers_port),
                ("league", "league_port", params.league_port),
            ):
                port = listen(f"oht_server.{key}", params.host, number)
                accept = partial(self._accept, name)
                listener = await asyncio.start_server(accept, sock=port, limit=READ_AHEAD_BYTES)
                self._listeners.append(listener)
                self.ports[name] = int(port.getsockname()[1])
                self._client_sessions.addresses[name] = f"{params.host}:{self.ports[name]}"
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Close the ports, cut all connections, and save unfinished tournaments as they are."""
        for listener in self._listeners:
            listener.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)
        self._archive.close()

    def _accept(
        self, port: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        session = asyncio.ensure_future(self._run(port, ClientConnection(reader, writer)))
        self._sessions.add(session)
        session.add_done_callback(self._sessions.discard)

    async def _run(self, port: str, connection: ClientConnection) -> None:
        try:
            try:
                await connection.secure(self._context, _HANDSHAKE_SECONDS)
                await self._client_sessions.serve(port, connection)
            except WireFault as fault:
                self._tell(f"a client could not connect: {fault}")
            except Exception:
                _LOG.exception("a session failed")
                self._tell("a session ended because the server failed; its log says how")
            await connection.close()
        finally:
            connection.abort()
