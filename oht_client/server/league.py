"""The league: whoever comes waits for the next one to come, and then they play a series."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from oht_client.server.connection import Connection, WireFault
from oht_client.server.series import ClientSide


@dataclass
class _Waiting:
    """Someone who waits.

    Attributes:
        side: Who it is.
        silence: Ends when they leave or speak; cancelled when they are called to play.
        over: Set when their series has been played.
    """

    side: ClientSide
    silence: asyncio.Task[WireFault]
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def is_still_there(self) -> bool:
        """Call them to play; tell whether they had waited until now, in silence."""
        self.silence.cancel()
        await asyncio.wait([self.silence])
        return self.silence.cancelled()


class League:
    """Brings clients together, two by two."""

    def __init__(self, play: Callable[[ClientSide, ClientSide], Awaitable[None]]) -> None:
        """Have series played by ``play``."""
        self._play = play
        self._waiting: _Waiting | None = None
        self._matches = 0

    async def enter(self, side: ClientSide, connection: Connection) -> None:
        """Wait for someone, play a series with them, and return when it is over.

        Who came first is player 1 in the first series, player 2 in the second, and so on.

        Raises:
            WireFault: The client left, or spoke, while it waited.
        """
        while self._waiting is not None:
            other, self._waiting = self._waiting, None
            if await other.is_still_there():
                self._matches += 1
                pair = (other.side, side) if self._matches % 2 else (side, other.side)
                try:
                    await self._play(*pair)
                finally:
                    other.over.set()
                return
        waiting = _Waiting(side, asyncio.ensure_future(connection.end_of_silence()))
        self._waiting = waiting
        try:
            await asyncio.wait([waiting.silence])
            if not waiting.silence.cancelled():
                side.fault = waiting.silence.result()
                raise side.fault
            await waiting.over.wait()
        finally:
            waiting.silence.cancel()
            if self._waiting is waiting:
                self._waiting = None
