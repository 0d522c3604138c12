"""An agent that plays any legal move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from agents.agent import AgentRequest, Seed
from base.params import Section

if TYPE_CHECKING:
    from base.params import Params
    from state_manager import State, StateManager


class RandomOptions(Section):
    """There is nothing to choose."""


class RandomAgent:
    """Chooses each legal action with the same probability."""

    Options: ClassVar[type[Section]] = RandomOptions
    net_use: ClassVar[Literal["none", "optional", "required"]] = "none"

    def __init__(self, game: StateManager, seed: Seed = 0, name: str = "random") -> None:
        """Play ``game`` with random numbers from ``seed``."""
        self.name = name
        self._game = game
        self._rng = np.random.default_rng(seed)

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """See ``AgentKind``."""
        return {}

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        return cls(request.game, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return any legal action."""
        return int(self._rng.choice(self._game.legal_actions(state)))
