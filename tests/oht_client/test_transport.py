from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from oht_client import transport
from oht_client.server.tls import ensure_certificate
from oht_client.transport import Server
from tests.oht_client.scripted_server import Peer, listening, scripted_server, session_options
from tests.project import TIMEOUT
from tournaments.errors import ConnectionEndedError, TournamentError

Certificates = tuple[Path, Path]


def greet(peer: Peer) -> None:
    peer.send("hello")


def connect(
    port: int, certificate: Path, host: str = "localhost", **options: Any
) -> contextlib.closing[transport.Connection]:
    server = Server(host, port, certificate)
    return contextlib.closing(transport.connect(server, session_options(**options)))


@pytest.fixture
def absent_port() -> Iterator[int]:
    """A port without a listener."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "RETRY_PAUSE", 0.01)


def test_a_message_comes_through(certificates: Certificates) -> None:
    def echo(peer: Peer) -> None:
        peer.send(peer.receive())

    with scripted_server(certificates, echo) as port, connect(port, certificates[0]) as connection:
        connection.send(b"hello")
        assert connection.receive() == b"hello"
        no_delay = connection.tls_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert no_delay != 0


def test_connect_attempts_limits_the_attempts_at_an_absent_server(
    certificates: Certificates, absent_port: int
) -> None:
    messages: list[str] = []
    with pytest.raises(TournamentError, match=r"^localhost:\d+: cannot reach the server: .*VPN\?$"):
        connect(absent_port, certificates[0], connect_attempts=3, tell=messages.append)
    assert ["attempt 1 of 3" in messages[1], "attempt 2 of 3" in messages[2]] == [True, True]
    assert len(messages) == 3


def test_a_server_that_starts_late_is_reached(certificates: Certificates, absent_port: int) -> None:
    with ExitStack() as stack:

        def start(line: str) -> None:
            if "attempt 1" in line:
                stack.enter_context(scripted_server(certificates, greet, absent_port))

        with connect(absent_port, certificates[0], connect_attempts=50, tell=start) as connection:
            assert connection.receive() == b"hello"


def test_a_wrong_certificate_ends_the_attempts(certificates: Certificates, tmp_path: Path) -> None:
    other, _ = ensure_certificate(tmp_path)
    messages: list[str] = []
    with (
        scripted_server(certificates, greet) as port,
        pytest.raises(TournamentError, match="certificate is not the expected one"),
    ):
        connect(port, other, connect_attempts=3, tell=messages.append)
    assert messages == [f"Connecting to localhost:{port}"]


def test_a_server_without_tls_ends_the_attempts(certificates: Certificates) -> None:
    def speak_without_tls(plain: socket.socket) -> None:
        plain.sendall(b"220 welcome to another server\r\n")
        plain.recv(4096)

    with (
        listening(speak_without_tls) as port,
        pytest.raises(TournamentError, match="no TLS connection"),
    ):
        connect(port, certificates[0], connect_attempts=3)


def test_a_cut_in_the_handshake_is_tried_again(certificates: Certificates) -> None:
    messages: list[str] = []

    def hang_up(plain: socket.socket) -> None:
        plain.recv(4096)

    with (
        listening(hang_up) as port,
        pytest.raises(TournamentError, match="cannot reach the server"),
    ):
        connect(port, certificates[0], connect_attempts=2, tell=messages.append)
    assert len(messages) == 2


def test_a_handshake_has_a_time_limit(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CONNECT_LIMIT", 0.1)

    def send_nothing(plain: socket.socket) -> None:
        while plain.recv(4096):
            pass

    with listening(send_nothing) as port, pytest.raises(TournamentError, match="timed out"):
        connect(port, certificates[0])


@pytest.mark.parametrize("host", ["host.invalid", "x" * 70, "a..b"])
def test_a_malformed_host_is_refused(certificates: Certificates, host: str) -> None:
    with pytest.raises(TournamentError, match=r"cannot reach the server|not a host name"):
        connect(1, certificates[0], host)


@pytest.mark.parametrize("content", [b"", b"certificate", b"\x00\xff" * 100])
def test_a_file_that_is_no_certificate_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "server.crt"
    file.write_bytes(content)
    with pytest.raises(TournamentError, match=r"server\.crt: expected a certificate in PEM form"):
        transport.trust(Server("host.invalid", 1, file))


@pytest.mark.parametrize("host", ["localhost", "host.invalid"])
def test_a_missing_certificate_of_this_machine_is_made_by_oht_server(host: str) -> None:
    with pytest.raises(TournamentError, match="no such file") as caught:
        transport.trust(Server(host, 1, Path("none.crt")))
    assert ("start it first" in str(caught.value)) == (host == "localhost")


def test_the_server_is_known_by_its_certificate_and_not_by_its_name(
    certificates: Certificates,
) -> None:
    context = transport.trust(Server("localhost", 1, certificates[0]))
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert not context.check_hostname


def test_a_server_that_reads_nothing_hits_the_silence_limit(certificates: Certificates) -> None:
    has_left = threading.Event()

    def read_nothing(peer: Peer) -> None:
        has_left.wait(TIMEOUT)

    with scripted_server(certificates, read_nothing) as port:
        with (
            connect(port, certificates[0], silence_limit=0.1) as connection,
            pytest.raises(TournamentError, match="took no message"),
        ):
            connection.send(bytes(30_000_000))
        has_left.set()


@pytest.mark.parametrize("leave", [Peer.cut, Peer.close_tls, lambda peer: None])
def test_the_end_of_the_connection_is_reported(
    certificates: Certificates, leave: Callable[[Peer], None]
) -> None:
    def script(peer: Peer) -> None:
        peer.receive()
        leave(peer)

    with scripted_server(certificates, script) as port:
        with connect(port, certificates[0]) as connection:
            connection.send(b"go")
            with pytest.raises(ConnectionEndedError, match=r"closed|cut"):
                connection.receive()
            assert connection.receive_within(0.1) == b""
        connection.close()
