"""Servers that lie, and opponents who leave: a scripted server on the other side."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from arena_client.client import Entry
from arena_client.connection import ArenaConnection
from arena_client.wire import RefusedError
from state_manager import make_game
from tests.arena_client.conftest import Client, NewClient
from tests.arena_client.servers import Peer, scripted_server
from tests.project import TIMEOUT
from tournaments.errors import ConnectionEndedError, TournamentError

SEAT: dict[str, Any] = {
    "slot_id": 3,
    "player": -1,
    "color": "red",
    "board_size": 7,
    "series_length": 3,
    "reconnect_token": "a-secret-token",
}
START = {"first_turn": -1, "player_models": {"-1": "us", "1": "them"}, "player_usernames": {}}
Script = Callable[[Peer], None]


def begin(peer: Peer, **changes: object) -> None:
    """Give a seat, and start a game that the client begins as red."""
    peer.send("joined", **{**SEAT, **changes})
    peer.send("waiting_for_opponent", slot_id=3, board_size=7)
    peer.send("game_start", **START)


def echo(peer: Peer) -> tuple[int, int]:
    """Accept a move of the client, and return it."""
    move = peer.receive()
    peer.send("move", player=-1, **move, next_turn=1)
    return move["q"], move["r"]


def whole_game(peer: Peer) -> dict[str, int]:
    """Play a game to its end, and return the points after it."""
    game = make_game("hex", size=7)
    state = game.initial_state(2)
    while not game.is_final(state):
        red = game.to_play(state) == 2
        move = peer.receive() if red else cell(int(game.legal_actions(state)[-1]))
        state = game.child_state(state, 7 * move["r"] + move["q"])
        turn = None if game.is_final(state) else 1 if red else -1
        peer.send("move", player=-1 if red else 1, **move, next_turn=turn)
    winner = -1 if game.winner(state) == 2 else 1
    peer.send("game_over", winner=winner, reason="connected_sides")
    points = {"player_1_wins": int(winner == -1), "player_2_wins": int(winner == 1)}
    peer.send("series_update", **points)
    return points


def cell(action: int) -> dict[str, int]:
    """Return an action as the arena writes it."""
    return {"q": action % 7, "r": action // 7}


def played(new_client: NewClient, *scripts: Script, **entry: Any) -> Client:
    """Return a client after it has played with a server that runs these scripts."""
    with scripted_server(*scripts) as address:
        client = new_client(Entry(address, query={"board_size": 7, "series_length": 3}, **entry))
        client.start()
        client.join()
    return client


def sent(kind: str, **payload: object) -> Script:
    """Return a script that begins a game, takes a move, and then sends a message."""

    def script(peer: Peer) -> None:
        begin(peer)
        peer.receive()
        peer.send(kind, **payload)

    return script


def after_a_move(kind: str, **payload: object) -> Script:
    """Return a script that accepts a move, and then sends a message."""

    def script(peer: Peer) -> None:
        begin(peer)
        echo(peer)
        peer.send(kind, **payload)

    return script


def sits(**changes: object) -> Script:
    return lambda peer: begin(peer, **changes)


def says(text: str) -> Script:
    return lambda peer: peer.send_text(text)


def endless(peer: Peer) -> None:
    peer.send("joined", **SEAT)
    while True:
        peer.send("series_update", player_1_wins=0)


LIES: dict[str, Script] = {
    "board of another size": sits(board_size=2),
    "board without size": sits(board_size="7"),
    "player of no colour": sits(player=0),
    "series without games": sits(series_length=0),
    "a move of ours that we did not make": sent("move", player=-1, q=6, r=99, next_turn=1),
    "a move out of turn": sent("move", player=1, q=0, r=0, next_turn=-1),
    "a move outside the board": after_a_move("move", player=1, q=7, r=7, next_turn=-1),
    "a move beside the board": after_a_move("move", player=1, q=8, r=2, next_turn=-1),
    "a move of nobody": after_a_move("move", player=3, q=0, r=0, next_turn=-1),
    "the wrong turn": after_a_move("move", player=1, q=0, r=0, next_turn=1),
    "an end without a winner": after_a_move("game_over", winner=1, reason="connected_sides"),
    "a game in a game": after_a_move("game_start", **START),
    "a second seat": after_a_move("joined", **SEAT),
    "a game over without a reason": after_a_move("game_over", winner=-1),
    "no seat": lambda peer: peer.send("game_start", **START),
    "no JSON": says("hello"),
    "no object": says("[1, 2]"),
    "no type": says("{}"),
    "a payload that is no object": says('{"type": "joined", "payload": 3}'),
    "deep": says("[" * 5000),
    "a megabyte of chat": says(
        json.dumps({"type": "chat", "payload": {"message": "a" * 1_000_000}})
    ),
    "endless messages": endless,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_ends_the_client_in_one_line(new_client: NewClient, lie: str) -> None:
    client = played(new_client, LIES[lie])
    assert isinstance(client.error, TournamentError)
    assert not isinstance(client.error, ConnectionEndedError)
    assert str(client.error).splitlines() == [str(client.error)]
    assert len(str(client.error)) < 1000
    assert "a-secret-token" not in str(client.error) + str(client.diary.messages)


def test_a_move_on_a_taken_cell_is_a_lie(new_client: NewClient) -> None:
    def script(peer: Peer) -> None:
        begin(peer)
        q, r = echo(peer)
        peer.send("move", player=1, q=q, r=r, next_turn=-1)

    error = played(new_client, script).error
    assert "on an empty cell" in str(error)


@pytest.mark.parametrize("reason", ["No available slot", "Unsupported board size"])
def test_a_server_without_a_seat_says_why(new_client: NewClient, reason: str) -> None:
    client = played(new_client, lambda peer: peer.send("error", message=reason), series=None)
    assert isinstance(client.error, RefusedError)
    assert reason in str(client.error)


def test_a_finished_game_is_kept_when_the_next_message_is_a_lie(new_client: NewClient) -> None:
    def script(peer: Peer) -> None:
        begin(peer)
        whole_game(peer)
        peer.send_text("hello")

    client = played(new_client, script)
    assert "expected JSON" in str(client.error)
    assert len((client.folder / "games.jsonl").read_text().splitlines()) == 1


def test_an_opponent_who_leaves_ends_the_series_and_the_next_one_begins(
    new_client: NewClient,
) -> None:
    def leaves(peer: Peer) -> None:
        begin(peer)
        whole_game(peer)
        peer.send("game_start", **START | {"first_turn": 1})
        peer.send("opponent_disconnected", reason="waiting_for_reconnect")
        peer.send("opponent_disconnected", reason="reconnect_timeout")
        peer.close()

    client = played(new_client, leaves, leaves, series=2)
    assert client.error is None
    assert [each.opponent for each in client.player.result.series] == ["them", "them"]
    assert client.player.result.won + client.player.result.lost == 2


def test_a_resignation_counts_here_and_a_player_who_comes_back_plays_on(
    new_client: NewClient,
) -> None:
    def resigns_at_last(peer: Peer) -> None:
        begin(peer)
        q, r = echo(peer)
        peer.send("game_over", winner=-1, reason="resignation")
        peer.send("opponent_disconnected", reason="waiting_for_reconnect")
        peer.send("opponent_reconnected", player=1)
        peer.send("move", player=1, q=(q + 1) % 7, r=r, next_turn=-1)
        echo(peer)
        peer.send("game_over", winner=-1, reason="resignation")
        peer.send("opponent_disconnected", reason="reconnect_timeout")
        peer.close()

    client = played(new_client, resigns_at_last)
    assert client.error is None
    assert (client.player.result.won, client.player.result.lost) == (1, 0)
    (game,) = (client.folder / "games.jsonl").read_text().splitlines()
    assert len(json.loads(game)["moves"]) == 3


def test_a_move_refused_while_the_opponent_is_away_is_sent_again(new_client: NewClient) -> None:
    def script(peer: Peer) -> None:
        begin(peer)
        move = peer.receive()
        peer.send("move_rejected", reason="Game paused for reconnect")
        peer.send("opponent_disconnected", reason="waiting_for_reconnect")
        peer.send("opponent_reconnected", player=1)
        assert peer.receive() == move
        peer.send_text("that was all")

    client = played(new_client, script)
    assert client.player.result.illegal_actions == 0


def test_a_refused_move_is_settled_by_the_board_of_the_server(new_client: NewClient) -> None:
    def refuses(peer: Peer) -> None:
        begin(peer)
        peer.receive()
        peer.send("move_rejected", reason="Cell already occupied")

    def resumes(peer: Peer) -> None:
        assert peer.path == "/ws/reconnect?slot_id=3&token=a-secret-token"
        board = [[0] * 7 for _ in range(7)]
        board[2][3], board[4][4] = -1, 1
        peer.send("reconnected", **SEAT | {"reconnect_token": ""}, slot=slot(board))
        move = peer.receive()
        assert (move["q"], move["r"]) not in ((3, 2), (4, 4))
        peer.send("move_rejected", reason="Cell already occupied")

    client = played(new_client, refuses, resumes)
    assert "Cell already occupied" in str(client.error)
    assert client.player.result.illegal_actions == 2
    assert client.arena.way_back is None


def slot(board: list[list[int]], **changes: object) -> dict[str, object]:
    """Return a slot in a game, red to move."""
    points = {"player_1_wins": 0, "player_2_wins": 0}
    return {"slot_id": 3, "state": "full", "board": board, "current_turn": -1, **points, **changes}


def test_games_that_ended_while_we_were_away_are_counted(new_client: NewClient) -> None:
    empty = [[0] * 7 for _ in range(7)]

    def cuts(peer: Peer) -> None:
        begin(peer)
        echo(peer)
        peer.close()

    def resumes(peer: Peer) -> None:
        now = slot(empty, player_2_wins=1, current_turn=1)
        peer.send("reconnected", **SEAT | {"reconnect_token": ""}, slot=now)
        peer.send("move", player=1, q=0, r=0, next_turn=-1)
        peer.receive()
        peer.send("series_over", player_1_wins=0, player_2_wins=2)

    client = played(new_client, cuts, resumes)
    assert client.error is None
    series = client.player.result.series[0]
    assert (series.won, series.lost, series.stats) == (0, 1, (0, 2))


def test_a_board_that_does_not_continue_ours_is_a_lie(new_client: NewClient) -> None:
    def cuts(peer: Peer) -> None:
        begin(peer)
        echo(peer)
        peer.close()

    def resumes(peer: Peer) -> None:
        empty = [[0] * 7 for _ in range(7)]
        peer.send("reconnected", **SEAT | {"reconnect_token": ""}, slot=slot(empty))

    assert "continues ours" in str(played(new_client, cuts, resumes).error)


def test_a_seat_can_be_taken_up_by_another_process(new_client: NewClient) -> None:
    def resumes(peer: Peer) -> None:
        assert peer.path == "/ws/reconnect?slot_id=3&token=t"
        board = [[0] * 7 for _ in range(7)]
        now = slot(board, player_1_wins=1, current_turn=1, player_models={"1": "them"})
        peer.send("reconnected", **SEAT | {"reconnect_token": ""}, slot=now)
        peer.send("opponent_left_slot")

    with scripted_server(resumes) as address:
        entry = Entry(address, "reconnect", {"slot_id": 3, "token": "t"})
        client = new_client(entry)
        client.start()
        client.join()
    assert client.error is None
    series = client.player.result.series[0]
    assert (series.opponent, series.series_id, series.won, series.lost) == ("them", 2, 1, 0)


def test_patience_ends_a_game_without_moves_and_a_wait_without_an_opponent(
    new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena_client.connection.PING_SECONDS", 0.01)
    monkeypatch.setattr("arena_client.connection.MOST_PINGS", 1_000_000)  # the answer may be late

    def answers_pings(peer: Peer) -> None:
        echo(peer)
        while True:
            peer.receive("ping")
            peer.send("pong")

    def plays_no_more(peer: Peer) -> None:
        begin(peer)
        answers_pings(peer)

    def waits(peer: Peer) -> None:
        peer.send("joined", **SEAT)
        while True:
            peer.receive("ping")
            peer.send("pong")

    assert "no move of them" in str(played(new_client, plays_no_more, move_limit=0.05).error)
    client = played(new_client, waits, series=None, until=0.0)
    assert client.error is None
    assert "No opponent came" in client.diary.messages[-1]


def test_a_server_that_answers_no_ping_is_lost(
    new_client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena_client.connection.PING_SECONDS", 0.001)
    client = played(new_client, lambda peer: None)
    assert isinstance(client.error, ConnectionEndedError)


def test_chat_is_shown_on_one_line(new_client: NewClient) -> None:
    def script(peer: Peer) -> None:
        begin(peer)
        peer.send("chat", player=1, message="good\nluck\x1b[31m")
        peer.send("opponent_left_slot")

    assert "them says: good\\nluck\\x1b[31m" in played(new_client, script).diary.messages


def test_pings_of_the_server_are_answered_while_an_agent_thinks() -> None:
    answered = threading.Event()

    def pings(peer: Peer) -> None:
        assert peer.answers_a_ping()
        answered.set()

    with scripted_server(pings) as address:
        connection = ArenaConnection(f"{address}/ws/matchmake", address)
        assert answered.wait(TIMEOUT)
        connection.close()
        connection.close()
