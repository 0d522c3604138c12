"""An agent that adapts rollouts to the game before each move, and grows no tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import Field

from agents.agent import AgentKind, AgentRequest, Seed
from base.params import Section

if TYPE_CHECKING:
    from base.params import Params
    from state_manager import State, StateManager


class NRPAOptions(Section):
    """Nested rollout policy adaptation; see ``mcts.nrpa``.

    Attributes:
        level: How deep searches are nested.
        iterations: Searches of the level below that each search makes.
        form: How policies are adapted: ``softmax`` as in Rosin 2011, or ``additive`` as in the
            repository hexgamemctc; see ``docs/methods/nrpa.md``.
        opponent: Whether the other player learns to win, or to help.
        code: Whether an action has a weight of its own at each ply, or one for each player;
            ``None`` for what suits the game.
        simulations: Rollouts per move, in several searches or a part of one; ``None`` for one
            search, of iterations ** level.
        time_limit: Seconds per move after which the search stops; ``None`` for no limit.
    """

    level: Annotated[int, Field(ge=1, le=5)] = 3
    iterations: Annotated[int, Field(ge=1, le=1000)] = 10
    form: Literal["softmax", "additive"] = "softmax"
    opponent: Literal["adversarial", "cooperative"] = "adversarial"
    code: Literal["ply", "player"] | None = None
    simulations: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None


class NRPAAgent(AgentKind):
    """Searches afresh for each move.

    Attributes:
        simulations_run: Rollouts of all searches so far.
        search_seconds: How long they took together.
        stopped: Asked during a search whether to stop it; ``play_game`` sets it.
    """

    Options = NRPAOptions

    def __init__(
        self,
        game: StateManager,
        options: NRPAOptions | None = None,
        seed: Seed = 0,
        name: str = "nrpa",
    ) -> None:
        """Play ``game``.

        Args:
            game: The rules.
            options: The search; ``None`` for the defaults.
            seed: Where all random numbers come from.
            name: What the agent is called.
        """
        from mcts import NRPA

        self.name = name
        self.simulations_run = 0
        self.search_seconds = 0.0
        self.stopped: Callable[[], bool] = lambda: False
        chosen = options or NRPAOptions()
        self._search = NRPA(
            game,
            **chosen.model_dump(exclude={"time_limit"}),
            seed=np.random.default_rng(seed),
        )
        self._search.time_limit = chosen.time_limit
        self._search.make_ready()

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Take no longer than the parameters for play allow."""
        return {"time_limit": params.play.time_limit}

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        return cls(request.game, request.options, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return the action that a search from ``state`` leads to."""
        result = self._search.search(state, self.stopped)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        return result.best_action

    def best_so_far(self, state: State) -> int | None:
        """Return the best move that is known in a state, even while it is being searched.

        ``None`` if nothing is known. Any thread may ask.
        """
        return self._search.best_so_far(state)
