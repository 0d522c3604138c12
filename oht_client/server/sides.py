"""The two kinds of players in a series: a client, and an agent of the house."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Protocol

from oht_client.flat import FlatError, action_at
from oht_client.server.wire import Wire, WireFault

if TYPE_CHECKING:
    from agents import Agent
    from state_manager import State, StateManager


class Side(Protocol):
    """One of the two who play a series.

    Attributes:
        name: What it is called in records.
        unique_id: What it is called on the wire.
    """

    name: str
    unique_id: int

    @property
    def listener(self) -> Wire | None:
        """Who wants to be told how the series goes; a client that is lost does not."""

    async def choose_action(self, state: State) -> int | None:
        """Return a legal action; ``None`` loses the game.

        Raises:
            WireFault: There is nobody any more; all games that remain are lost.
        """


class AgentSide:
    """An agent, which thinks in a thread."""

    listener: Wire | None = None

    def __init__(
        self, name: str, unique_id: int, make: Callable[[], Agent], executor: Executor
    ) -> None:
        """Play with the agent that ``make`` makes; it is made, in a thread, when first needed."""
        self.name = name
        self.unique_id = unique_id
        self._make = make
        self._executor = executor
        self._agent: Agent | None = None

    async def choose_action(self, state: State) -> int | None:
        """See ``Side``."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._choose, state)

    def _choose(self, state: State) -> int:
        if self._agent is None:
            self._agent = self._make()
        return int(self._agent.choose_action(state))


class ClientSide:
    """A client, whose every answer is checked.

    Attributes:
        fault: What ended its session; ``None`` while it lasts.
        illegal_actions: How many of its answers were no legal moves.
    """

    def __init__(self, name: str, unique_id: int, wire: Wire, game: StateManager) -> None:
        """Play over a wire."""
        self.name = name
        self.unique_id = unique_id
        self.fault: WireFault | None = None
        self.illegal_actions = 0
        self._wire = wire
        self._game = game

    @property
    def listener(self) -> Wire | None:
        """See ``Side``."""
        return self._wire if self.fault is None else None

    async def choose_action(self, state: State) -> int | None:
        """See ``Side``."""
        flat = self._game.to_flat(state)
        try:
            answer = await self._wire.request_action(flat)
            try:
                return self._legal(state, answer)
            except FlatError:
                self.illegal_actions += 1
                await self._wire.illegal_action(flat, answer)
                return None
        except WireFault as fault:
            self.fault = fault
            await self._wire.reject(fault)
            raise

    def _legal(self, state: State, answer: object) -> int:
        action = action_at(self._game, answer)
        if action not in self._game.legal_actions(state):
            raise FlatError("expected an empty cell")
        return action
