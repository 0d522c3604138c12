"""An agent that asks a net, and nothing but the net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from agents.action_choice import ActionChoice, check_choice, choose
from agents.agent import AgentKind, AgentRequest, Seed
from agents.nets import check_fits, load_fitting_net
from base.params import Section
from mcts import Thought

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from state_manager import State, StateManager


class ANETOptions(Section):
    """How the net's distribution becomes a move.

    Attributes:
        choice: See ``agents.action_choice``.
        epsilon: Probability of a random move in the actual game, for ``epsilon_greedy``.
        temperature: Of moves that are drawn, for ``probabilistic``.
    """

    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0


class ANETAgent(AgentKind):
    """Chooses from the net's distribution over the legal actions; the net does not learn."""

    Options = ANETOptions
    net_use = "required"

    def __init__(
        self,
        game: StateManager,
        net: ANET,
        options: ANETOptions | None = None,
        seed: Seed = 0,
        name: str = "anet",
    ) -> None:
        """Play ``game`` with ``net``.

        Args:
            game: The rules.
            net: A net for this game; agents may share it.
            options: How the net's distribution becomes a move; ``None`` for the defaults.
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
        self._options = options or ANETOptions()
        self._rng = np.random.default_rng(seed)

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Nets choose as they do in the tournament."""
        return {"choice": params.topp.action_choice, "epsilon": params.topp.epsilon}

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        options: ANETOptions = request.options
        check_choice(options.choice, request.given)
        assert request.net is not None
        net = load_fitting_net(request.net, request.game)
        return cls(request.game, net, options, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return the action that the net's distribution leads to."""
        policy = self._net.policy(state)
        self.thought = Thought(policy, value=None, is_search=False)
        options, legal_actions = self._options, self._game.legal_actions(state)
        return choose(
            policy, legal_actions, options.choice, options.epsilon, self._rng, options.temperature
        )
