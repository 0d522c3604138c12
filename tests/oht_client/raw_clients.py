"""Clients over plain sockets with exactly the behaviour of the course's own clients."""

import json
import socket
import ssl
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from base.syntax import literal
from tests.project import TIMEOUT

PASSWORD = "correct horse battery staple"
_KEYWORDS = ("username", "password", "Welcome", "Invalid credentials", "player-name", "qualify")
_COMMANDS = {
    "Series start": ("series_start", 4),
    "Game start": ("game_start", 1),
    "Game end": ("game_over", 2),
    "Series end": ("series_over", 1),
    "Tournament end": ("tournament_over", 1),
    "Illegal action": ("illegal_action", 2),
}


def dial(port: int, certificate: Path) -> ssl.SSLSocket:
    """Connect as both clients do: IPv4, TLS at once, the host's name not checked."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(certificate)
    plain = socket.create_connection(("127.0.0.1", port), TIMEOUT)
    try:
        return context.wrap_socket(plain)
    except BaseException:
        plain.close()
        raise


def first_free_cell(state: Sequence[int]) -> tuple[int, int]:
    size = int((len(state) - 1) ** 0.5)
    row, column = divmod(list(state[1:]).index(0), size)
    return row, column


@dataclass
class Client:
    """What the clients of both generations share; ``auth`` is a user name or a token."""

    port: int
    certificate: Path
    choose: Callable[[Sequence[int]], object] = first_free_cell
    auth: object = "kari"
    qualify: object = False
    name: str = "Nick"
    password: str = PASSWORD
    messages: list[tuple[Any, ...]] = field(default_factory=list)
    score: float | None = None

    player: int = field(default=-1, init=False)
    last: ClassVar[Sequence[str]]

    def __post_init__(self) -> None:
        self.sock = dial(self.port, self.certificate)

    @property
    def answers(self) -> Mapping[str, object]:
        raise NotImplementedError

    def calls(self, topic: str) -> list[Any]:
        return [values for name, *values in self.messages if name == topic]

    def run(self) -> None:
        """Play to the end, an error of the server, or an ``OSError``."""
        with self.sock:
            while self.step() not in self.last:
                pass

    def step(self) -> str:
        """Receive a message, answer it if it wants an answer, and return its topic."""
        topic, *values = self.receive()
        if topic == "request_action":
            assert values[0][0] == self.player
            self.send(self.choose(values[0]))
        elif topic in self.answers:
            self.send(self.answers[topic])
        elif topic == "series_start":
            self.player = dict(values[1])[values[0]]
        elif topic == "tournament_over":
            (self.score,) = values
        return str(topic)

    def first_request(self) -> Sequence[int]:
        """Log in, and read until a move is requested; return the state."""
        for _ in self.answers:
            self.step()
        while (message := self.receive())[0] != "request_action":
            pass
        state: Sequence[int] = message[1]
        return state

    def receive(self) -> tuple[Any, ...]:
        self.messages.append(self.read())
        return self.messages[-1]

    def read(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def send(self, answer: Any) -> None:
        raise NotImplementedError


class TextClient(Client):
    last = ("tournament_over", "illegal_action", "Invalid credentials", "no keyword")

    @property
    def answers(self) -> Mapping[str, object]:
        qualify = "Y" if self.qualify is True else self.qualify or "n"
        words = ("username", "password", "player-name", "qualify")
        return dict(zip(words, (self.auth, self.password, self.name, qualify), strict=True))

    def read(self) -> tuple[Any, ...]:
        """Return a message and its values, each of which one ``recv`` brings."""
        text = self.sock.recv(1024).decode()
        if text in _COMMANDS:
            topic, count = _COMMANDS[text]
            return topic, *(literal(self.sock.recv(1024).decode()) for _ in range(count))
        if text.startswith("("):
            assert text == str(literal(text))
            return "request_action", literal(text)
        return next((word for word in _KEYWORDS if word in text), "no keyword"), text

    def send(self, answer: object) -> None:
        self.sock.send(str(answer).encode())


class JSONClient(Client):
    last = ("finish", "error")

    @property
    def answers(self) -> Mapping[str, object]:
        return {"authentication": self.auth, "question": self.qualify}

    def read(self) -> tuple[Any, ...]:
        (length,) = struct.unpack("i", self._exactly(4))
        return tuple(json.loads(self._exactly(length)).values())

    def send(self, answer: object) -> None:
        body = json.dumps(answer).encode()
        self.sock.send(struct.pack("i", len(body)))
        self.sock.send(body)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.sock.recv(count - len(data))
            if not part:
                raise OSError("Received empty string")
            data += part
        return data
