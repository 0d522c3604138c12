"""Servers that lie, and opponents who leave: a scripted server on the other side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena_client.client import Entry
from arena_client.connection import QUIET
from arena_client.messages import parse
from arena_client.wire import RefusedError
from base.storage import read_jsonl
from tests.arena_client.conftest import Client, NewClient
from tests.arena_client.servers import Line, Message, Script
from tournaments.errors import ConnectionEndedError, TournamentError

TOKEN = "a-secret-token"
SEAT: dict[str, Any] = {
    "slot_id": 3, "player": -1, "color": "red", "board_size": 7, "series_length": 3,
    "reconnect_token": TOKEN,
}  # fmt: skip
START = {"first_turn": -1, "player_models": {"-1": "us", "1": "them"}, "player_usernames": {}}
BEGIN: list[Message] = [("joined", SEAT), ("waiting_for_opponent", {}), ("game_start", START)]
"""A seat, and a game that the client begins as red."""

Play = Callable[..., Client]


def move(player: int, q: int, r: int, next_turn: int | None) -> Message:
    return "move", {"player": player, "q": q, "r": r, "next_turn": next_turn}


def echo(line: Line, next_turn: int | None = 1) -> Message:
    """Accept the last move of the client."""
    return "move", {"player": -1, **line.moves[-1], "next_turn": next_turn}


def whole_game(line: Line) -> Iterator[Message]:
    """Play a game to its end: red wins in the first row, blue moves in the last one."""
    for column in range(6):
        yield echo(line)
        yield move(1, column, 6, -1)
    yield echo(line, None)
    yield "game_over", {"winner": -1, "reason": "connected_sides"}
    yield "series_update", {"player_1_wins": 1, "player_2_wins": 0}


def away(reason: str) -> Message:
    return "opponent_disconnected", {"reason": reason}


def back(board: list[list[int]] | None, seat: dict[str, Any] = SEAT, **slot: object) -> Message:
    """Give the seat back, red to move; the token works once."""
    points = {"player_1_wins": 0, "player_2_wins": 0}
    known = {"slot_id": 3, "state": "full", "board": board, "current_turn": -1, **points, **slot}
    return "reconnected", {**seat, "reconnect_token": "", "slot": known}


def board(**stones: int) -> list[list[int]]:
    """Return a board with stones at cells such as ``q3r2``."""
    return [[stones.get(f"q{q}r{r}", 0) for q in range(7)] for r in range(7)]


def cut(line: Line) -> Iterator[Message]:
    """Begin a game, accept a move, and close the connection."""
    yield from BEGIN
    yield echo(line)


@pytest.fixture
def play(new_client: NewClient, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that plays with a server: a script for each connection."""

    def play(*scripts: Script, way: str = "matchmake", **entry: Any) -> Client:
        waiting = iter(scripts)

        def enter(address: str, way: str, query: dict[str, object], *_: object) -> Line:
            assert way == "matchmake" or query == {"slot_id": 3, "token": TOKEN}
            return Line(next(waiting))

        monkeypatch.setattr("arena_client.client.enter", enter)
        seat = {"slot_id": 3, "token": TOKEN}
        client = new_client(Entry("ws://x:1", way, seat, **entry), 7)
        client.start()
        assert client.error is None or str(client.error).splitlines() == [str(client.error)]
        assert TOKEN not in str(client.error) + str(client.diary.messages)
        return client

    return play


