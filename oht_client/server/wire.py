"""What a tournament says to a client, whichever generation's words it is put into."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from oht_client.server.connection import Connection, WireFault


class Wire(abc.ABC):
    """A client, once it has connected.

    Only requests wait, and only they find out that a client is gone: what is said to one who is
    gone is lost. That is safe because a client who is not asked anything is not sent much.
    """

    def __init__(
        self, connection: Connection, move_limit: float | None, answer_limit: float
    ) -> None:
        """Talk over a connection; limits are in seconds, ``move_limit`` may be ``None`` for none.

        The other limit is that of the questions at log-in.
        """
        self._connection = connection
        self._move_limit = move_limit
        self._answer_limit = answer_limit

    @abc.abstractmethod
    async def say(self, topic: str, **content: object) -> None:
        """Say something of a tournament.

        Args:
            topic: As in the second generation's messages, such as ``game_start``.
            content: What else the message holds, in the order of the first generation's messages.
                States are tuples, other tables are lists.
        """

    async def request_action(self, state: Sequence[int]) -> object:
        """Ask for a move in a flat state; return the answer, which may be anything.

        Raises:
            WireFault: The client is gone, is too late, or sends what is no message.
        """
        await self.say("request_action", state=tuple(state))
        return await self.receive(self._move_limit)

    @abc.abstractmethod
    async def receive(self, seconds: float | None) -> object:
        """Return the next answer, if it comes in time.

        Raises:
            WireFault: It does not, or is no message.
        """

    @abc.abstractmethod
    async def illegal_action(self, state: Sequence[int], action: object) -> None:
        """Say that the answer was no move.

        Raises:
            WireFault: In this generation, that is the end of the session.
        """

    @abc.abstractmethod
    async def reject(self, fault: WireFault) -> None:
        """Say, as far as this generation can, why the session ends before its time."""
