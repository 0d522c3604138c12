"""Servers that lie, and opponents who leave: a server in memory on the other side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from online.arena.client import Entry
from online.arena.connection import QUIET
from online.arena.messages import parse
from online.arena.wire import RefusedError
from online.errors import ConnectionEndedError, TournamentError
from tests.online.arena.conftest import Client, StartClient

Message = tuple[str, Mapping[str, Any]]


def move(player: int, q: int, r: int, next_turn: int | None) -> Message:
    return "move", {"player": player, "q": q, "r": r, "next_turn": next_turn}


TOKEN = "a-secret-token"
SEAT: dict[str, Any] = {
    "slot_id": 3, "player": -1, "color": "red", "board_size": 7, "series_length": 3,
    "reconnect_token": TOKEN,
}  # fmt: skip
START = {"first_turn": -1, "player_models": {"-1": "us", "1": "them"}, "player_usernames": {}}
BEGIN: list[Message] = [("joined", SEAT), ("waiting_for_opponent", {}), ("game_start", START)]
"""A seat, and a game that the client begins as red."""
CUT = [*BEGIN, move(-1, 0, 0, 1)]
"""The same, and the client's first move; then the server closes the connection."""
GAME = [
    *(each for q in range(6) for each in (move(-1, q, 0, 1), move(1, q, 6, -1))),
    move(-1, 6, 0, None),
    ("game_over", {"winner": -1, "reason": "connected_sides"}),
    ("series_update", {"player_1_wins": 1, "player_2_wins": 0}),
]
"""A whole game: red, the client, wins in the first row, blue moves in the last one."""
RESIGNATION: Message = ("game_over", {"winner": -1, "reason": "resignation"})
REFUSAL: Message = ("move_rejected", {"reason": "Cell already occupied"})
LEFT: Message = ("opponent_left_slot", {})
MAY_COME_BACK: Message = ("opponent_disconnected", {"reason": "waiting_for_reconnect"})
CAME_BACK: Message = ("opponent_reconnected", {})
STAYS_AWAY: Message = ("opponent_disconnected", {"reason": "reconnect_timeout"})


def back(stones: Sequence[int] | None, size: int = 7, **slot: object) -> Message:
    """Give the seat back: stones in the first row, red to move; the token works once."""
    rows = (
        None if stones is None else [[*stones, *[0] * (7 - len(stones))], *[[0] * 7] * (size - 1)]
    )
    points = {"player_1_wins": 0, "player_2_wins": 0}
    known = {"slot_id": 3, "state": "full", "board": rows, "current_turn": -1, **points, **slot}
    return "reconnected", {**SEAT, "reconnect_token": "", "slot": known}


class Line:
    """A connection in memory to a server that sends messages, then closes the connection."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.moves: list[tuple[int, int]] = []
        self._messages = iter(messages)

    def receive(self) -> Message:
        if (message := next(self._messages, None)) is None:
            raise ConnectionEndedError("the server closed the connection")
        return message

    def send(self, kind: str, payload: Mapping[str, int]) -> None:
        assert kind == "move"
        self.moves.append((payload["q"], payload["r"]))

    def close(self) -> None:
        pass


Play = Callable[..., tuple[Client, list[Line]]]


@pytest.fixture
def play(start_client: StartClient, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that plays, with the messages of each connection; see ``Entry``."""
    seat: dict[str, object] = {"slot_id": 3, "token": TOKEN}

    def play(*scripts: list[Message], way: str = "matchmake", **entry: Any) -> Any:
        lines, waiting = [Line(messages) for messages in scripts], iter(range(len(scripts)))

        def enter(address: str, way: str, query: dict[str, object], *_: object) -> Line:
            assert way == "matchmake" or query == seat
            return lines[next(waiting)]

        monkeypatch.setattr("online.arena.client.enter", enter)
        client = start_client(Entry("ws://x:1", way, seat, **entry), 7)
        assert client.error is None or str(client.error).splitlines() == [str(client.error)]
        assert len(str(client.error)) < 1000
        assert TOKEN not in str(client.error) + str(client.diary.messages)
        return client, lines

    return play


WRONG_SEATS = ("board_size", 2), ("board_size", "7"), ("player", 0), ("series_length", 0)


@pytest.mark.parametrize(
    ("before", "lie", "words"),
    [
        *(([], ("joined", SEAT | {key: value}), f"a valid {key}") for key, value in WRONG_SEATS),
        ([], ("game_start", START), "a seat before a game"),
        ([], ("move_rejected", {}), "an answer to a move"),
        (BEGIN, move(-1, 6, 99, 1), "a valid r"),
        (BEGIN, move(-1, 6, 6, 1), "our move"),
        (BEGIN, move(1, 0, 0, -1), "whose turn it is"),
        (CUT, move(1, 7, 7, -1), "an empty cell of the board"),
        (CUT, move(1, 8, 2, -1), "an empty cell of the board"),
        (CUT, move(1, 0, 0, -1), "an empty cell of the board"),
        (CUT, move(3, 0, 0, -1), "a valid player"),
        (CUT, move(1, 1, 0, 1), "the next turn"),
        (CUT, ("game_over", {"winner": 1, "reason": "connected_sides"}), "the winner"),
        (CUT, ("game_over", {"winner": -1}), "a valid reason"),
        (CUT, ("game_start", START), "the end of the game"),
        (CUT, ("joined", SEAT), "one seat"),
        (None, back([]), "a board that continues ours"),
        (None, back([-1], size=6), "a board of 7x7"),
    ],
)
def test_a_server_that_lies_ends_the_client_in_one_line(
    play: Play, before: list[Message] | None, lie: Message, words: str
) -> None:
    client, _ = play(CUT, [lie]) if before is None else play([*before, lie])
    assert isinstance(client.error, TournamentError)
    assert not isinstance(client.error, ConnectionEndedError)
    assert words in str(client.error)


