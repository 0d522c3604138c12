"""A whole tournament of the server's first generation, as a script; and our client in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oht_client.transport import Server
from tests.oht_client.scripted_server import (
    Peer,
    Recorder,
    play_with,
    scripted,
    scripted_server,
    session_options,
)

Certificates = tuple[Path, Path]
Dialogue = Sequence[tuple[Sequence[str], bytes | None]]

EMPTY = str((1, *[0] * 9))
LATER = str((1, 1, 2, *[0] * 7))
WON = str((2, 1, 2, 0, 1, 2, 0, 1, 0, 0))

# The messages of the server, one per packet, and the client's reply.
LOG_IN: Dialogue = [
    (["Please enter your username: "], b"somebody"),
    (["Please enter your password: "], b"a secret"),
    (["Choose a player-name: "], b"Nick"),
    (["Do you want to qualify? You have 5 attempts. (Y/n)"], b"n"),
]
SERIES = ["Series start", "1234567", "[(1234567, 1), (2020, 2)]", "1", "[3]"]
GAME: Dialogue = [
    (["Welcome to the tournament!", *SERIES, "Game start", "1", EMPTY], b"(0, 0)"),
    ([LATER], b"(0, 2)"),
]
END = [
    *("Game end", "1", WON),
    *("Series end", "[(1234567, 1, 1, 0), (2020, 2, 0, 1)]"),
    *("Tournament end", "100.0"),
]
WITHOUT_PROMPTS: Dialogue = [*GAME, (END, None)]
WHOLE: Dialogue = [*LOG_IN, *WITHOUT_PROMPTS]
MESSAGES = [message for messages, _ in WHOLE for message in messages]

KEPT = [len(MESSAGES) - len(END) + sent for sent in (3, 5)]
"""The numbers of messages up to the ends of the game and of the series."""

CALLS = [
    ("series_start", 1234567, 1, [(1234567, 1), (2020, 2)], 1, [3]),
    ("game_start", 1),
    ("get_action", (1, *[0] * 9)),
    ("get_action", (1, 1, 2, *[0] * 7)),
    ("game_over", 1, (2, 1, 2, 0, 1, 2, 0, 1, 0, 0)),
    ("series_over", [(1234567, 1, 1, 0), (2020, 2, 0, 1)]),
    ("tournament_over", 100.0),
]


def raw(message: str | bytes) -> bytes:
    """Return a message as it is sent."""
    return message if isinstance(message, bytes) else message.encode()


reply = Peer.receive


def script_of(dialogue: Dialogue) -> Callable[[Peer], None]:
    return scripted(dialogue, raw, reply)


def answers(prompt: str) -> str:
    known = {"username": "somebody", "player-name": "Nick", "qualify": "n", "official": "n"}
    return next(answer for word, answer in known.items() if word in prompt)


def play(
    certificates: Certificates,
    script: Callable[[Peer], None],
    player: Recorder | None = None,
    **options: Any,
) -> float | None:
    """Play with a scripted server."""
    usual = {"ask": answers, "ask_secret": lambda prompt: "a secret"}
    with scripted_server(certificates, script) as port:
        server = Server("localhost", port, certificates[0])
        return play_with(1, server, player or Recorder(), session_options(**usual | options))