LIES: list[tuple[str, Message, str]] = [
    *(
        ("at the door", ("joined", SEAT | {key: value}), f"a valid {key}")
        for key, value in (
            ("board_size", 2), ("board_size", "7"), ("player", 0), ("series_length", 0),
        )
    ),
    ("at the door", ("game_start", START), "a seat before a game"),
    ("at the door", ("move_rejected", {}), "an answer to a move"),
    ("after our move", move(-1, 6, 99, 1), "a valid r"),
    ("after our move", move(-1, 6, 6, 1), "our move"),
    ("after our move", move(1, 0, 0, -1), "whose turn it is"),
    ("after its echo", move(1, 7, 7, -1), "an empty cell of the board"),
    ("after its echo", move(1, 8, 2, -1), "an empty cell of the board"),
    ("after its echo", move(1, 0, 0, -1), "an empty cell of the board"),
    ("after its echo", move(3, 0, 0, -1), "a valid player"),
    ("after its echo", move(1, 1, 0, 1), "the next turn"),
    ("after its echo", ("game_over", {"winner": 1, "reason": "connected_sides"}), "the winner"),
    ("after its echo", ("game_over", {"winner": -1}), "a valid reason"),
    ("after its echo", ("game_start", START), "the end of the game"),
    ("after its echo", ("joined", SEAT), "one seat"),
    ("after a cut", back(board()), "a board that continues ours"),
    ("after a cut", back(board(q0r0=-1)[1:]), "a board of 7x7"),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "lie", "words"), LIES)
def test_a_server_that_lies_ends_the_client_in_one_line(
    play: Play, phase: str, lie: Message, words: str
) -> None:
    def script(line: Line) -> Iterator[Message]:
        if phase in ("after our move", "after its echo"):
            yield from BEGIN
        if phase == "after its echo":
            yield echo(line)
        yield lie

    client = play(*([cut, script] if phase == "after a cut" else [script]))
    assert isinstance(client.error, TournamentError)
    assert not isinstance(client.error, ConnectionEndedError)
    assert words in str(client.error)
    assert len(str(client.error)) < 1000


@pytest.mark.parametrize(
    "text", ["hello", "[1, 2]", "{}", '{"type": "a", "payload": 3}', "[" * 999]
)
def test_a_text_that_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(TournamentError, match=r"expected .* from the server"):
        parse(text)


