"""An agent that adapts rollouts to the game before each move, and grows no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from agents.agent import Agent
from agents.options import AgentOptions

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.params import Params
    from state_manager import State


class NRPAOptions(AgentOptions):
    """Nested rollout policy adaptation: the arguments of ``mcts.NRPA`` for each move."""

    level: Annotated[int, Field(ge=1, le=5)] = 3
    iterations: Annotated[int, Field(ge=1, le=1000)] = 10
    form: Literal["softmax", "additive"] = "softmax"
    simulations: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``: the time limit of the parameters for play."""
        return {} if params is None else {"time_limit": params.play.time_limit}


class NRPAAgent(Agent):
    """Searches afresh for each move."""

    Options = NRPAOptions
    batch_key = None

    def _prepare(self) -> None:
        from mcts import NRPA

        self._search = NRPA(self._game, **self._options.model_dump(), seed=self._rng)

    def choose_action(self, state: State) -> int:
        """Return the best action of a search from ``state``."""
        result = self._search.search(state, self.stopped)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        return result.best_action
