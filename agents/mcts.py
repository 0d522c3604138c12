"""An agent that searches before each move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from agents.action_choice import ActionChoice, check_choice, choose
from agents.agent import AgentKind, AgentRequest, Seed
from agents.nets import check_fits, load_fitting_net
from agents.spec import AgentError
from base.params.search import ALL_MOVES_AS_FIRST, APPRENTICED, VariantParams

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from mcts import MCTS, Thought
    from state_manager import State, StateManager


class MCTSOptions(VariantParams):
    """The search, and how its visit counts become a move.

    The variant's options are described there.

    Attributes:
        simulations: New simulations per move.
        time_limit: Seconds per move after which the search stops; ``None`` for no limit.
        exploration: c, the weight of u(s, a) in the tree policy; others than UCT have an
            exploration of their own, unless one is given.
        sigma: Probability that a leaf is evaluated by a rollout and not by the net's critic.
        rollout_epsilon: Probability of a random move in a rollout that a net plays. Training
            starts from wholly random rollouts (``mcts.rollout_epsilon``); a finished net is
            trusted from the start, so that parameter is not the default here.
        choice: See ``agents.action_choice``.
        epsilon: Probability of a random move in the actual game, for ``epsilon_greedy``.
        temperature: Of moves that are drawn, for ``probabilistic``.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None
    sigma: Annotated[float, Field(ge=0, le=1)] = 1.0
    rollout_epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0


class MCTSAgent(AgentKind):
    """Grows a tree before each move, with uniform rollouts or with a net's.

    A search whose effort is a number of simulations begins a fresh tree for each move, so that all
    moves get the same. One with a time limit keeps what it already knows of the state.

    Attributes:
        simulations_run: Simulations of all searches so far.
        search_seconds: How long they took together.
        thought: What it thought before its last move.
        stopped: Asked during a search whether to stop it; ``play_game`` sets it.
    """

    Options = MCTSOptions
    net_use = "optional"

    def __init__(
        self,
        game: StateManager,
        net: ANET | None = None,
        options: MCTSOptions | None = None,
        seed: Seed = 0,
        name: str = "mcts",
    ) -> None:
        """Play ``game``.

        Args:
            game: The rules.
            net: The rollout policy; ``None`` for uniformly random rollouts.
            options: The search; ``None`` for the defaults.
            seed: Where all random numbers come from.
            name: What the agent is called.

        Raises:
            AgentError: The net is for another game or size.
        """
        if net is not None:
            check_fits(net, game, name)
        self.name = name
        self.simulations_run = 0
        self.search_seconds = 0.0
        self.thought: Thought | None = None
        self.stopped: Callable[[], bool] = lambda: False
        self._game = game
        self._options = options or MCTSOptions()
        self._rng = np.random.default_rng(seed)
        self._search = self._new_search(net)
        self._search.make_ready()

    def _new_search(self, net: ANET | None) -> MCTS:
        """Return a search with the net, if there is one: with its rollouts, or its answers."""
        from mcts import MCTS, make_variant

        options = self._options
        variant = make_variant(
            options,
            exploration=options.exploration,
            rollout_probability=options.sigma,
        )
        policy, answer = None, None
        if net is not None and net.plays_rollouts:
            policy = net.rollout_policy(options.rollout_epsilon)
        elif net is not None:
            answer = net.evaluate_checked
        return MCTS(
            self._game,
            options.simulations,
            variant=variant,
            rollout_policy=policy,
            answer=answer,
            time_limit=options.time_limit,
            seed=self._rng,
        )

    def best_so_far(self, state: State) -> int | None:
        """Return the best move that is known in a state, even while it is being searched.

        ``None`` if nothing is known. Any thread may ask.
        """
        return self._search.best_so_far(state)

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
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        options: MCTSOptions = request.options
        check_choice(options.choice, request.given, hint=" (the rollouts' is rollout_epsilon)")
        if "rollout_epsilon" in request.given and request.net is None:
            raise AgentError("rollout_epsilon: expected a net with it, got none")
        net = load_fitting_net(request.net, request.game) if request.net is not None else None
        if net is not None and not net.plays_rollouts:
            options = _in_batches(options, net, request.given)
        if "exploration" not in request.given and options.tree_policy not in (None, "uct"):
            options = options.model_copy(update={"exploration": None})
        if net is None and options.tree_policy in APPRENTICED:
            raise AgentError(
                f"expected a net with tree_policy={options.tree_policy}, its apprentice, got none"
            )
        if mistake := options.noise_mistake("uct"):
            raise AgentError(mistake)
        if options.sigma < 1 and (net is None or not net.params.critic):
            raise AgentError(f"sigma: expected a net with a critic, or 1, got {options.sigma:g}")
        if options.sigma < 1 and options.rollout != "default":
            raise AgentError(
                f"rollout: expected default, as sigma is below 1, got {options.rollout}"
            )
        return cls(request.game, net, options, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return the action that a search from ``state`` leads to."""
        if self._options.time_limit is None:
            self._search.reset()
        result = self._search.search(state, stopped=self.stopped)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        options = self._options
        action = result.best_action
        if options.choice != "greedy":
            legal_actions = self._game.legal_actions(state)
            action = choose(
                result.distribution,
                legal_actions,
                options.choice,
                options.epsilon,
                self._rng,
                options.temperature,
            )
        self.thought = result.thought(action)
        return action


def _in_batches(options: MCTSOptions, net: ANET, given: frozenset[str]) -> MCTSOptions:
    """Return the options of a search with a net that is asked in batches.

    Unless sigma is given, its critic evaluates all leaves; without one, uniformly random rollouts.

    Raises:
        AgentError: The options want rollouts that such a net does not play.
    """
    kind = net.params.network
    if "rollout_epsilon" in given or options.rollout != "default":
        raise AgentError(f"expected no option about the net's rollouts, a {kind} net plays none")
    policy = options.tree_policy or "puct"
    if policy in ALL_MOVES_AS_FIRST:
        raise AgentError(
            f"tree_policy: expected one without the moves of rollouts for a {kind} net, "
            f"got {policy}"
        )
    own_sigma = 0.0 if net.params.critic else 1.0
    sigma = options.sigma if "sigma" in given else own_sigma
    return options.model_copy(update={"tree_policy": policy, "sigma": sigma})
