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

from oht_client.server.accounts import Account, Accounts
from oht_client.server.connection import Full, TooLate, WireFault
from oht_client.server.wire import Wire

MOST_BYTES = 1024

_COMMANDS = {
    "series_start": "Series start",
    "game_start": "Game start",
    "game_over": "Game end",
    "series_over": "Series end",
    "tournament_over": "Tournament end",
    "illegal_action": "Illegal action",
}
_PLAIN_LITERAL = re.compile(r"[\d\s()\[\],+-]*", re.ASCII)
_LONGEST_NICKNAME = 40


class Entry(NamedTuple):
    """What came out of a log-in."""

    account: Account
    nickname: str
    official: bool


class TextWire(Wire):
    """A client of the first generation."""

    async def log_in(self, accounts: Accounts) -> Entry:
        """Ask all questions up to the welcome; any user name and password will do.

        Raises:
            WireFault: The client was refused, or did not stay.
        """
        username = await self._ask("Please enter your username: ")
        has_password = await self._ask("Please enter your password: ") != ""
        if not (username and has_password):
            await self._send("Invalid credentials.")
            raise WireFault("said nothing for a user name or a password")
        account = accounts.account(username)
        nickname = _printable(await self._ask("Please enter a player-name: "))
        count = account.attempts_left
        answer = await self._ask(
            "Do you want to qualify, that is, to attempt to play an official tournament?"
            f" You have {count} remaining attempt{'' if count == 1 else 's'}. (Y/n) "
        )
        # What is not clearly a yes must not cost an attempt.
        official = answer.lower() in ("y", "yes")
        if official and not account.take_attempt():
            await self._send("Sorry, you have no attempts left.")
            raise WireFault(f"{nickname} has no attempts left")
        await self._send("Welcome! The tournament begins.")
        return Entry(account, nickname, official)

    async def say(self, topic: str, **content: object) -> None:
        """See ``Wire``; each value is a message, after the command word. A state needs none."""
        command = [] if topic == "request_action" else [_COMMANDS[topic]]
        await self._send(*command, *content.values())

    async def receive(self, seconds: float | None) -> object:
        """See ``Wire``; an answer that is no literal is returned as its text."""
        return _literal(await self._receive(seconds))

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Wire``: it ends the session."""
        shown = repr(action)
        if len(shown.encode()) > MOST_BYTES:
            shown = ascii(f"{shown[:80]}...")
        await self.say("illegal_action", state=tuple(state), action=shown)
        raise WireFault("sent an illegal action")

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
        async with self._connection.reading(seconds) as reader:
            data = await reader.read(MOST_BYTES)
            if not data:
                raise EOFError
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
