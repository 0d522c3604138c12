"""An agent that searches before each move."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from agents.action_choice import ActionChoice
from agents.agent import SearchAgent
from agents.spec import AgentError
from base.params.search import ALL_MOVES_AS_FIRST, APPRENTICED, VariantParams

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from state_manager import State


class MCTSOptions(VariantParams):
    """The search; the variant's options are described there.

    Attributes:
        simulations: New simulations per move.
        time_limit: Seconds per move after which the search stops; ``None`` for no limit.
        exploration: c, the weight of u(s, a) in the tree policy; others than UCT have an
            exploration of their own, unless one is given.
        sigma: Probability that a leaf is evaluated by a rollout and not by the net's critic.
        rollout_epsilon: Probability of a random move in a rollout that a net plays. Training
            starts from wholly random rollouts (``mcts.rollout_epsilon``); a finished net is
            trusted from the start, so that parameter is not the default here.
        choice: How visit counts become a move, with ``epsilon`` and ``temperature``; see
            ``agents.anet``.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None
    sigma: Annotated[float, Field(ge=0, le=1)] = 1.0
    rollout_epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0


class MCTSAgent(SearchAgent):
    """Grows a tree before each move, with uniform rollouts or with a net's.

    A search whose effort is a number of simulations begins a fresh tree for each move, so that all
    moves get the same. One with a time limit keeps what it already knows of the state.
    """

    Options = MCTSOptions
    net_use = "optional"

    def _prepare(self) -> None:
        from mcts import MCTS, make_variant

        options, net = self._options, self._net
        policy, answer = None, None
        if net is not None and net.plays_rollouts:
            policy = net.rollout_policy(options.rollout_epsilon)
        elif net is not None:
            answer = net.evaluate_checked
        self._search = MCTS(
            self._game,
            options.simulations,
            variant=make_variant(
                options, exploration=options.exploration, rollout_probability=options.sigma
            ),
            rollout_policy=policy,
            answer=answer,
            time_limit=options.time_limit,
            seed=self._rng,
        )
        super()._prepare()

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Search as the parameters for play say; two agents in each game share the memory."""
        from mcts.memory import memory_share

        return {
            "memory": max(1.0, memory_share(params.mcts.memory, 2 * params.play.workers)),
            "simulations": params.play.simulations,
            "time_limit": params.play.time_limit,
            "exploration": params.play.exploration,
        }

    @classmethod
    def settled(cls, options: MCTSOptions, given: Container[str], net: ANET | None) -> MCTSOptions:
        """See ``AgentKind``."""
        if "rollout_epsilon" in given and net is None:
            raise AgentError("rollout_epsilon: expected a net with it, got none")
        if net is not None and not net.plays_rollouts:
            options = _in_batches(options, given, net)
        if "exploration" not in given and options.tree_policy not in (None, "uct"):
            options = options.model_copy(update={"exploration": None})
        if net is None and options.tree_policy in APPRENTICED:
            named = f"tree_policy={options.tree_policy}, its apprentice"
            raise AgentError(f"expected a net with {named}, got none")
        if mistake := options.noise_mistake("uct"):
            raise AgentError(mistake)
        if options.sigma < 1 and (net is None or not net.params.critic):
            raise AgentError(f"sigma: expected a net with a critic, or 1, got {options.sigma:g}")
        if options.sigma < 1 and options.rollout != "default":
            raise AgentError(
                f"rollout: expected default, as sigma is below 1, got {options.rollout}"
            )
        return options

    @property
    def is_sure(self) -> bool:
        """See ``AgentKind``: no rollouts, and nothing else that is drawn."""
        options, variant = self._options, self._search.variant
        drawn = options.choice != "greedy" or options.sigma > 0 or self._net is None
        drawn = drawn or variant.draws or variant.root_noise is not None
        return not drawn and options.time_limit is None

    def choose_action(self, state: State) -> int:
        """Return the action that a search from ``state`` leads to."""
        if self._options.time_limit is None:
            self._search.reset()
        result = self._searched(state)
        drawn = self._options.choice != "greedy"
        action = self._choose(result.distribution, state) if drawn else int(result.best_action)
        self.thought = result.thought(action)
        return action


def _in_batches(options: MCTSOptions, given: Container[str], net: ANET) -> MCTSOptions:
    """Return the options of a search with a net that is asked in batches and plays no rollouts."""
    kind = net.params.network
    if "rollout_epsilon" in given or options.rollout != "default":
        raise AgentError(f"expected no option about the net's rollouts, a {kind} net plays none")
    policy = options.tree_policy or "puct"
    if policy in ALL_MOVES_AS_FIRST:
        expected = f"one without the moves of rollouts for a {kind} net"
        raise AgentError(f"tree_policy: expected {expected}, got {policy}")
    own_sigma = 0.0 if net.params.critic else 1.0  # a critic evaluates all leaves
    sigma = options.sigma if "sigma" in given else own_sigma
    return options.model_copy(update={"tree_policy": policy, "sigma": sigma})
