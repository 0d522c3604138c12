"""A whole tournament of the server's second generation, as a script; and our client in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oht_client.transport import Server
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    frame,
    play_with,
    scripted,
    scripted_server,
    session_options,
)

Certificates = tuple[Path, Path]
Message = Mapping[str, object]
Dialogue = Sequence[tuple[Sequence[Message], object]]

TOKEN = "0123456789abcdef0123456789abcdef"
KNOWN = {"token": TOKEN, "qualify": "n"}
EMPTY = [2, *[0] * 9]
LATER = [2, 2, 1, *[0] * 7]
WON = [1, 2, 2, 2, 1, 1, 0, 0, 0, 0]

LOG_IN: Dialogue = [
    (
        [
            {"topic": "message", "message": "Hello", "level": "INFO"},
            {"topic": "authentication"},
        ],
        TOKEN,
    ),
    (
        [{"topic": "question", "question": "qualify", "prompt": "Qualify? (3 attempts left)"}],
        False,
    ),
]
SERIES: Message = {
    "topic": "series_start",
    "unique_player_id": -200,
    "player_id_map": [[-200, 2], [999, 1]],
    "num_games": 1,
    "game_params": [3],
}
GAME: Dialogue = [
    (
        [
            SERIES,
            {"topic": "game_start", "start_player": 2, "more": "does not matter"},
            {"topic": "request_action", "state": EMPTY},
        ],
        [0, 0],
    ),
    ([{"topic": "request_action", "state": LATER}], [0, 2]),
]
SERIES_OVER: list[Message] = [
    {"topic": "game_over", "winner": 2, "end_state": WON},
    {"topic": "series_over", "stats": [[-200, 2, 1, 0], [999, 1, 0, 1]]},
]
SCORE: Message = {"topic": "tournament_over", "score": 100.0}
FINISH: Message = {"topic": "finish"}
WHOLE: Dialogue = [*LOG_IN, *GAME, ([*SERIES_OVER, SCORE, FINISH], None)]
WITHOUT_PROMPTS = WHOLE
MESSAGES = [message for messages, _ in WHOLE for message in messages]
KEPT = [len(MESSAGES) - 3, len(MESSAGES) - 2]
"""The numbers of messages up to the ends of the game and of the series."""

CALLS = [
    ("series_start", -200, 2, [[-200, 2], [999, 1]], 1, [3]),
    ("game_start", 2),
    ("get_action", EMPTY),
    ("get_action", LATER),
    ("game_over", 2, WON),
    ("series_over", [[-200, 2, 1, 0], [999, 1, 0, 1]]),
    ("tournament_over", 100.0),
]


raw = frame
reply = Peer.receive_json


def script_of(
    dialogue: Dialogue, receive: Callable[[Peer], object] = Peer.receive_json
) -> Callable[[Peer], None]:
    return scripted(dialogue, raw, receive)


def play(
    certificates: Certificates,
    script: Callable[[Peer], None],
    player: Recorder | None = None,
    mode: Any = "qualifiers",
    **given: Any,
) -> float | None:
    """Play with a scripted server."""
    options = session_options(**{"known": KNOWN, **given})
    with scripted_server(certificates, script) as port:
        server = Server("localhost", port, certificates[0])
        return play_with(2, server, player or Recorder(), options, mode)
