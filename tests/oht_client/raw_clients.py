"""Clients over plain sockets with exactly the behaviour of the course's own clients.

They are written from the protocol's description, trust every message, and import nothing of our
tournaments: a server that plays whole tournaments with them plays them with the real ones too.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import socket
import ssl
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from base.syntax import literal
from tests.project import TIMEOUT

Choose = Callable[[Sequence[int]], object]
Hook = tuple[Any, ...]


def dial(port: int, certificate: Path) -> ssl.SSLSocket:
    """Connect as both clients do: IPv4, TLS at once, the host's name not checked."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificate)
    plain = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    plain.settimeout(TIMEOUT)
    try:
        plain.connect(("127.0.0.1", port))
        return context.wrap_socket(plain)
    except BaseException:
        plain.close()
        raise


def first_free_cell(state: Sequence[int]) -> tuple[int, int]:
    """Return the first empty cell."""
    size = int((len(state) - 1) ** 0.5)
    row, column = divmod(list(state[1:]).index(0), size)
    return row, column


PASSWORD = "correct horse battery staple"

_TEXT_HOOKS = {
    "Game start": ("game_start", 1),
    "Game end": ("game_over", 2),
    "Series end": ("series_over", 1),
    "Illegal action": ("illegal_action", 2),
}
_JSON_HOOKS = {
    "game_start": ["start_player"],
    "game_over": ["winner", "end_state"],
    "series_over": ["stats"],
}


class Client:
    """What the clients of both generations share; ``auth`` is a user name or a token.

    Attributes:
        hooks: Every call of a hook: its name, then its arguments.
        question: The question whether to qualify.
        score: The score in the last message.
    """

    log_in_answers: list[object]

    def __init__(
        self, port: int, certificate: Path, choose: Choose, auth: object, qualify: object
    ) -> None:
        """Connect to a server."""
        self.hooks: list[Hook] = []
        self.question = ""
        self.score: float | None = None
        self.choose, self.auth, self.qualify = choose, auth, qualify
        self.sock = dial(port, certificate)

    def calls(self, hook: str) -> list[Any]:
        """Return the arguments of every call of a hook."""
        return [arguments for name, *arguments in self.hooks if name == hook]

    def log_in(self, questions: int | None = None) -> None:
        """Answer the first questions of the log-in, by default all."""
        for answer in self.log_in_answers[:questions]:
            self.receive()
            self.send(answer)

    def receive(self) -> Any:
        """Return the next message."""
        raise NotImplementedError

    def send(self, answer: Any) -> None:
        """Answer a message."""
        raise NotImplementedError


class TextClient(Client):
    """The first generation's client.

    Attributes:
        prompts: Every text of the log-in.
    """

    def __init__(
        self,
        port: int,
        certificate: Path,
        choose: Choose = first_free_cell,
        auth: str = "kari",
        qualify: str | bool = False,
        nickname: str = "Nick",
        password: str = PASSWORD,
    ) -> None:
        """Connect to a server."""
        super().__init__(port, certificate, choose, auth, qualify)
        self.prompts: list[str] = []
        answer = qualify if isinstance(qualify, str) else "Y" if qualify else "n"
        self.log_in_answers = [auth, password, nickname, answer]

    def run(self) -> None:
        """Log in and play to the end, whatever happens."""
        with contextlib.suppress(SystemExit):
            username, password, nickname, qualify = map(str, self.log_in_answers)
            answers = {"username": username, "player-name": nickname, "qualify": qualify}
            self.connect_to_server(
                lambda prompt: next(answers[word] for word in answers if word in prompt),
                lambda prompt: password,
            )

    def first_request(self) -> tuple[int, ...]:
        """Log in, and read until a move is requested; return the state."""
        self.log_in()
        assert "Welcome" in self.receive()
        words = [self.receive() for _ in range(8)]
        assert (words[0], words[5]) == ("Series start", "Game start")
        state: tuple[int, ...] = literal(words[7])
        return state

    def connect_to_server(
        self,
        ask: Callable[[str], str] = lambda prompt: input(prompt),
        ask_secret: Callable[[str], str] = lambda prompt: getpass.getpass(prompt),
    ) -> None:
        """Log in and play; ends in ``SystemExit``, whatever happens."""
        while True:
            text = self.receive()
            self.prompts.append(text)
            if "username" in text:
                self.send(ask(text))
            elif "password" in text:
                self.send(ask_secret(text))
            elif "Welcome" in text:
                self.play_tournament()
                break
            elif "Invalid credentials" in text:
                break
            elif "player-name" in text or "qualify" in text or "stress" in text:
                self.question = text
                self.send(ask(text))
            else:  # among others "Sorry", and no text at all, which is what a closed one brings
                break
        self.sock.close()
        sys.exit()

    def play_tournament(self) -> None:
        """Follow the commands of the server."""
        series_id = -1
        while True:
            word = self.receive()
            if word == "Series start":
                unique_id, player_map, *others = (self.value() for _ in range(4))
                series_id = next(number for player, number in player_map if player == unique_id)
                self.hooks.append(("series_start", unique_id, series_id, player_map, *others))
            elif word == "Tournament end":
                self.score = self.value()
                break
            elif word in _TEXT_HOOKS:
                hook, count = _TEXT_HOOKS[word]
                self.hooks.append((hook, *(self.value() for _ in range(count))))
                if hook == "illegal_action":
                    break
            else:
                state = literal(word)
                assert word == str(state)
                assert state[0] == series_id
                action = self.choose(state)
                self.hooks.append(("get_action", state, action))
                self.send(action)

    def receive(self) -> str:
        """Return what one ``recv`` brings."""
        return self.sock.recv(1024).decode()

    def send(self, answer: object) -> None:
        """Send the text of an answer."""
        self.sock.send(str(answer).encode())

    def value(self) -> Any:
        """Return the literal that one ``recv`` brings."""
        return literal(self.receive())


