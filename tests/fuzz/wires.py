"""The doors of both protocols: what a server sends to our client, and a client to our server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import struct
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, cast

from base.storage import excerpt
from oht_client import answers, messages
from oht_client.errors import OHTError
from oht_client.flat import FlatError, action_at
from oht_client.server.connection import Gone, WireFault
from oht_client.server.wires import Accounts, JSONWire, TextWire
from oht_client.text_reader import TextReader
from oht_client.transport import Connection, ConnectionEndedError
from state_manager import make_game
from tests.fuzz.door import Door, Enter, fault_of
from tests.fuzz.mutation import broken, edited, value

TEXT_MESSAGES = (
    "Series start 1337 [(1337, 1), (-5, 2)] 25 [3]",
    "Game start 1",
    "(1, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    "[2, 1, 0, 0, 0, 0, 0, 0, 0, 0]",
    "Game end 2 (1, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    "Series end [(1337, 1, 3, 2), (-5, 2, 2, 3)]",
)
LAST = ("Tournament end 98.5", "Illegal action (1, 0, 0) '(9, 9)'", "The read operation timed out")

JSON_MESSAGES: list[dict[str, Any]] = [
    {"topic": "question", "question": "qualify", "prompt": "Do you want to attempt to qualify?"},
    {
        "topic": "series_start", "unique_player_id": 7, "player_id_map": [[7, 1], [-5, 2]],
        "num_games": 25, "game_params": [3],
    },
    {"topic": "game_start", "start_player": 1},
    {"topic": "request_action", "state": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
    {"topic": "game_over", "winner": 2, "end_state": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
    {"topic": "series_over", "stats": [[7, 1, 3, 2], [-5, 2, 2, 3]]},
    {"topic": "tournament_over", "score": 98.5},
]  # fmt: skip


class Pieces:
    """A client's connection to a server that says some bytes, in pieces, and leaves."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        self._data = data
        self._rng = rng

    def receive(self, most: int = 4096) -> bytes:
        """Return some of the bytes."""
        if not (received := self.receive_within(0.0, most)):
            raise ConnectionEndedError("localhost:1: the server closed the connection")
        return received

    def receive_within(self, seconds: float, most: int = 4096) -> bytes:
        """Return some of the bytes, or none."""
        length = min(most, self._rng.choice([1, 5, 4096]))
        piece, self._data = self._data[:length], self._data[length:]
        return piece


def text_client(folder: Path) -> Enter:
    """Return what reads the first generation's messages."""

    def enter(rng: random.Random) -> None:
        said = [rng.choice(TEXT_MESSAGES) for _ in range(rng.randint(0, 4))] + [rng.choice(LAST)]
        data = "".join(said).encode()
        logs_in = rng.random() < 0.3
        if logs_in:
            data = b"Please enter your username: Welcome! Series start 1 [(1, 1)] 5 [3]" + data
        data = broken(data, rng) if rng.random() < 0.8 else data
        reader = TextReader(cast(Connection, Pieces(data, rng)))
        if logs_in:
            assert answers.printable(reader.prompt()).isprintable()
            reader.skip_to_series()
        while _take_message(reader):
            pass

    return enter


def _take_message(reader: TextReader) -> bool:
    """Take one message as the client does; return whether another may follow."""
    hook, content = reader.message()
    messages.hook_arguments(hook, content)
    return hook not in ("tournament_over", "illegal_action")


def json_client(folder: Path) -> Enter:
    """Return what reads the second generation's messages."""

    def enter(rng: random.Random) -> None:
        message = rng.choice(JSON_MESSAGES)
        body = json.dumps(edited(message, rng) if rng.random() < 0.8 else message).encode()
        body = broken(body, rng) if rng.random() < 0.4 else body
        length = len(body) if rng.random() < 0.9 else rng.choice([0, -1, 5, 2**31 - 1])
        connection = Pieces(struct.pack("<i", length) + body, rng)
        received = messages.receive_message(cast(Connection, connection))
        match messages.field(received, "topic"):
            case "request_action":
                messages.hook_arguments("get_action", received)
            case "series_start" | "game_start" | "game_over" | "series_over" | "tournament_over":
                messages.hook_arguments(str(received["topic"]), received)
            case topic:
                assert not (fault := fault_of(excerpt(topic))), fault

    return enter


class Guestbook:
    """A server's connection to a client who has said some bytes, and left."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self.said: list[bytes] = []

    async def send(self, data: bytes) -> None:
        """Keep what is said to the client."""
        self.said.append(data)

    @contextlib.asynccontextmanager
    async def reading(self, seconds: float | None) -> AsyncIterator[asyncio.StreamReader]:
        """Give the next bytes, then the end."""
        reader = asyncio.StreamReader()
        reader.feed_data(self._pieces.pop(0) if self._pieces else b"")
        reader.feed_eof()
        try:
            yield reader
        except (EOFError, OSError) as error:
            raise Gone("disconnected") from error

    def acknowledge_quickly(self) -> None:
        """Do nothing."""


TEXT_ANSWERS = ("kari", "secret", "Kari", "n", "(0, 1)", "[1, 1]", "(2, 2)")
JSON_ANSWERS = ('"token"', "false", "[0, 1]", "[1, 1]", "[2, 0]")


def text_server(folder: Path) -> Enter:
    """Return what a server of the first generation hears: a log-in, then moves."""
    game = make_game("hex", size=3)

    async def session(connection: Any) -> None:
        wire = TextWire(connection, None, 1.0, game)
        assert not (fault := fault_of((await wire.log_in(Accounts(1, 2)))[1])), fault
        state = [1] + [0] * 9
        for _ in range(3):
            answer = await wire.request_action(state)
            try:
                action_at(game, answer)
            except FlatError:
                await wire.illegal_action(state, answer)

    return lambda rng: _serve(session, _answers(TEXT_ANSWERS, rng), 1024)


def json_server(folder: Path) -> Enter:
    """Return what a server of the second generation hears: a log-in, then moves."""
    game = make_game("hex", size=3)

    async def session(connection: Any) -> None:
        wire = JSONWire(connection, None, 1.0, game)
        await wire.log_in(Accounts(1, 2))
        state = [1] + [0] * 9
        for _ in range(3):
            answer = await wire.request_action(state)
            try:
                action_at(game, answer)
            except FlatError:
                await wire.illegal_action(state, answer)

    def enter(rng: random.Random) -> None:
        frames = [struct.pack("<i", len(body)) + body for body in _answers(JSON_ANSWERS, rng)]
        if rng.random() < 0.3:
            frames = [broken(frame, rng) for frame in frames]
        _serve(session, frames, 65_540)

    return enter


def _answers(answers: Sequence[str], rng: random.Random) -> list[bytes]:
    """Return the answers of a client, some of them broken, or something else."""
    said = [answer.encode() for answer in answers]
    for place in range(len(said)):
        if rng.random() < 0.15:
            said[place] = broken(said[place], rng)
        elif rng.random() < 0.1:
            said[place] = json.dumps(value(rng)).encode()
    return said[: rng.choice([1, 3, 9, 9, 9])]


def _serve(session: Any, said: list[bytes], most: int) -> None:
    """Lead a session; all that the client is told is of bounded length."""
    connection = Guestbook(said)
    try:
        asyncio.run(session(connection))
    finally:
        assert all(len(data) <= most for data in connection.said)


DOORS = {
    "text protocol, client": Door((OHTError,), text_client),
    "JSON protocol, client": Door((OHTError,), json_client),
    "text protocol, server": Door((WireFault,), text_server),
    "JSON protocol, server": Door((WireFault,), json_server),
}
