"""Whole series on the real server: ``hexgame-server`` in a process of its own."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from online.arena import connection
from online.arena.client import Entry
from online.errors import ConnectionEndedError
from state_manager import make_game
from tests.online.arena.conftest import Client, StartClient
from tests.online.arena.hexgame_server import running_server
from tests.online.conftest import Diary
from tests.project import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_server() as address:
        yield address


def wait_for(server: str, size: int) -> None:
    waits = ("waiting", size)
    wait_until(
        lambda: waits in {(slot.state, slot.board_size) for slot in connection.read_slots(server)}
    )


def check_games(client: Client) -> None:
    for game in client.games:
        rules = make_game("hex", size=game["board_size"])
        state = rules.initial_state(game["starting_player"])
        for row, column in game["moves"]:
            state = rules.child_state(state, row * game["board_size"] + column)
        assert rules.winner(state) == game["winner"]
        assert rules.to_flat(state)[1:] == game["end_state"][1:]


def test_two_of_us_play_a_whole_series(server: str, start_client: StartClient) -> None:
    entry = Entry(server, query={"board_size": 7, "series_length": 3})
    clients = [start_client(entry, 7) for _ in range(2)]
    for client in clients:
        assert client.error is None
        (series,) = client.player.result.series
        assert max(series.won, series.lost) == 2
        assert series.stats == (series.won, series.lost)
        assert isinstance(series.opponent, str)
        assert len(client.games) == series.won + series.lost
        check_games(client)
        starters = [game["starting_player"] for game in client.games]
        assert starters == [2, 1, 2][: len(starters)]  # red, who joins the columns, begins
    ours, theirs = ([game["moves"] for game in client.games] for client in clients)
    assert ours == theirs
    assert {client.player.result.series[0].series_id for client in clients} == {1, 2}


def test_a_cut_connection_is_taken_up_again_once_and_a_killed_server_ends_the_client(
    start_client: StartClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets: list[Any] = []
    moves, connect = itertools.count(1), vars(connection)["connect"]

    async def connect_and_keep(*words: Any, **limits: Any) -> Any:
        sockets.append(await connect(*words, **limits))
        return sockets[-1]

    def cut_after_some(*_: object) -> None:
        if next(moves) in (10, 60):  # of both clients; the second one is the last to connect
            sockets[-1].loop.call_soon_threadsafe(sockets[-1].transport.abort)

    monkeypatch.setattr(connection, "connect", connect_and_keep)
    monkeypatch.setattr(Diary, "on_move", cut_after_some, raising=False)
    with running_server(away=60) as address:
        entry = Entry(address, query={"board_size": 13, "series_length": 3})
        far = start_client(entry, 13)
        wait_for(address, 13)
        near = start_client(entry, 13)
        assert isinstance(near.error, ConnectionEndedError)
        assert any("going back to slot" in text for text in near.diary.messages)
        wait_until(lambda: "may come back" in far.diary.messages[-1])
        assert any("is back" in text for text in far.diary.messages)
    assert isinstance(far.error, ConnectionEndedError)
    assert "cannot reach the server" in str(far.error)
