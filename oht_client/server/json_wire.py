"""The second generation's protocol: JSON over TLS, each message behind its length."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Sequence

from oht_client.json_frames import LENGTH, MOST_BYTES, framed
from oht_client.server.accounts import Account, Accounts
from oht_client.server.connection import WireFault
from oht_client.server.wire import Wire


class JSONWire(Wire):
    """A client of the second generation."""

    async def authenticate(self, accounts: Accounts) -> Account:
        """Ask for the token, any of which will do, and forget it at once.

        Raises:
            WireFault: The answer is no token, or there is none.
        """
        await self.say("authentication")
        token = await self.receive(self._answer_limit)
        if not isinstance(token, str) or not token.strip():
            raise WireFault("expected an API token, a text")
        return accounts.account(token.strip())

    async def qualify(self, account: Account) -> bool:
        """Ask whether an attempt is to be spent, and spend it.

        Raises:
            WireFault: None is left, or the answer is neither yes nor no.
        """
        count = account.attempts_left
        await self.say(
            "question",
            question="qualify",
            prompt="Do you want to attempt to qualify?"
            f" ({count} attempt{'' if count == 1 else 's'} left)",
        )
        answer = await self.receive(self._answer_limit)
        if not isinstance(answer, bool):
            raise WireFault("expected true or false")
        if answer and not account.take_attempt():
            raise WireFault("no attempts left")
        return answer

    async def say(self, topic: str, **content: object) -> None:
        """See ``Wire``; after the score, the session is finished."""
        await self._connection.send(framed({"topic": topic, **content}))
        if topic == "tournament_over":
            await self.say("finish")

    async def receive(self, seconds: float | None) -> object:
        """See ``Wire``; what is no JSON is returned as ``None``."""
        async with self._connection.reading(seconds) as reader:
            self._connection.acknowledge_quickly()
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            if not 0 <= length <= MOST_BYTES:
                raise WireFault(f"expected a length from 0 to {MOST_BYTES}, got {length}")
            self._connection.acknowledge_quickly()
            body = await reader.readexactly(length)
        try:
            answer: object = json.loads(body.decode())
        except (ValueError, RecursionError):
            return None
        return answer

    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """See ``Wire``: it loses the game, and no more."""
        text = f"illegal action {reprlib.repr(action)}: the game is lost"
        await self.say("message", message=text, level="ERROR")

    async def reject(self, fault: WireFault) -> None:
        """See ``Wire``: the client raises an error with this text."""
        await self.say("error", error=str(fault))
