"""The server under load: many connections, few files, and an end in mid-tournament."""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
import ssl
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from oht_client.actor_client import ActorClient
from oht_client.errors import OHTError
from oht_client.server.connection import Connection
from oht_client.server.limits import REFUSALS, Admission, Notices, Verdict
from oht_client.transport import Server
from tests.oht_client.home import Home, running, wait_until
from tests.oht_client.raw_clients import (
    ClientError,
    JSONClient,
    TextClient,
    dial,
    first_free_cell,
)
from tests.oht_client.scripted_server import Recorder, session_options
from tests.project import TIMEOUT

TWO_AT_HOME = "oht_server.connections_per_address=2"


def play_once_there_is_room(home: Home) -> None:
    """Play a tournament; clients that have left may count for a moment longer."""

    def play() -> bool:
        try:
            client = JSONClient(home.ports["json"], home.certificate)
            client.run()
        except (ClientError, OSError):
            return False
        return client.score is not None

    wait_until(play, home.messages)


def test_connections_are_counted_by_address_and_in_all() -> None:
    admission = Admission(3, 2)
    assert [admission.enter("one") for _ in range(3)] == [Verdict.WELCOME] * 2 + [Verdict.REFUSED]
    assert [admission.enter("two") for _ in range(2)] == [Verdict.WELCOME, Verdict.REFUSED]
    admission.leave("one", Verdict.WELCOME)
    assert admission.enter("three") is Verdict.WELCOME


def test_only_a_few_refusals_are_explained_and_the_others_are_cut() -> None:
    admission = Admission(1, 1)
    admission.enter("one")
    verdicts = [admission.enter("one") for _ in range(REFUSALS + 2)]
    assert verdicts == [Verdict.REFUSED] * REFUSALS + [Verdict.CUT] * 2
    admission.leave("one", Verdict.REFUSED)
    assert admission.enter("one") is Verdict.REFUSED


def test_there_are_fewer_connections_where_few_files_may_be_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (80, 80))
    assert Admission(200, 50).most == 40
    assert Admission(30, 50).most == 30
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (40, 80))
    with pytest.raises(OHTError, match=r"^expected at least 41 files .* got 40; ulimit -n"):
        Admission(200, 50)


def test_many_notices_of_one_kind_are_counted() -> None:
    lines: list[str] = []

    async def notify() -> None:
        notices = Notices(lines.append)
        for number in range(5):
            notices.say("geese", f"goose {number}", most=2)
        notices.say("ducks", "a duck")
        notices.sum_up()
        notices.say("geese", "another goose")

    asyncio.run(notify())
    assert lines == ["goose 0", "goose 1", "a duck", "3 more geese", "another goose"]


def test_a_refused_client_gets_a_protocol_message_and_may_reconnect(
    tmp_path: Path,
) -> None:
    with running(tmp_path, TWO_AT_HOME) as home:
        text, json, league = (home.ports[name] for name in ("text", "json", "league"))
        guests = [dial(text, home.certificate), dial(league, home.certificate)]
        for guest in guests:
            assert guest.recv(1024)
        with dial(text, home.certificate) as refused:
            words = refused.recv(1024).decode()
            assert words == "Sorry, the server has too many clients; try again later."
            assert refused.recv(1024) == b""
        for port in (json, league):
            client = JSONClient(port, home.certificate)
            assert client.receive() == {
                "topic": "error",
                "error": "the server has too many clients; try again later",
            }
            client.sock.close()
        for guest in guests:
            guest.close()
        play_once_there_is_room(home)
    assert sum("is refused" in line for line in home.messages) == 1
    assert any("more connections refused" in line for line in home.messages)


def test_our_client_reports_the_reason_for_a_refusal(tmp_path: Path) -> None:
    with running(tmp_path, TWO_AT_HOME) as home, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(dial(home.ports["text"], home.certificate)).recv(1024)
        server = Server("localhost", home.ports["json"], home.certificate)
        client = ActorClient(Recorder(), server, session_options())
        with pytest.raises(OHTError, match="ended the session: the server has too many clients"):
            client.run()


