"""A whole tournament of each generation of the server, as a dialogue; and our client in it."""

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from oht_client.json_wire import JSONWire
from oht_client.text_wire import TextWire
from online.session import play_session
from tests.oht_client.scripted_server import Dialogue, Line, Recorder, session_options

TOKEN = "0123456789abcdef0123456789abcdef"
KNOWN = {
    "username": "somebody", "password": "a secret", "player-name": "Nick", "qualify": "n",
    "stress": "n", "token": TOKEN,
}  # fmt: skip

Steps = Sequence[tuple[Sequence[Any], Any]]
"""Messages of a server, and the reply of the client, before they are written."""


def text(message: str | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.encode()


def frame(message: object) -> bytes:
    if isinstance(message, bytes):
        return message
    body = json.dumps(message).encode()
    return struct.pack("<i", len(body)) + body


@dataclass(frozen=True)
class Generation:
    """A generation of the server, and a tournament of one game on it."""

    protocol: Literal[1, 2]
    raw: Callable[[Any], bytes]  # writes a message
    log_in: Steps
    game: Steps  # the welcome, and the series up to its last move
    over: Sequence[Any]  # the ends of the game and of the series
    end: Sequence[Any]  # the score, and what follows
    begin: Sequence[Any]  # what precedes a message in the middle of a series
    calls: Sequence[tuple[Any, ...]]  # the hooks that are called

    def dialogue(self, *steps: tuple[Sequence[Any], Any]) -> Dialogue:
        return [
            ([*map(self.raw, messages)], None if reply is None else self.raw(reply))
            for messages, reply in steps
        ]

    @cached_property
    def whole(self) -> Dialogue:
        return self.dialogue(*self.log_in, *self.game, ([*self.over, *self.end], None))

    def play(
        self, line: Any, player: Recorder | None = None, league: bool = False, **options: Any
    ) -> float | None:
        """Play over a connection in memory, with known answers unless options say otherwise."""
        line = line if isinstance(line, Line) else Line(line)
        given = session_options(**{"known": KNOWN, "tell": lambda text: None, **options})
        wire = TextWire(line, given) if self.protocol == 1 else JSONWire(line, given, league)
        return play_session(wire, player or Recorder(), given.tell, league)


TEXT_SERIES = ["Series start", "1234567", "[(1234567, 1), (2020, 2)]", "1", "[3]"]
_EMPTY, _LATER, _WON = (1, *[0] * 9), (1, 1, 2, *[0] * 7), (2, 1, 2, 0, 1, 2, 0, 1, 0, 0)
FIRST = Generation(
    protocol=1,
    raw=text,
    log_in=[
        (["Please enter your username: "], "somebody"),
        (["Please enter your password: "], "a secret"),
        (["Choose a player-name: "], "Nick"),
        (["Do you want to qualify? You have 5 attempts. (Y/n)"], "n"),
        (["Take part in the stress test?"], "n"),
    ],
    game=[
        (["Welcome to the tournament!", *TEXT_SERIES, "Game start", "1", str(_EMPTY)], "(0, 0)"),
        ([str(_LATER)], "(0, 2)"),
    ],
    over=["Game end", "1", str(_WON), "Series end", "[(1234567, 1, 1, 0), (2020, 2, 0, 1)]"],
    end=["Tournament end", "100.0"],
    begin=["Welcome", *TEXT_SERIES],
    calls=[
        ("series_start", 1234567, 1, [(1234567, 1), (2020, 2)], 1, [3]),
        ("game_start", 1),
        ("get_action", _EMPTY),
        ("get_action", _LATER),
        ("game_over", 1, _WON),
        ("series_over", [(1234567, 1, 1, 0), (2020, 2, 0, 1)]),
        ("tournament_over", 100.0),
    ],
)

_PLAYERS, _STATS = [[-200, 2], [999, 1]], [[-200, 2, 1, 0], [999, 1, 0, 1]]
JSON_SERIES = {
    "topic": "series_start", "unique_player_id": -200, "player_id_map": _PLAYERS,
    "num_games": 1, "game_params": [3],
}  # fmt: skip
REQUEST = {"topic": "request_action", "state": [2, *[0] * 9]}
FINISH = {"topic": "finish"}
SECOND = Generation(
    protocol=2,
    raw=frame,
    log_in=[
        ([{"topic": "message", "message": "Hello", "level": "INFO"}], None),
        ([{"topic": "authentication"}], TOKEN),
        ([{"topic": "question", "question": "qualify", "prompt": "Qualify? (3 left)"}], False),
    ],
    game=[
        ([JSON_SERIES, {"topic": "game_start", "start_player": 2, "more": "x"}, REQUEST], [0, 0]),
        ([{"topic": "request_action", "state": [2, 2, 1, *[0] * 7]}], [0, 2]),
    ],
    over=[
        {"topic": "game_over", "winner": 2, "end_state": [1, 2, 2, 2, 1, 1, 0, 0, 0, 0]},
        {"topic": "series_over", "stats": _STATS},
    ],
    end=[{"topic": "tournament_over", "score": 100.0}, FINISH],
    begin=[JSON_SERIES],
    calls=[
        ("series_start", -200, 2, _PLAYERS, 1, [3]),
        ("game_start", 2),
        ("get_action", [2, *[0] * 9]),
        ("get_action", [2, 2, 1, *[0] * 7]),
        ("game_over", 2, [1, 2, 2, 2, 1, 1, 0, 0, 0, 0]),
        ("series_over", _STATS),
        ("tournament_over", 100.0),
    ],
)