class ClientError(Exception):
    """The second generation's client raises this at the topic ``error``."""


class JSONClient(Client):
    """The second generation's client.

    Attributes:
        topics: The topic of every message.
        notices: The texts of all ``message`` topics.
    """

    def __init__(
        self,
        port: int,
        certificate: Path,
        choose: Choose = first_free_cell,
        auth: object = "0123456789abcdef0123456789abcdef",
        qualify: object = False,
    ) -> None:
        """Connect to a server."""
        super().__init__(port, certificate, choose, auth, qualify)
        self.topics: list[str] = []
        self.notices: list[str] = []
        self.log_in_answers = [auth, qualify]

    def first_request(self) -> list[int]:
        """Log in, and read until a move is requested; return the state."""
        self.log_in()
        topics = [self.receive()["topic"] for _ in range(2)]
        assert topics == ["series_start", "game_start"]
        state: list[int] = self.receive()["state"]
        return state

    def run(self) -> None:
        """Play until the topic ``finish``.

        Raises:
            ClientError: The server sends the topic ``error``.
            OSError: The connection ended.
        """
        series_id = -1
        with self.sock:
            while True:
                message = self.receive()
                topic = message["topic"]
                self.topics.append(topic)
                if topic == "finish":
                    return
                if topic == "error":
                    raise ClientError(message["error"])
                if topic == "message":
                    assert message["level"] in ("INFO", "WARNING", "ERROR")
                    self.notices.append(message["message"])
                elif topic == "authentication":
                    self.send(self.auth)
                elif topic == "question":
                    assert message["question"] == "qualify"
                    self.question = message["prompt"]
                    self.send(self.qualify)
                elif topic == "series_start":
                    unique_id, player_map = message["unique_player_id"], message["player_id_map"]
                    series_id = next(number for player, number in player_map if player == unique_id)
                    others = message["num_games"], message["game_params"]
                    self.hooks.append((topic, unique_id, series_id, player_map, *others))
                elif topic == "request_action":
                    state = message["state"]
                    assert state[0] == series_id
                    action = self.choose(state)
                    self.hooks.append(("get_action", state, action))
                    self.send(action)
                elif topic in _JSON_HOOKS:
                    self.hooks.append((topic, *(message[key] for key in _JSON_HOOKS[topic])))
                elif topic == "tournament_over":
                    self.score = message["score"]
                else:
                    raise RuntimeError(f"Received unexpected message from server {message}")

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        (length,) = struct.unpack("i", self.exactly(4))
        message: dict[str, Any] = json.loads(self.exactly(length))
        return message

    def send(self, action: object) -> None:
        """Answer, in two parts."""
        body = json.dumps(action).encode()
        self.sock.send(struct.pack("i", len(body)))
        self.sock.send(body)

    def exactly(self, count: int) -> bytes:
        """Return exactly ``count`` bytes."""
        data = b""
        while len(data) < count:
            part = self.sock.recv(count - len(data))
            if not part:
                raise OSError("Received empty string")
            data += part
        return data
