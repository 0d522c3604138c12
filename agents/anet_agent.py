"""Agents that play from a net's policy, without search: our own net, or a stranger's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agents.agent import Agent
from agents.options import AgentOptions
from anet.card import Card
from base.params.rl_section import ActionChoice
from mcts import Thought

if TYPE_CHECKING:
    from anet.evaluator import Evaluator
    from base.params import Params
    from state_manager import State


class ANETOptions(AgentOptions):
    """How the net's distribution becomes a move, see ``choose``."""

    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1  # in the actual game, for ``epsilon_greedy``
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0  # for ``probabilistic``

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """See ``AgentOptions``: the action choice of the tournament."""
        if params is None:
            return {}
        return {"choice": params.topp.action_choice, "epsilon": params.topp.epsilon}


class ANETAgent(Agent):
    """Chooses from the net's distribution over the legal actions."""

    Options = ANETOptions
    net_use = "required"
    batches = True

    @property
    def is_deterministic(self) -> bool:
        """See ``Agent``."""
        return bool(self._options.choice == "greedy")

    @property
    def batch_key(self) -> Hashable:
        """See ``Agent``: agents with the same net."""
        return type(self), self.net

    def choose_action(self, state: State) -> int:
        """Return the action that the net's distribution leads to."""
        assert self.net is not None
        return self._chosen(state, self.net.policy(state))

    def choose_actions(self, agents: Sequence[Any], states: Sequence[State]) -> list[int]:
        """See ``Agent``: one batch of the net for all states."""
        assert self.net is not None
        policies = self.net.policy(np.stack(states))
        return [agent._chosen(*each) for agent, *each in zip(agents, states, policies, strict=True)]

    def _chosen(self, state: State, policy: NDArray[np.float64]) -> int:
        self.thought = Thought(policy, value=None, is_search=False)
        return self._choose(policy, self._game.legal_actions(state))


class OnnxOptions(ANETOptions, Card):
    """How the net's distribution becomes a move, and the net's card."""

    @property
    def card(self) -> Card:
        """What the word says about the net."""
        return Card(**self.model_dump(include=set(Card.model_fields)))


class OnnxAgent(ANETAgent):
    """Chooses from the distribution of a net in an ONNX file; see ``anet.onnx_net``."""

    Options = OnnxOptions
