"""The input boundaries of both protocols: messages to our client, and to our server."""

import asyncio
import contextlib
import json
import random
import struct
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, cast

from base.storage import excerpt
from oht_client import json_wire
from oht_client.answers import Answers, SessionOptions
from oht_client.server.clients import Accounts, Client, JSONClient, TextClient
from oht_client.server.connection import Gone, WireFault
from oht_client.text_wire import TextWire
from online import messages
from online.errors import TournamentError
from online.flat import FlatError, action_at
from state_manager import make_game
from tests.fuzz.boundary import Boundary, Enter, fault_of
from tests.fuzz.mutation import broken, edited, value
from tests.oht_client.generations import SECOND
from tests.oht_client.scripted_server import Line

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
    *(message for sent, _ in (*SECOND.log_in[2:], *SECOND.game) for message in sent),
    *(*SECOND.over, SECOND.end[0]),
]


class Pieces(Line):
    """A client's connection to a server that sends some bytes, in pieces, and disconnects."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        pieces = []
        while data:
            length = rng.choice([1, 5, 4096])
            pieces.append(data[:length])
            data = data[length:]
        super().__init__([(pieces, None)])

    def send(self, message: bytes) -> None:
        """Do nothing."""


def text_client(folder: Path) -> Enter:
    begin = "Welcome! Series start 1 [(1, 1)] 5 [3]"

    def enter(rng: random.Random) -> None:
        sent = [rng.choice(TEXT_MESSAGES) for _ in range(rng.randint(0, 4))] + [rng.choice(LAST)]
        data = "".join(sent).encode()
        data = broken(data, rng) if rng.random() < 0.8 else data
        prompt = rng.choice(["", "", "Please enter your username: "])
        data = f"{prompt}{begin}".encode() + data
        data = broken(data, rng) if rng.random() < 0.2 else data
        known = {"username": "me", "password": "secret", "player-name": "me", "qualify": "n"}
        told: list[str] = []
        options = SessionOptions(Answers({**known, "stress": "n"}), told.append)
        try:
            for hook, content in TextWire(Pieces(data, rng), options).messages():
                messages.hook_arguments(hook, content)
        finally:
            assert all(map(str.isprintable, told))

    return enter


def json_client(folder: Path) -> Enter:

    def enter(rng: random.Random) -> None:
        message = rng.choice(JSON_MESSAGES)
        body = json.dumps(edited(message, rng) if rng.random() < 0.8 else message).encode()
        body = broken(body, rng) if rng.random() < 0.4 else body
        length = len(body) if rng.random() < 0.9 else rng.choice([0, -1, 5, 2**31 - 1])
        connection = Pieces(struct.pack("<i", length) + body, rng)
        received = json_wire.receive_message(connection)
        match messages.field(received, "topic"):
            case "request_action":
                messages.hook_arguments("get_action", received)
            case "series_start" | "game_start" | "game_over" | "series_over" | "tournament_over":
                messages.hook_arguments(str(received["topic"]), received)
            case topic:
                assert not (fault := fault_of(excerpt(topic))), fault

    return enter


class RecordingConnection:
    """A server's connection to a client that has sent some bytes and disconnected."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self.sent: list[bytes] = []

    async def send(self, data: bytes) -> None:
        """Record what is sent to the client."""
        self.sent.append(data)

    @contextlib.asynccontextmanager
    async def reading(self, seconds: float | None) -> AsyncIterator[asyncio.StreamReader]:
        """Yield a reader of the next bytes, then the end."""
        reader = asyncio.StreamReader()
        reader.feed_data(self._pieces.pop(0) if self._pieces else b"")
        reader.feed_eof()
        try:
            yield reader
        except (EOFError, OSError) as error:
            raise Gone("disconnected") from error

    def acknowledge_quickly(self) -> None:
        """Do nothing."""


TEXT_REPLIES = ("kari", "secret", "Kari", "n", "(0, 1)", "[1, 1]", "(2, 2)")
JSON_REPLIES = ('"token"', "false", "[0, 1]", "[1, 1]", "[2, 0]")


async def _session(client: Client) -> None:
    """Log a client in, and ask for some moves."""
    assert not (fault := fault_of((await client.log_in(Accounts(1, 2)))[1])), fault
    state = [1] + [0] * 9
    for _ in range(3):
        move = await client.request_action(state)
        try:
            action_at(client.game, move)
        except FlatError:
            await client.illegal_action(state, move)


def text_server(folder: Path) -> Enter:
    return lambda rng: _serve(TextClient, _replies(TEXT_REPLIES, rng), 1024)


def json_server(folder: Path) -> Enter:

    def enter(rng: random.Random) -> None:
        frames = [struct.pack("<i", len(body)) + body for body in _replies(JSON_REPLIES, rng)]
        if rng.random() < 0.3:
            frames = [broken(frame, rng) for frame in frames]
        _serve(JSONClient, frames, 65_540)

    return enter


def _replies(replies: Sequence[str], rng: random.Random) -> list[bytes]:
    """Return the replies of a client, some of them broken or replaced."""
    sent = [reply.encode() for reply in replies]
    for place in range(len(sent)):
        if rng.random() < 0.15:
            sent[place] = broken(sent[place], rng)
        elif rng.random() < 0.1:
            sent[place] = json.dumps(value(rng)).encode()
    return sent[: rng.choice([1, 3, 9, 9, 9])]


def _serve(kind: type[TextClient | JSONClient], received: list[bytes], most: int) -> None:
    """Run a session; each message to the client has a bounded length."""
    connection = RecordingConnection(received)
    client = kind(cast(Any, connection), None, 1.0, make_game("hex", size=3))
    try:
        asyncio.run(_session(client))
    finally:
        assert all(len(data) <= most for data in connection.sent)


BOUNDARIES = {
    "text protocol, client": Boundary((TournamentError,), text_client),
    "JSON protocol, client": Boundary((TournamentError,), json_client),
    "text protocol, server": Boundary((WireFault,), text_server),
    "JSON protocol, server": Boundary((WireFault,), json_server),
}
