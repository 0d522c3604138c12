"""The first generation's protocol: bare strings over TLS.

A message has no frame. The client takes each with one ``recv(1024)``, which works because one write
makes one TLS record: so each message is one write of at most 1024 bytes. During the log-in the
client goes by words that it finds in the text, the first that matches in the order of the protocol;
so no text holds an earlier word, or anything that the client itself has said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from oht_client.server.connection import Connection
from oht_client.server.registry import Guest, Registry
from oht_client.server.wire import (
    Full,
    Gone,
    IllegalAction,
    Refused,
    TooLate,
    WireFault,
    first_answer,
)

MOST_BYTES = 1024

_PLAIN_LITERAL = re.compile(r"[\d\s()\[\],+-]*", re.ASCII)
_LONGEST_NICKNAME = 40


class Entry(NamedTuple):
    """What came out of a log-in."""

    guest: Guest
    nickname: str
    official: bool


class TextWire:
    """A client of the first generation; see ``Wire``."""

    def __init__(
        self, connection: Connection, move_limit: float | None, answer_limit: float
    ) -> None:
        """Talk over a connection; limits are in seconds."""
        self._connection = connection
        self._move_limit = move_limit
        self._answer_limit = answer_limit

    async def log_in(self, registry: Registry) -> Entry:
        """Lead the dialogue up to the welcome; any user name and password will do.

        Raises:
            WireFault: The client was refused, or did not stay.
        """
        with first_answer():
            username = await self._ask("Please enter your username: ")
        has_password = await self._ask("Please enter your password: ") != ""
        if not (username and has_password):
            await self._send("Invalid credentials.")
            raise Refused("said nothing for a user name or a password")
        guest = registry.guest(username)
        nickname = _printable(await self._ask("Please enter a player-name: "))
        count = guest.attempts_left
        answer = await self._ask(
            "Do you want to qualify, that is, to attempt to play an official tournament?"
            f" You have {count} remaining attempt{'' if count == 1 else 's'}. (Y/n) "
        )
        # What is not clearly a yes must not cost an attempt.
        official = answer.lower() in ("y", "yes")
        if official and not guest.take_attempt():
            await self._send("Sorry, you have no attempts left.")
            raise Refused(f"{nickname} has no attempts left")
        await self._send("Welcome! The tournament begins.")
        return Entry(guest, nickname, official)

    async def series_start(
        self,
        unique_id: int,
        player_map: Sequence[tuple[int, int]],
        num_games: int,
        game_params: Sequence[int],
    ) -> None:
        """See ``Wire``."""
        await self._send("Series start", unique_id, list(player_map), num_games, list(game_params))

    async def game_start(self, start_player: int) -> None:
        """See ``Wire``."""
        await self._send("Game start", start_player)

    async def request_action(self, state: Sequence[int]) -> object:
        """See ``Wire``; an answer that is no literal is returned as its text."""
        await self._send(tuple(state))
        return _literal(await self._receive(self._move_limit))

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Wire``: it ends the session."""
        shown = repr(action)
        if len(shown.encode()) > MOST_BYTES:
            shown = ascii(f"{shown[:80]}...")
        await self._send("Illegal action", tuple(state), shown)
        raise IllegalAction("sent an illegal action")

    async def game_over(self, winner: int, end_state: Sequence[int]) -> None:
        """See ``Wire``."""
        await self._send("Game end", winner, tuple(end_state))

    async def series_over(self, stats: Sequence[tuple[int, int, int, int]]) -> None:
        """See ``Wire``."""
        await self._send("Series end", list(stats))

    async def tournament_over(self, score: float) -> None:
        """See ``Wire``."""
        await self._send("Tournament end", score)

    async def reject(self, fault: WireFault) -> None:
        """See ``Wire``: a late client hears what the real server said, a log-in can be refused."""
        if isinstance(fault, TooLate):
            await self._send("The read operation timed out")
        elif isinstance(fault, Full):
            await self._send(f"Sorry, {fault}.")

    async def _ask(self, prompt: str) -> str:
        await self._send(prompt)
        return await self._receive(self._answer_limit)

    async def _receive(self, seconds: float | None) -> str:
        """Return one answer, which is whatever one read brings."""
        async with self._connection.patience(seconds) as reader:
            data = await reader.read(MOST_BYTES)
        if not data:
            raise Gone("disconnected")
        return data.decode(errors="replace").strip()

    async def _send(self, *messages: object) -> None:
        """Send each message on its own."""
        for message in messages:
            data = str(message).encode()
            if len(data) > MOST_BYTES:
                raise ValueError(f"expected at most {MOST_BYTES} bytes, got {len(data)}")
            await self._connection.send(data)


def _literal(text: str) -> object:
    """Return the integers, tuples and lists that a text stands for, or the text itself.

    Other literals are no moves; kept from the parser, they cannot make it warn.
    """
    if not _PLAIN_LITERAL.fullmatch(text):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _printable(nickname: str) -> str:
    """Return a nickname that does no harm on a terminal."""
    kept = "".join(letter for letter in nickname if letter.isprintable())
    return kept[:_LONGEST_NICKNAME].strip() or "nameless"