def test_the_client_leaves_a_server_that_never_begins(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(line: Line) -> Iterator[Message]:
        yield "joined", SEAT
        while True:
            yield "series_update", {"player_1_wins": 0}

    monkeypatch.setattr("tournaments.session._MOST_IDLE", 30)
    assert "expected a game" in str(play(endless).error)


def test_a_server_without_a_seat_says_why(play: Play) -> None:
    client = play(lambda line: iter([("error", {"message": "No available slot"})]), series=None)
    assert isinstance(client.error, RefusedError)
    assert "No available slot" in str(client.error)


def test_a_finished_game_is_kept_when_the_next_message_is_a_lie(play: Play) -> None:
    def script(line: Line) -> Iterator[Message]:
        yield from BEGIN
        yield from whole_game(line)
        assert line.moves == [{"q": column, "r": 0} for column in range(7)]
        yield "joined", SEAT

    client = play(script)
    assert "expected one seat" in str(client.error)
    (game,) = read_jsonl(client.record.folder / "games.jsonl")
    assert (game["winner"], game["moves"][:2]) == (2, [[0, 0], [6, 0]])


def test_an_opponent_who_leaves_ends_the_series_and_the_next_one_begins(play: Play) -> None:
    def leaves(line: Line) -> Iterator[Message]:
        yield from BEGIN
        yield from whole_game(line)
        yield "game_start", START | {"first_turn": 1}
        yield "error", {"message": "Something"}
        yield "chat", {"message": "good\nluck\x1b[31m"}
        yield away("waiting_for_reconnect")
        yield away("reconnect_timeout")

    client = play(leaves, leaves, series=2)
    assert client.error is None
    assert [each.opponent for each in client.player.result.series] == ["them", "them"]
    assert (client.player.result.won, client.player.result.lost) == (2, 0)
    assert "them says: good\\nluck\\x1b[31m" in client.diary.messages
    assert "The server says: Something" in client.diary.messages


@pytest.mark.parametrize("end", [[away("reconnect_timeout")], []])
def test_a_resignation_counts_here_and_a_player_who_comes_back_plays_on(
    play: Play, end: list[Message]
) -> None:
    def resigns_at_last(line: Line) -> Iterator[Message]:
        yield from cut(line)
        yield "game_over", {"winner": -1, "reason": "resignation"}
        yield away("waiting_for_reconnect")
        yield "opponent_reconnected", {}
        yield move(1, 1, 0, -1)
        yield echo(line)
        yield "game_over", {"winner": -1, "reason": "resignation"}
        yield from end

    client = play(resigns_at_last)
    assert client.error is None
    assert (client.player.result.won, client.player.result.lost) == (1, 0)
    (game,) = read_jsonl(client.record.folder / "games.jsonl")
    assert game["moves"] == [[0, 0], [0, 1], [0, 2]]


def test_a_move_refused_while_the_opponent_is_away_is_sent_again(play: Play) -> None:
    def script(line: Line) -> Iterator[Message]:
        yield from BEGIN
        yield "move_rejected", {"reason": "Game paused for reconnect"}
        yield away("waiting_for_reconnect")
        assert len(line.moves) == 1
        yield "opponent_reconnected", {}
        assert line.moves == [{"q": 0, "r": 0}] * 2
        yield "opponent_left_slot", {}

    assert play(script).player.result.illegal_actions == 0


def test_a_refused_move_is_settled_by_the_board_of_the_server(play: Play) -> None:
    refusal: Message = ("move_rejected", {"reason": "Cell already occupied"})

    def resumes(line: Line) -> Iterator[Message]:
        yield back(board(q0r0=-1, q1r0=1))
        assert line.moves == [{"q": 2, "r": 0}]
        yield refusal

    client = play(lambda line: iter([*BEGIN, refusal]), resumes)
    assert "Cell already occupied" in str(client.error)
    assert client.player.result.illegal_actions == 2
    assert client.arena.way_back is None


def test_games_that_ended_while_we_were_away_are_counted(play: Play) -> None:
    def resumes(line: Line) -> Iterator[Message]:
        yield back(board(), player_2_wins=1, current_turn=1)
        yield move(1, 1, 1, -1)
        yield "series_over", {"player_1_wins": 0, "player_2_wins": 2}

    client = play(cut, resumes)
    assert client.error is None
    series = client.player.result.series[0]
    assert (series.won, series.lost, series.stats) == (0, 1, (0, 2))


def test_a_series_that_ended_while_we_were_away_is_settled(play: Play) -> None:
    over = back(board(q0r0=-1), player_1_wins=2, current_turn=1, series_winner=-1)
    client = play(cut, lambda line: iter([over]))
    assert client.error is None
    series = client.player.result.series[0]
    assert (series.won, series.lost, series.stats) == (2, 0, (2, 0))


def test_a_seat_can_be_taken_up_by_another_process(play: Play) -> None:
    now = back(board(), player_1_wins=1, current_turn=1, player_models={"1": "them"})
    messages = [now, ("opponent_left_slot", {})]
    client = play(lambda line: iter(messages), way="reconnect")
    assert client.error is None
    series = client.player.result.series[0]
    assert (series.opponent, series.series_id, series.won, series.lost) == ("them", 2, 1, 0)


def test_a_seat_may_be_taken_up_before_an_opponent_comes(play: Play) -> None:
    messages = [back(None, current_turn=None), *BEGIN[1:], ("opponent_left_slot", {})]
    assert play(lambda line: iter(messages), way="reconnect").error is None


def test_an_opponent_may_neither_think_nor_stay_away_for_ever(play: Play) -> None:
    def quiet(line: Line, begin: list[Message]) -> Iterator[Message]:
        yield from begin
        if line.moves:
            yield echo(line)
        yield QUIET, {}

    client = play(lambda line: quiet(line, BEGIN), move_limit=-1.0)
    assert "no move of them" in str(client.error)
    client = play(lambda line: quiet(line, BEGIN[:2]), series=None, until=0.0)
    assert client.error is None
    assert "No opponent came" in client.diary.messages[-1]
