"""An agent that plays any legal move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from agents.agent import AgentKind, AgentRequest, Seed
from base.params import Section

if TYPE_CHECKING:
    from state_manager import State, StateManager


class RandomAgent(AgentKind):
    """Chooses each legal action with the same probability."""

    Options = Section

    def __init__(self, game: StateManager, seed: Seed = 0, name: str = "random") -> None:
        """Play ``game`` with random numbers from ``seed``."""
        self.name = name
        self._game = game
        self._rng = np.random.default_rng(seed)

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        return cls(request.game, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return any legal action."""
        return int(self._rng.choice(self._game.legal_actions(state)))
