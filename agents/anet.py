"""An agent that asks a net, and nothing but the net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from agents.action_choice import ActionChoice, choose
from agents.agent import AgentRequest, Seed
from agents.errors import AgentError
from agents.nets import check_fits, load_fitting_net
from base.params import Section
from mcts.thought import Thought

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from state_manager import State, StateManager


class ANETOptions(Section):
    """How the net's distribution becomes a move.

    Attributes:
        choice: See ``agents.action_choice``.
        epsilon: Probability of a random move, for ``epsilon_greedy``.
    """

    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1


class ANETAgent:
    """Chooses from the net's distribution over the legal actions; the net does not learn."""

    Options: ClassVar[type[Section]] = ANETOptions
    net_use: ClassVar[Literal["none", "optional", "required"]] = "required"

    def __init__(
        self,
        game: StateManager,
        net: ANET,
        choice: ActionChoice = "greedy",
        epsilon: float = 0.1,
        seed: Seed = 0,
        name: str = "anet",
    ) -> None:
        """Play ``game`` with ``net``.

        Args:
            game: The rules.
            net: A net for this game; it may be shared by agents, but not between threads.
            choice: See ``agents.action_choice``.
            epsilon: Probability of a random move, for ``epsilon_greedy``.
            seed: Where the random numbers come from; ``greedy`` needs none.
            name: What the agent is called.

        Raises:
            AgentError: The net is for another game or size.
        """
        check_fits(net, game, name)
        self.name = name
        self.thought: Thought | None = None
        self._game = game
        self._net = net
        self._choice: ActionChoice = choice
        self._epsilon = epsilon
        self._rng = np.random.default_rng(seed)

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Nets choose as they do in the tournament."""
        return {"choice": params.topp.action_choice, "epsilon": params.topp.epsilon}

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        options: ANETOptions = request.options
        if "epsilon" in request.given and options.choice != "epsilon_greedy":
            raise AgentError(
                f"epsilon: expected choice=epsilon_greedy with it, got choice={options.choice}"
            )
        assert request.net is not None
        net = load_fitting_net(request.net, request.game)
        return cls(request.game, net, options.choice, options.epsilon, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return the action that the net's distribution leads to."""
        policy = self._net.policy(state)
        self.thought = Thought(policy, value=None, is_search=False)
        legal_actions = self._game.legal_actions(state)
        return choose(policy, legal_actions, self._choice, self._epsilon, self._rng)
