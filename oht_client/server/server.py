"""The tournament server: its ports and its connections."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from base.params import Params
from oht_client.errors import AddressError
from oht_client.server.connection import Connection, OnlyLooked, WireFault, listen
from oht_client.server.limits import Admission, Notices, Verdict
from oht_client.server.sessions import Sessions
from oht_client.server.tls import ensure_certificate
from oht_client.server.tournament import Archive, Opponents
from state_manager import make_game

_HANDSHAKE_SECONDS = 10.0
_ACCEPT_PAUSE = 1.0

_LOG = logging.getLogger(__name__)


class OHTServer:
    """A local Online Hex Tournament; start and stop it once, in one event loop.

    Its clients must trust ``certificate``, and connect to one of its ``ports``: ``text``, ``json``
    or ``league``.
    """

    def __init__(self, params: Params, folder: Path, tell: Callable[[str], None]) -> None:
        """Prepare a server with certificate and results in ``folder``; ``tell`` shows messages.

        An unusable host, opponent or folder raises an ``AddressError``, ``AgentError`` or
        ``OHTError``.
        """
        self.ports: dict[str, int] = {}
        self._params = params.oht_server
        if ":" in self._params.host:
            raise AddressError(
                "oht_server.host: expected a name or an IPv4 address, 0.0.0.0 for all of this"
                f" machine, got {self._params.host!r}: the tournament does not support IPv6"
            )
        self._tell = tell
        self._executor = ThreadPoolExecutor(params.play.workers, "opponents")
        game = make_game("hex", size=params.oht.board_size)
        opponents = Opponents(game, params, self._executor)
        self.certificate, key = ensure_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._notices = Notices(tell)
        self._archive = Archive(folder, self._notices)
        self._client_sessions = Sessions(params, opponents, tell, self._notices, self._archive)
        self._admission = Admission(self._params.connections, self._params.connections_per_address)
        self._listeners: dict[asyncio.Task[None], socket.socket] = {}
        self._sessions: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on all ports; an ``OHTError`` if one, or the file of results, cannot be opened."""
        params, client_sessions = self._params, self._client_sessions
        if self._admission.most < params.connections:
            self._tell(
                f"at most {self._admission.most} connections at once, and not {params.connections}:"
                " the limit of open files is too low; ulimit -n sets it"
            )
        try:
            self._archive.open()
            for name, key, number in (
                ("text", "port", params.port),
                ("json", "qualifiers_port", params.qualifiers_port),
                ("league", "league_port", params.league_port),
            ):
                listener = listen(f"oht_server.{key}", params.host, number)
                listener.setblocking(False)
                self._listeners[asyncio.ensure_future(self._accept(listener, name))] = listener
                self.ports[name] = port = int(listener.getsockname()[1])
                client_sessions.addresses[name] = f"{params.host}:{port}"
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Close the ports, cut all connections, and save unfinished tournaments as they are."""
        await _cancel(self._listeners)
        for listener in self._listeners.values():
            listener.close()
        await _cancel(self._sessions)
        self._notices.sum_up()
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)
        self._archive.close()

    async def _accept(self, listener: socket.socket, port: str) -> None:
        """Accept connections, one by one, within the limits."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, (address, _) = await loop.sock_accept(listener)
            except ConnectionAbortedError:
                continue  # it left before it was accepted
            except OSError as error:
                reason = error.strerror or error
                self._notices.say(
                    "connections not accepted", f"cannot accept a connection: {reason}", most=1
                )
                await asyncio.sleep(_ACCEPT_PAUSE)
                continue
            verdict = self._admission.enter(address)
            if verdict is not Verdict.WELCOME:
                self._notices.say(
                    "connections refused",
                    f"full: a connection from {address} is refused, and others may be; at most"
                    f" {self._admission.most_per_address} from one address and"
                    f" {self._admission.most} in all",
                    most=1,
                )
            if verdict is Verdict.CUT:
                client.close()
                continue
            session = asyncio.ensure_future(self._run(port, client, verdict))
            self._sessions.add(session)
            session.add_done_callback(partial(self._end, client, address, verdict))

    def _end(
        self, client: socket.socket, address: str, verdict: Verdict, session: asyncio.Task[None]
    ) -> None:
        client.close()
        self._sessions.discard(session)
        self._admission.leave(address, verdict)

    async def _run(self, port: str, client: socket.socket, verdict: Verdict) -> None:
        """Run a session, from TLS on, to its end, and close its connection."""
        connection = None
        try:
            try:
                connection = await Connection.over(client, _HANDSHAKE_SECONDS)
                await connection.secure(self._context, _HANDSHAKE_SECONDS)
                full = verdict is not Verdict.WELCOME
                await self._client_sessions.serve(port, connection, full)
            except OnlyLooked:
                self._notices.say("clients only probed the port", "a client only probed the port")
            except WireFault as fault:
                self._notices.say(
                    "clients could not connect", f"a client could not connect: {fault}"
                )
            except Exception:
                _LOG.exception("a session failed")
                self._tell("a session ended because the server failed; its log says how")
            if connection is not None:
                await connection.close()
        finally:
            if connection is not None:
                connection.abort()


async def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in (tasks := list(tasks)):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
