"""A whole tournament of the server's second generation, as a script; and our client in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oht_client.actor_client import ActorClient
from oht_client.transport import Server
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    scripted_server,
    session_options,
)

Certificates = tuple[Path, Path]
Message = Mapping[str, object]
Dialogue = Sequence[tuple[Sequence[Message], object]]

TOKEN = "0123456789abcdef0123456789abcdef"
KNOWN = {"token": TOKEN, "qualify": "n"}
NOTHING = object()
"""In place of an answer: none is expected."""

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
WHOLE: Dialogue = [*LOG_IN, *GAME, ([*SERIES_OVER, SCORE, FINISH], NOTHING)]
MESSAGES = [message for messages, _ in WHOLE for message in messages]

CALLS = [
    ("series_start", -200, 2, [[-200, 2], [999, 1]], 1, [3]),
    ("game_start", 2),
    ("get_action", EMPTY),
    ("get_action", LATER),
    ("game_over", 2, WON),
    ("series_over", [[-200, 2, 1, 0], [999, 1, 0, 1]]),
    ("tournament_over", 100.0),
]


def script_of(
    dialogue: Dialogue, receive: Callable[[Peer], object] = Peer.receive_json
) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        for messages, answer in dialogue:
            peer.send_json(*messages)
            if answer is not NOTHING:
                assert receive(peer) == answer

    return script


def run(
    certificates: Certificates,
    script: Callable[[Peer], None],
    player: Recorder | None = None,
    mode: str = "qualifiers",
    **given: Any,
) -> float | None:
    """Play with a scripted server."""
    options = session_options(**{"known": KNOWN, **given})
    with scripted_server(certificates, script) as port:
        server = Server("localhost", port, certificates[0])
        return ActorClient(player or Recorder(), server, options).run(mode)


def run_packets(certificates: Certificates, *packets: bytes) -> float | None:
    """Play with a server that sends these bytes and waits."""

    def script(peer: Peer) -> None:
        peer.send(*packets)
        peer.wait_until_left()

    return run(certificates, script)