@pytest.mark.parametrize("text", ["he", "[1, 2]", "{}", '{"type": "a", "payload": 3}', "[" * 999])
def test_a_text_that_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(TournamentError, match=r"expected .* from the server"):
        parse(text)


def test_a_server_that_never_begins_is_left(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("online.session._MOST_IDLE", 30)
    client, _ = play([("joined", SEAT), *[("series_update", {})] * 40])
    assert "expected a game" in str(client.error)


def test_a_server_without_a_seat_says_why(play: Play) -> None:
    client, _ = play([("error", {"message": "No available slot"})], series=None)
    assert isinstance(client.error, RefusedError)
    assert "No available slot" in str(client.error)


def test_a_finished_game_is_kept_when_the_next_message_is_a_lie(play: Play) -> None:
    client, (line,) = play([*BEGIN, *GAME, ("joined", SEAT)])
    assert "expected one seat" in str(client.error)
    assert line.moves == [(q, 0) for q in range(7)]
    (game,) = client.games
    assert (game["winner"], game["moves"][:2]) == (2, [[0, 0], [6, 0]])


def test_an_opponent_who_leaves_ends_the_series_and_the_next_one_begins(play: Play) -> None:
    second = [
        ("game_start", START | {"first_turn": 1}),
        ("error", {"message": "Something"}),
        ("chat", {"message": "good\nluck\x1b[31m"}),
    ]
    series = [*BEGIN, *GAME, *second, MAY_COME_BACK, STAYS_AWAY]
    client, _ = play(series, series, series=2)
    assert client.error is None
    assert [series.opponent for series in client.player.result.series] == ["them", "them"]
    assert (client.player.result.won, client.player.result.lost) == (2, 0)
    assert "them says: good\\nluck\\x1b[31m" in client.diary.messages
    assert "The server says: Something" in client.diary.messages


@pytest.mark.parametrize("end", [[STAYS_AWAY], []])
def test_a_resignation_counts_and_a_player_may_come_back(play: Play, end: list[Message]) -> None:
    later = [CAME_BACK, move(1, 1, 0, -1), move(-1, 2, 0, 1), RESIGNATION]
    client, _ = play([*CUT, RESIGNATION, MAY_COME_BACK, *later, *end])
    assert client.error is None
    assert (client.player.result.won, client.player.result.lost) == (1, 0)
    assert [game["moves"] for game in client.games] == [[[0, 0], [0, 1], [0, 2]]]


def test_a_move_refused_while_the_opponent_is_away_is_sent_again(play: Play) -> None:
    paused = ("move_rejected", {"reason": "Game paused for reconnect"})
    client, (line,) = play([*BEGIN, paused, MAY_COME_BACK, CAME_BACK, LEFT])
    assert (line.moves, client.player.result.illegal_actions) == ([(0, 0)] * 2, 0)


def test_a_refused_move_is_settled_by_the_board_of_the_server(play: Play) -> None:
    client, (_, line) = play([*BEGIN, REFUSAL], [back([-1, 1]), REFUSAL])
    assert line.moves == [(2, 0)]
    assert "Cell already occupied" in str(client.error)
    assert client.player.result.illegal_actions == 2
    assert client.arena.way_back is None


SCORE = ("series_over", {"player_1_wins": 0, "player_2_wins": 2})


@pytest.mark.parametrize(
    ("later", "counts"),
    [
        # Games have ended while we were away, or the series.
        ([back([], player_2_wins=1, current_turn=1), move(1, 1, 1, -1), SCORE], (0, 1, (0, 2))),
        ([back([-1], player_1_wins=2, current_turn=1, series_winner=-1)], (2, 0, (2, 0))),
    ],
)
def test_what_ended_meanwhile_counts(
    play: Play, later: list[Message], counts: tuple[object, ...]
) -> None:
    client, _ = play(CUT, later)
    assert client.error is None
    (series,) = client.player.result.series
    assert (series.won, series.lost, series.stats) == counts


def test_a_seat_can_be_taken_up_by_another_process(play: Play) -> None:
    now = back([], player_1_wins=1, current_turn=1, player_models={"1": "them"})
    client, _ = play([now, LEFT], way="reconnect")
    assert client.error is None
    (series,) = client.player.result.series
    assert (series.opponent, series.series_id, series.won, series.lost) == ("them", 2, 1, 0)
    before_a_game, _ = play([back(None, current_turn=None), *BEGIN[1:], LEFT], way="reconnect")
    assert before_a_game.error is None


def test_an_opponent_may_neither_think_nor_stay_away_for_ever(play: Play) -> None:
    client, _ = play([*CUT, (QUIET, {})], move_limit=-1.0)
    assert "no move of them" in str(client.error)
    client, _ = play([*BEGIN[:2], (QUIET, {})], series=None, until=0.0)
    assert client.error is None
    assert "No opponent came" in client.diary.messages[-1]
