"""Scripted servers over TLS and in memory, our client, and a player that records."""

import contextlib
import functools
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from base.params import OHTParams
from oht_client.answers import Answers, SessionOptions
from oht_client.client import find_client
from oht_client.transport import Connection, Server
from online.errors import ConnectionEndedError, TournamentError
from online.messages import HOOKS
from online.player import TournamentPlayer
from tests.oht_client.raw_clients import first_free_cell
from tests.project import TIMEOUT

Script = Callable[[ssl.SSLSocket], object]
Dialogue = Sequence[tuple[Sequence[bytes], bytes | None]]
"""Packets of a server, and the reply of the client to them, ``None`` if there is none."""


def wait_until_left(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while sock.recv(4096):
            pass


def close_tls(sock: ssl.SSLSocket) -> None:
    """End the connection with TLS's close_notify; few clients reply."""
    with contextlib.suppress(OSError):
        sock.unwrap()


def cut(sock: ssl.SSLSocket) -> None:
    """Reset the connection, without close_notify or FIN."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


@contextlib.contextmanager
def listening(serve: Callable[[socket.socket], None], port: int = 0) -> Iterator[int]:
    """Listen on a port, which is yielded; an error in ``serve`` fails the test."""
    faults: list[BaseException] = []
    with socket.create_server(("127.0.0.1", port)) as listener:

        def accept() -> None:
            while True:
                try:
                    plain, _ = listener.accept()
                except OSError:
                    return  # the test is over
                try:
                    with plain:
                        plain.settimeout(TIMEOUT)
                        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        serve(plain)
                except BaseException as fault:
                    faults.append(fault)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
    if faults:
        raise faults[0]


@contextlib.contextmanager
def scripted_server(
    certificates: tuple[Path, Path], script: Script, port: int = 0
) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates)

    def serve(plain: socket.socket) -> None:
        try:
            sock = context.wrap_socket(plain, server_side=True)
        except OSError:
            return  # a client that does not trust this server
        with sock:
            script(sock)

    with listening(serve, port) as port:
        yield Server("localhost", port, certificates[0])


def over_tls(dialogue: Dialogue) -> Script:
    """Return the script of a dialogue; a reply may come in several packets."""

    def script(sock: ssl.SSLSocket) -> None:
        for packets, reply in dialogue:
            for packet in packets:
                sock.sendall(packet)
            received = b""
            while reply is not None and len(received) < len(reply):
                received += sock.recv(4096)
            assert received == (reply or b"")

    return script


class Line(Connection):
    """A connection in memory to a server that follows a dialogue, then closes it or is silent."""

    def __init__(self, dialogue: Dialogue, is_silent: bool = False) -> None:
        super().__init__(cast(ssl.SSLSocket, None), "localhost:1", TIMEOUT)
        self.limits: list[float | None] = []
        self._dialogue, self._is_silent = iter(dialogue), is_silent
        self._packets: list[bytes] = []
        self._reply: bytes | None = None

    def receive(self, most: int = 4096) -> bytes:
        self.limits.append(self.silence_limit)
        if received := self.receive_within(0.0, most):
            return received
        assert self._reply is None, "the client waits, and so does the server"
        if self._is_silent:
            raise TournamentError("no word from the server")
        raise ConnectionEndedError("the server closed the connection")

    def receive_within(self, seconds: float, most: int = 4096) -> bytes:
        while not self._packets and self._reply is None:
            if (step := next(self._dialogue, None)) is None:
                return b""
            self._packets, self._reply = [*filter(None, step[0])], step[1]
        packet = self._packets.pop(0) if self._packets else b""
        if packet[most:]:
            self._packets.insert(0, packet[most:])
        return packet[:most]

    def send(self, message: bytes) -> None:
        is_over = self._reply is None and next(self._dialogue, None) is None
        assert self._packets == []
        assert message == self._reply or is_over
        self._reply = None


def play_with(
    protocol: Literal[1, 2],
    server: Server,
    player: TournamentPlayer,
    options: SessionOptions,
    mode: Any = "qualifiers",
) -> float | None:
    return find_client(OHTParams(protocol=protocol, mode=mode), server)(player, options)


class Recorder(TournamentPlayer):
    """A player that keeps all calls and takes the first free cell."""

    def __init__(self, choose: Callable[[Sequence[int]], Any] = first_free_cell) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._choose = choose
        for hook in HOOKS:
            handle = functools.partial(self._keep, hook)
            functools.update_wrapper(handle, getattr(self, f"handle_{hook}"))  # its signature
            setattr(self, f"handle_{hook}", handle)

    def _keep(self, hook: str, *values: Any, **named: Any) -> Any:
        self.calls.append((hook, *values, *named.values()))
        return self._choose(self.calls[-1][1]) if hook == "get_action" else None


def no_prompt_expected(prompt: str) -> str:
    raise AssertionError(f"expected no prompt, got {prompt!r}")


def session_options(
    ask: Callable[[str], str] = no_prompt_expected,
    ask_secret: Callable[[str], str] = no_prompt_expected,
    known: Mapping[str, str] | None = None,
    **given: Any,
) -> SessionOptions:
    return SessionOptions(Answers(known, ask, ask_secret), **{"silence_limit": TIMEOUT, **given})
