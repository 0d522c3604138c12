"""Whole series on the real server: ``hexgame-server`` in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from arena_client.client import Entry
from state_manager import make_game
from tests.arena_client.conftest import Client, NewClient
from tests.arena_client.hexgame_server import running_server
from tests.arena_client.servers import Relay, wait_for
from tests.project import TIMEOUT
from tournaments.errors import ConnectionEndedError


def games_of(client: Client) -> list[dict[str, Any]]:
    """Return the kept games of a client."""
    lines = (client.folder / "games.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def check_game(game: dict[str, Any]) -> None:
    """Replay a game by our rules."""
    rules = make_game("hex", size=game["board_size"])
    state = rules.initial_state(game["starting_player"])
    for row, column in game["moves"]:
        state = rules.child_state(state, row * game["board_size"] + column)
    assert rules.winner(state) == game["winner"]
    assert rules.to_flat(state)[1:] == game["end_state"][1:]


@pytest.mark.parametrize("size", [7, 11])
def test_two_of_us_play_a_whole_series(server: str, new_client: NewClient, size: int) -> None:
    ours, theirs = new_client(server, size), new_client(server, size)
    for client in (ours, theirs):
        client.start()
    for client in (ours, theirs):
        client.join()
        assert client.error is None
        series = client.player.result.series[0]
        assert sorted((series.won, series.lost))[1] == 2
        assert series.stats == (series.won, series.lost)
        games = games_of(client)
        assert len(games) == series.won + series.lost
        for game in games:
            check_game(game)
        starters = [game["starting_player"] for game in games]
        assert starters == [2, 1, 2][: len(games)]  # red, who joins the columns, begins
    assert {client.player.result.series[0].series_id for client in (ours, theirs)} == {1, 2}
    assert [game["moves"] for game in games_of(ours)] == [g["moves"] for g in games_of(theirs)]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_series_against_the_reference_client(
    server: str, new_client: NewClient, is_first: bool
) -> None:
    client = new_client(Entry(server, query={"board_size": 9, "series_length": 1}), 9)
    words = "random", "--server", server, "--board-size", "9", "--move-delay", "0"
    if is_first:
        client.start()
        wait_for(server, 9)
    with subprocess.Popen(
        [sys.executable, "-m", "hexgame", *words], stdout=subprocess.DEVNULL
    ) as reference:
        if not is_first:
            wait_for(server, 9)
            client.start()
        client.join()
        reference.wait()
    assert client.error is None
    series = client.player.result.series[0]
    assert series.opponent == "random_client"
    assert series.series_id == (2 if is_first else 1)
    (game,) = games_of(client)
    check_game(game)


def test_a_cut_connection_is_taken_up_again_once_and_only_once(
    server: str, new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relay(server)
    far, near = new_client(server, 13), new_client(relay.address, 13)
    moves = 0
    seen = near.diary.on_move

    def cut_after_some(*arguments: Any) -> None:
        nonlocal moves
        moves += 1
        seen(*arguments)
        if moves in (5, 40):
            relay.cut()

    monkeypatch.setattr(near.diary, "on_move", cut_after_some)
    for client in (far, near):
        client.start()
    for client in (far, near):
        client.join()
    relay.close()
    assert moves >= 40
    assert isinstance(near.error, ConnectionEndedError)
    assert any("going back to slot" in text for text in near.diary.messages)
    assert any("is back" in text for text in far.diary.messages)
    assert far.error is None  # the opponent has left
    assert "has left" in far.diary.messages[-1]


def test_a_killed_server_ends_the_client_in_one_line(
    new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[Client] = []
    has_moved, is_killed = threading.Event(), threading.Event()

    def wait_in_the_game(*arguments: Any) -> None:
        has_moved.set()
        assert is_killed.wait(TIMEOUT)

    with running_server() as address:
        clients += [new_client(address), new_client(address)]
        monkeypatch.setattr(clients[0].diary, "on_move", wait_in_the_game)
        for client in clients:
            client.start()
        assert has_moved.wait(TIMEOUT)
    is_killed.set()
    for client in clients:
        client.join()
        assert isinstance(client.error, ConnectionEndedError)
        assert "cannot reach the server" in str(client.error)
