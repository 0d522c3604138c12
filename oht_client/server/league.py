"""The league: whoever comes waits for the next one to come, and then they play a series."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from oht_client.server.connection import Connection
from oht_client.server.sides import ClientSide
from oht_client.server.wire import WireFault

Play = Callable[[ClientSide, ClientSide], Awaitable[None]]


@dataclass
class _Waiting:
    """Someone who waits.

    Attributes:
        side: They.
        silence: Ends when they leave or speak; cancelled when they are called to play.
        over: Set when their series has been played.
    """

    side: ClientSide
    silence: asyncio.Task[WireFault]
    over: asyncio.Event

    async def is_still_there(self) -> bool:
        """Call them to play; tell whether they had waited until now, in silence."""
        self.silence.cancel()
        await asyncio.wait([self.silence])
        return self.silence.cancelled()


class League:
    """The pool of those who wait."""

    def __init__(self, play: Play) -> None:
        """Have series played by ``play``."""
        self._play = play
        self._waiting: _Waiting | None = None
        self._matches = 0

    async def enter(self, side: ClientSide, connection: Connection) -> None:
        """Wait for someone, play a series with them, and return when it is over.

        Raises:
            WireFault: The client left, or spoke, while it waited.
        """
        while self._waiting is not None:
            other, self._waiting = self._waiting, None
            if await other.is_still_there():
                try:
                    await self._match(other.side, side)
                finally:
                    other.over.set()
                return
        silence = asyncio.ensure_future(connection.breaks_silence())
        self._waiting = waiting = _Waiting(side, silence, asyncio.Event())
        try:
            await asyncio.wait([silence])
            if not silence.cancelled():
                side.fault = silence.result()
                raise side.fault
            await waiting.over.wait()
        finally:
            silence.cancel()
            if self._waiting is waiting:
                self._waiting = None

    async def _match(self, first: ClientSide, second: ClientSide) -> None:
        """Play a series; who came first is player 1 in every second one."""
        self._matches += 1
        if self._matches % 2:
            await self._play(first, second)
        else:
            await self._play(second, first)
