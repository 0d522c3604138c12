"""The messages between a tournament and a client, in the formats of both generations.

The first generation sends bare strings over TLS, without a frame. The client receives each with one
``recv(1024)``: one write makes one TLS record, so each message is one write of at most 1024 bytes.
During the log-in the client searches each text for keywords, in the order of the protocol, and the
first match counts; so no text holds an earlier keyword, or any input of the client. The second
generation sends JSON, each message after its length.
"""

import abc
import contextlib
import json
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from oht_client.json_wire import LENGTH, MOST_BYTES, framed
from oht_client.server.connection import ClientConnection, TooLate, WireFault
from oht_client.server.series import SeriesSide
from oht_client.text_wire import COMMANDS
from oht_client.text_wire import MOST_BYTES as _MOST_TEXT_BYTES
from online.flat import FlatError, action_at
from online.messages import literal_or_text
from state_manager import State, StateManager

_LONGEST_NICKNAME = 40


@dataclass
class Account:
    """A user name or a token; ``name`` replaces a missing nickname."""

    name: str
    unique_id: int
    attempts_left: int
    attempts_made: int = 0

    def take_attempt(self) -> bool:
        """Use up an attempt, if one is left."""
        if self.attempts_left == 0:
            return False
        self.attempts_left -= 1
        self.attempts_made += 1
        return True


class Accounts:
    """All accounts of one generation by user name or token, in memory only."""

    def __init__(self, first_id: int, attempts: int) -> None:
        """Assign ids from ``first_id``, and ``attempts`` to each account."""
        self._first_id, self._attempts = first_id, attempts
        self._accounts: dict[str, Account] = {}

    def account(self, name: str) -> Account:
        """Return the account of this user name or token."""
        before = len(self._accounts)
        new = Account(f"guest {before + 1}", self._first_id + before, self._attempts)
        return self._accounts.setdefault(name, new)


@dataclass(eq=False)
class Client(SeriesSide):
    """A connected client, with name and id once logged in; each method may raise ``WireFault``.

    Only requests wait, and only they detect a lost client: messages to a lost client are dropped.
    That is safe because a client is sent little between two requests. The limits are those of a
    move, and of an answer at log-in, in seconds; ``None``: no limit.
    """

    connection: ClientConnection
    move_limit: float | None
    answer_limit: float
    game: StateManager
    illegal_actions: int = 0

    async def choose_action(self, state: State) -> int | None:
        """Request a move, and check it; see ``SeriesSide``."""
        flat = self.game.to_flat(state)
        try:
            reply = await self.request_action(flat)
            with contextlib.suppress(FlatError):
                action = action_at(self.game, reply)
                if action in self.game.legal_actions(state):
                    return action
            self.illegal_actions += 1
            await self.illegal_action(flat, reply)
            return None
        except WireFault as fault:
            self.fault = fault
            await self.reject(fault)
            raise

    @abc.abstractmethod
    async def log_in(self, accounts: Accounts) -> tuple[Account, str, bool]:
        """Log in with any name and secret; return account, nickname, and whether it is official."""

    async def request_action(self, state: Sequence[int]) -> object:
        """Request a move in a flat state; return the reply unchecked."""
        await self.say("request_action", state=tuple(state))
        return await self.receive(self.move_limit)

    @abc.abstractmethod
    async def receive(self, seconds: float | None) -> object:
        """Return the next answer, if it arrives in time."""

    @abc.abstractmethod
    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """Report an illegal move; in the first generation that ends the session."""

    @abc.abstractmethod
    async def reject(self, fault: WireFault) -> None:
        """Send the reason for an early end of the session, as far as this generation can."""


