"""The client for the server's first generation."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from base.storage import excerpt
from oht_client import messages, transport
from oht_client.answers import SessionOptions, keyword_of, printable
from oht_client.errors import OHTError
from oht_client.flat import plain_coordinates
from oht_client.player import TournamentPlayer
from oht_client.text_reader import MOST_BYTES, TextReader
from oht_client.transport import Connection, Server

_MOST_IDLE = 10_000
"""Limit of messages in a row without a move or the end of a game; a league may report a wait."""


@dataclass
class TournamentClient:
    """The shared part of the clients of both generations, which call the hooks of ``player``."""

    player: TournamentPlayer
    server: Server
    options: SessionOptions
    _score: float | None = field(default=None, init=False)
    _idle: int = field(default=0, init=False)

    def _count(self, topic: str) -> None:
        """Count messages without progress in a game; raise ``OHTError`` if too many come."""
        self._idle = 0 if topic in ("request_action", "get_action", "game_over") else self._idle + 1
        if self._idle > _MOST_IDLE:
            messages.unexpected(f"a game within {_MOST_IDLE} messages", topic)

    def _call(self, hook: str, content: Mapping[str, object]) -> Any:
        """Call a hook with the checked content of a message; return its result."""
        arguments = messages.hook_arguments(hook, content)
        self._score = arguments.get("score", self._score)
        result = getattr(self.player, f"handle_{hook}")(*arguments.values())
        return plain_coordinates(result) if hook == "get_action" else result


class BasicClientActor(TournamentClient):
    """Connects to the server, logs in, and plays a tournament by calling seven hooks.

    It does the same as the course's file, and more: it always has a time limit, takes split or
    joined messages, and returns where that file calls ``exit()``.
    """

    def connect_to_server(self) -> float | None:
        """Connect, log in, and play one tournament; an early end raises an ``OHTError``.

        Return the score, the percentage of games won; ``None`` if the server refused a move.
        """
        with contextlib.closing(transport.connect(self.server, self.options)) as connection:
            reader = TextReader(connection)
            self._log_in(connection, reader)
            reader.skip_to_series()
            while True:
                hook, content = reader.message()
                self._count(hook)
                action = self._call(hook, content)
                if hook == "get_action":
                    _send(connection, str(action))
                elif hook in ("tournament_over", "illegal_action"):
                    return self._score

    def _log_in(self, connection: Connection, reader: TextReader) -> None:
        """Answer the server's questions until it says welcome."""
        while True:
            text = reader.prompt()
            match keyword_of(text):
                case "Welcome":
                    self.options.tell(printable(text))
                    return
                case "username" | "password" | "player-name" | "qualify" | "stress":
                    _send(connection, self.options.answers.ask(text))
                case "Invalid credentials" | "Sorry" | "no stress":
                    raise OHTError(f"the server refused the log-in: {excerpt(text)}")
                case _:
                    other = " (protocol 2?)" if '"topic"' in text else ""
                    messages.unexpected(f"a question or a welcome of protocol 1{other}", text)


def _send(connection: Connection, answer: str) -> None:
    message = answer.encode(errors="replace")
    if len(message) > MOST_BYTES:
        raise OHTError(f"expected an answer of at most {MOST_BYTES} bytes")
    connection.send(message)
