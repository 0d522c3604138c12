"""The connection itself, over real WebSockets."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from online.arena.connection import QUIET, ArenaConnection
from online.errors import ConnectionEndedError, TournamentError
from tests.project import TIMEOUT

Script = Callable[[ServerConnection], object]


@contextmanager
def connected(script: Script) -> Iterator[ArenaConnection]:
    """Connect to a server that runs a script, then answers nothing until the client leaves."""

    def handle(socket: ServerConnection) -> None:
        script(socket)
        with suppress(ConnectionClosed):
            for _ in socket:
                pass

    with serve(handle, "127.0.0.1", 0, close_timeout=1) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        port = server.socket.getsockname()[1]
        with closing(ArenaConnection(f"ws://127.0.0.1:{port}/ws/matchmake", "here")) as connection:
            yield connection
            connection.close()  # closing it again does no harm
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        (lambda socket: socket.close(), ConnectionEndedError, "closed the connection"),
        (lambda socket: None, ConnectionEndedError, "no word from the server"),
        (lambda socket: socket.send("a" * 1_000_000), TournamentError, "text of at most"),
    ],
)
def test_the_end_of_a_connection_is_one_line(
    monkeypatch: pytest.MonkeyPatch, script: Script, error: type[TournamentError], words: str
) -> None:
    seconds = 0.001 if words == "no word from the server" else TIMEOUT
    monkeypatch.setattr("online.arena.connection.PING_SECONDS", seconds)
    with connected(script) as connection, pytest.raises(TournamentError, match=words) as caught:
        connection.receive()
    assert type(caught.value) is error


def test_an_answer_to_a_ping_says_no_more_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer_a_ping(socket: ServerConnection) -> None:
        assert json.loads(socket.recv(TIMEOUT))["type"] == "ping"
        for kind in ("pong", "pong"):
            socket.send(json.dumps({"type": kind}))

    monkeypatch.setattr("online.arena.connection.PING_SECONDS", 0.05)
    monkeypatch.setattr("online.arena.connection.MOST_PINGS", 1_000_000)  # it may be late
    with connected(answer_a_ping) as connection:
        assert connection.receive() == (QUIET, {})


def test_pings_of_the_server_are_answered_while_an_agent_thinks() -> None:
    answered = threading.Event()

    def ping(socket: ServerConnection) -> None:
        if socket.ping().wait(TIMEOUT):
            answered.set()

    with connected(ping):
        assert answered.wait(TIMEOUT)