class TextClient(Client):
    """A client of the first generation."""

    async def log_in(self, accounts: Accounts) -> tuple[Account, str, bool]:
        """See ``Client``."""
        username = await self._ask("Please enter your username: ")
        has_password = await self._ask("Please enter your password: ") != ""
        if not (username and has_password):
            await self._send("Invalid credentials.")
            raise WireFault("sent an empty user name or password")
        account = accounts.account(username)
        given = await self._ask("Please enter a player-name: ")
        kept = "".join(filter(str.isprintable, given))  # safe to print on a terminal
        nickname = kept[:_LONGEST_NICKNAME].strip() or "nameless"
        answer = await self._ask(
            "Do you want to qualify, that is, to attempt to play an official tournament?"
            f" You have {counted(account.attempts_left, 'remaining attempt')}. (Y/n) "
        )
        # Only a clear yes may cost an attempt.
        official = answer.lower() in ("y", "yes")
        if official and not account.take_attempt():
            await self._send("Sorry, you have no attempts left.")
            raise WireFault(f"{nickname} has no attempts left")
        await self._send("Welcome! The tournament begins.")
        return account, nickname, official

    async def say(self, topic: str, **content: object) -> None:
        """See ``Client``; each value is a message, after the command word. A state needs none."""
        command = [] if topic == "request_action" else [COMMANDS[topic]]
        await self._send(*command, *content.values())

    async def receive(self, seconds: float | None) -> object:
        """See ``Client``; an answer that is no literal is returned as its text."""
        return literal_or_text(await self._receive(seconds))

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Client``."""
        shown = repr(action)
        if len(shown.encode()) > _MOST_TEXT_BYTES:
            shown = ascii(f"{shown[:80]}...")
        await self.say("illegal_action", state=tuple(state), action=shown)
        raise WireFault("sent an illegal action")

    async def reject(self, fault: WireFault) -> None:
        """See ``Client``: only a late client is told, in the real server's words."""
        if isinstance(fault, TooLate):
            await self._send("The read operation timed out")

    async def _ask(self, prompt: str) -> str:
        await self._send(prompt)
        return await self._receive(self.answer_limit)

    async def _receive(self, seconds: float | None) -> str:
        async with self.connection.reading(seconds) as reader:
            data = await reader.read(_MOST_TEXT_BYTES)
            if not data:
                raise EOFError
        return data.decode(errors="replace").strip()

    async def _send(self, *messages: object) -> None:
        for message in messages:
            await self.connection.send(str(message).encode())


class JSONClient(Client):
    """A client of the second generation, which has no nickname."""

    async def authenticate(self, accounts: Accounts) -> Account:
        """Ask for the token, accept any, and do not store it."""
        await self.say("authentication")
        token = await self.receive(self.answer_limit)
        if not isinstance(token, str) or not token.strip():
            raise WireFault("expected an API token, a text")
        return accounts.account(token.strip())

    async def log_in(self, accounts: Accounts) -> tuple[Account, str, bool]:
        """See ``Client``."""
        account = await self.authenticate(accounts)
        left = counted(account.attempts_left, "attempt")
        prompt = f"Do you want to attempt to qualify? ({left} left)"
        await self.say("question", question="qualify", prompt=prompt)
        official = await self.receive(self.answer_limit)
        if not isinstance(official, bool):
            raise WireFault("expected true or false")
        if official and not account.take_attempt():
            raise WireFault("no attempts left")
        return account, account.name, official

    async def say(self, topic: str, **content: object) -> None:
        """See ``Client``; the score is followed by the end of the session."""
        await self.connection.send(framed({"topic": topic, **content}))
        if topic == "tournament_over":
            await self.say("finish")

    async def receive(self, seconds: float | None) -> object:
        """See ``Client``; an answer that is no JSON is returned as ``None``."""
        async with self.connection.reading(seconds) as reader:
            self.connection.acknowledge_quickly()
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            if not 0 <= length <= MOST_BYTES:
                raise WireFault(f"expected a length from 0 to {MOST_BYTES}, got {length}")
            self.connection.acknowledge_quickly()
            body = await reader.readexactly(length)
        with contextlib.suppress(ValueError, RecursionError):
            return cast(object, json.loads(body.decode()))
        return None

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Client``: here it only loses the game."""
        text = f"illegal action {reprlib.repr(action)}: the game is lost"
        await self.say("message", message=text, level="ERROR")

    async def reject(self, fault: WireFault) -> None:
        """See ``Client``: the client raises an error with this text."""
        await self.say("error", error=str(fault))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
