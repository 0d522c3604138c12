"""The end of the server in mid-tournament, and its records."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from tests.oht_client.home import running
from tests.oht_client.raw_clients import (
    JSONClient,
    TextClient,
    first_free_cell,
)
from tests.project import TIMEOUT


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


def play_apart(client: TextClient | JSONClient) -> threading.Thread:
    """Play in a thread until the connection is cut."""

    def play() -> None:
        try:
            client.run()
        except OSError:
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
            TextClient(home.ports["text"], home.certificate, nickname="Ada", qualify=True).run()
        home.wait_for("score", count=2)
    assert [kept["attempt"] for kept in home.results] == [1, 2]
    assert [kept["attempts_left"] for kept in home.results] == [2, 1]
    assert {(kept["name"], kept["kind"], kept["protocol"]) for kept in home.results} == {
        ("Ada", "official", 1)
    }
    assert all(kept["started"] <= kept["ended"] for kept in home.results)
