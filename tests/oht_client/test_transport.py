"""The encrypted connection of our client."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from oht_client import transport
from oht_client.server.tls import ensure_certificate
from oht_client.transport import Server
from online.errors import ConnectionEndedError, TournamentError
from tests.oht_client.scripted_server import (
    close_tls,
    cut,
    listening,
    scripted_server,
    session_options,
    wait_until_left,
)
from tests.project import TIMEOUT

Certificates = tuple[Path, Path]


def connect(server: Server, **options: Any) -> closing[transport.Connection]:
    return closing(transport.connect(server, session_options(**options)))


@pytest.fixture
def absent(certificates: Certificates) -> Iterator[Server]:
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield Server("localhost", holder.getsockname()[1], certificates[0])


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "RETRY_PAUSE", 0.01)


def test_a_message_comes_at_once_and_a_lost_peer_is_noticed(certificates: Certificates) -> None:
    def echo(sock: ssl.SSLSocket) -> None:
        sock.sendall(sock.recv(4096))

    with scripted_server(certificates, echo) as server, connect(server) as connection:
        connection.send(b"hello")
        assert connection.receive() == b"hello"
        sock = connection.tls_socket
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
        assert sock.context.verify_mode is ssl.CERT_REQUIRED
        assert not sock.context.check_hostname


def test_an_absent_server_is_tried_again_until_the_attempts_are_used_up(absent: Server) -> None:
    messages: list[str] = []
    with pytest.raises(TournamentError, match=r"^localhost:\d+: cannot reach the server: .*VPN\?$"):
        connect(absent, connect_attempts=3, tell=messages.append)
    assert ["attempt 1 of 3" in messages[1], "attempt 2 of 3" in messages[2]] == [True, True]
    assert len(messages) == 3


def test_a_server_that_starts_late_is_reached(certificates: Certificates, absent: Server) -> None:
    with ExitStack() as stack:

        def start(line: str) -> None:
            if "attempt 1" in line:
                stack.enter_context(scripted_server(certificates, wait_until_left, absent.port))

        with connect(absent, connect_attempts=50, tell=start):
            pass


def speak_without_tls(plain: socket.socket) -> None:
    plain.sendall(b"220 welcome to another server\r\n")
    plain.recv(4096)


@pytest.mark.parametrize(
    ("serve", "limit", "words", "n"),
    [
        (speak_without_tls, TIMEOUT, "no TLS connection", 1),
        (lambda plain: plain.recv(4096), TIMEOUT, "cannot reach the server", 2),
        (wait_until_left, 0.1, "timed out", 2),
    ],
)
def test_a_cut_or_late_handshake_is_tried_again_and_a_server_without_tls_is_not(
    certificates: Any, monkeypatch: pytest.MonkeyPatch, serve: Any, limit: float, words: str, n: int
) -> None:
    monkeypatch.setattr(transport, "CONNECT_LIMIT", limit)
    messages: list[str] = []
    options = session_options(connect_attempts=2, tell=messages.append)
    with listening(serve) as port, pytest.raises(TournamentError, match=words):
        transport.connect(Server("localhost", port, certificates[0]), options)
    assert len(messages) == n


def test_a_wrong_certificate_ends_the_attempts(certificates: Certificates, tmp_path: Path) -> None:
    other, _ = ensure_certificate(tmp_path)
    messages: list[str] = []
    with (
        scripted_server(certificates, wait_until_left) as server,
        pytest.raises(TournamentError, match="certificate is not the expected one"),
    ):
        connect(server._replace(certificate=other), connect_attempts=3, tell=messages.append)
    assert messages == [f"Connecting to {server}"]


@pytest.mark.parametrize("host", ["host.invalid", "x" * 70, "a..b"])
def test_a_malformed_host_is_refused(certificates: Certificates, host: str) -> None:
    with pytest.raises(TournamentError, match=r"cannot reach the server|not a host name"):
        connect(Server(host, 1, certificates[0]))


@pytest.mark.parametrize("content", [b"", b"certificate", b"\x00\xff" * 100])
def test_a_file_that_is_no_certificate_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "server.crt"
    file.write_bytes(content)
    with pytest.raises(TournamentError, match=r"server\.crt: expected a certificate in PEM form"):
        transport.trust(Server("host.invalid", 1, file))


def test_a_server_that_says_or_reads_nothing_hits_the_limit(certificates: Certificates) -> None:
    has_left = threading.Event()
    with scripted_server(certificates, lambda sock: has_left.wait(TIMEOUT)) as server:
        with connect(server, silence_limit=0.1) as connection:
            with pytest.raises(TournamentError, match="no word from the server"):
                connection.receive()
            with pytest.raises(TournamentError, match="took no message"):
                connection.send(bytes(30_000_000))
        has_left.set()


@pytest.mark.parametrize("leave", [cut, close_tls, ssl.SSLSocket.close])
def test_the_end_of_the_connection_is_reported_after_the_last_words(
    certificates: Certificates, leave: Callable[[ssl.SSLSocket], None]
) -> None:
    has_left, received = threading.Event(), list[bytes]()

    def script(sock: ssl.SSLSocket) -> None:
        sock.sendall(b"too late")
        if leave is close_tls:  # which waits for the client's reply
            has_left.set()
        leave(sock)
        has_left.set()

    with scripted_server(certificates, script) as server, connect(server) as connection:
        assert has_left.wait(TIMEOUT)
        connection.send(b"a move")
        with pytest.raises(ConnectionEndedError, match=r"closed|cut"):
            received.extend(iter(connection.receive, b""))
        assert received == [b"too late"] or leave is cut
        assert connection.receive_within(0.1) == b""
        connection.close()  # closing it again does no harm


def test_a_timeout_of_the_system_is_a_cut_connection() -> None:
    """As if the other side had sent nothing for minutes, although there is no limit."""
    dead = Mock(recv=Mock(side_effect=TimeoutError(110, "Connection timed out")))
    with pytest.raises(ConnectionEndedError, match="was cut: Connection timed out"):
        transport.Connection(dead, "localhost:1", None).receive()