def test_a_flood_gives_one_line_and_harms_no_client(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.connections=5") as home, ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(socket.create_connection(("127.0.0.1", home.ports["text"])))
        home.wait_for("full: a connection from 127.0.0.1 is refused")
        stack.close()
        play_once_there_is_room(home)
    assert sum("refused" in line for line in home.messages) == 2  # with the number of the others


def test_a_connection_without_a_handshake_costs_no_buffers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secured: list[Connection] = []
    secure = Connection.secure

    async def note(self: Connection, context: ssl.SSLContext, seconds: float) -> None:
        secured.append(self)
        await secure(self, context, seconds)

    monkeypatch.setattr(Connection, "secure", note)
    with running(tmp_path) as home:
        port = home.ports["text"]
        mute = socket.create_connection(("127.0.0.1", port))
        dial(port, home.certificate).close()
        assert len(secured) == 1
        mute.close()
        home.wait_for("a client only probed the port", count=2)
    assert len(secured) == 1


def test_a_lack_of_resources_gives_one_line_and_the_server_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops = asyncio.selector_events.BaseSelectorEventLoop
    accept, left = loops.sock_accept, [3]

    async def fail_first(self: Any, listener: socket.socket) -> Any:
        if left[0]:
            left[0] -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return await accept(self, listener)

    monkeypatch.setattr("oht_client.server.server._ACCEPT_PAUSE", 0.001)
    monkeypatch.setattr(loops, "sock_accept", fail_first)
    with running(tmp_path) as home:
        client = JSONClient(home.ports["json"], home.certificate)
        client.run()
        assert client.score is not None
    assert home.messages[0] == "cannot accept a connection: Too many open files"
    assert sum("Too many open files" in line for line in home.messages) == 1


class Stuck:
    """Plays until the request for the first move of a game, then blocks.

    Attributes:
        there: Set at that request.
    """

    def __init__(self, game: int) -> None:
        """Play the games before this one, from 1."""
        self.there = threading.Event()
        self.go_on = threading.Event()
        self._game = game
        self._begun = 0

    def __call__(self, state: Sequence[int]) -> tuple[int, int]:
        """Return a move; a new game begins with an empty, or nearly empty, board."""
        self._begun += sum(cell != 0 for cell in state[1:]) < 2
        if self._begun == self._game:
            self.there.set()
            self.go_on.wait(TIMEOUT)
        return first_free_cell(state)


def play_apart(client: JSONClient | TextClient) -> threading.Thread:
    """Play in a thread until the connection is cut."""

    def play() -> None:
        try:
            if isinstance(client, JSONClient):
                client.run()
            else:
                client.connect_to_server(
                    lambda prompt: "Y" if "qualify" in prompt else "Ada", lambda prompt: "secret"
                )
        except (OSError, SystemExit):
            pass
        finally:
            client.sock.close()

    thread = threading.Thread(target=play)
    thread.start()
    return thread


def test_stopping_reports_and_keeps_unfinished_tournaments(tmp_path: Path) -> None:
    stuck = Stuck(3)
    with running(tmp_path, "oht_server.qualifiers_move_limit=null") as home:
        client = JSONClient(home.ports["json"], home.certificate, choose=stuck)
        thread = play_apart(client)
        assert stuck.there.wait(TIMEOUT)
    stuck.go_on.set()
    thread.join()
    (kept,) = home.results
    assert (kept["name"], kept["kind"], kept["protocol"]) == ("guest 1", "verification", 2)
    assert (kept["score"], kept["left"], kept["games"]) == (None, "the server was stopped", 2)
    assert kept["server"] == f"127.0.0.1:{home.ports['json']}"
    assert sum(series["wins"] for series in kept["series"]) == kept["wins"]
    line = "guest 1: the verification tournament is ended after 2 of 5 games"
    assert any(message.startswith(line) for message in home.messages)


def test_stopping_keeps_both_sides_of_a_series_in_the_league(tmp_path: Path) -> None:
    stuck = Stuck(2)
    with running(tmp_path, "oht_server.qualifiers_move_limit=null") as home:
        port = home.ports["league"]
        clients = [
            JSONClient(port, home.certificate, auth="one", choose=stuck),
            JSONClient(port, home.certificate, auth="two"),
        ]
        threads = [play_apart(client) for client in clients]
        assert stuck.there.wait(TIMEOUT)
    stuck.go_on.set()
    for thread in threads:
        thread.join()
    assert {kept["name"] for kept in home.results} == {"guest 1", "guest 2"}
    assert [kept["score"] for kept in home.results] == [None, None]
    assert sum(kept["wins"] for kept in home.results) == 1


def test_a_result_holds_the_number_of_the_attempt(tmp_path: Path) -> None:
    with running(tmp_path, "oht_server.official_attempts=3") as home:
        for _ in range(2):
            play_apart(TextClient(home.ports["text"], home.certificate)).join()
        home.wait_for("score", count=2)
    assert [kept["attempt"] for kept in home.results] == [1, 2]
    assert [kept["attempts_left"] for kept in home.results] == [2, 1]
    assert {(kept["name"], kept["kind"], kept["protocol"]) for kept in home.results} == {
        ("Ada", "official", 1)
    }
    assert all(kept["started"] <= kept["ended"] for kept in home.results)
