"""Whole series on the real server: ``hexgame-server`` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from arena_client.client import Entry
from base.storage import read_jsonl
from state_manager import make_game
from tests.arena_client.conftest import Client, NewClient
from tests.arena_client.hexgame_server import running_server
from tests.arena_client.servers import Relay, wait_for
from tests.project import wait_until
from tournaments.errors import ConnectionEndedError


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_server() as address:
        yield address


def replayed_games(client: Client) -> list[dict[str, Any]]:
    """Return the kept games of a client, once they were replayed by our rules."""
    games = read_jsonl(client.record.folder / "games.jsonl")
    for game in games:
        rules = make_game("hex", size=game["board_size"])
        state = rules.initial_state(game["starting_player"])
        for row, column in game["moves"]:
            state = rules.child_state(state, row * game["board_size"] + column)
        assert rules.winner(state) == game["winner"]
        assert rules.to_flat(state)[1:] == game["end_state"][1:]
    return games


def test_two_of_us_play_a_whole_series(server: str, new_client: NewClient) -> None:
    entry = Entry(server, query={"board_size": 7, "series_length": 3})
    clients = [new_client(entry, 7) for _ in range(2)]
    for client in clients:
        client.start()
    for client in clients:
        assert client.error is None
        (series,) = client.player.result.series
        assert max(series.won, series.lost) == 2
        assert series.stats == (series.won, series.lost)
        games = replayed_games(client)
        assert len(games) == series.won + series.lost
        starters = [game["starting_player"] for game in games]
        assert starters == [2, 1, 2][: len(games)]  # red, who joins the columns, begins
    ours, theirs = ([game["moves"] for game in replayed_games(client)] for client in clients)
    assert ours == theirs
    assert {client.player.result.series[0].series_id for client in clients} == {1, 2}


def test_a_series_against_the_reference_client(server: str, new_client: NewClient) -> None:
    client = new_client(Entry(server, query={"board_size": 9, "series_length": 1}), 9)
    client.start()
    wait_for(server, 9)
    words = "random", "--server", server, "--board-size", "9", "--move-delay", "0"
    subprocess.run([sys.executable, "-m", "hexgame", *words], stdout=subprocess.DEVNULL, check=True)
    assert client.error is None
    (series,) = client.player.result.series
    assert (series.opponent, series.series_id) == ("random_client", 2)
    assert len(replayed_games(client)) == 1


def test_a_cut_connection_is_taken_up_again_once_and_a_killed_server_ends_the_client(
    new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_server(away=60) as address:
        relay = Relay(address)
        query: dict[str, object] = {"board_size": 13, "series_length": 3}
        far, near = (
            new_client(Entry(place, query=query), 13) for place in (address, relay.address)
        )
        moves = 0
        seen = near.diary.on_move

        def cut_after_some(*arguments: Any) -> None:
            nonlocal moves
            moves += 1
            seen(*arguments)
            if moves in (5, 20):
                relay.cut()

        monkeypatch.setattr(near.diary, "on_move", cut_after_some)
        for client in (far, near):
            client.start()
        assert isinstance(near.error, ConnectionEndedError)
        relay.close()
        assert moves >= 20
        assert any("going back to slot" in text for text in near.diary.messages)
        wait_until(lambda: "may come back" in far.diary.messages[-1])
        assert any("is back" in text for text in far.diary.messages)
    assert isinstance(far.error, ConnectionEndedError)
    assert "cannot reach the server" in str(far.error)
