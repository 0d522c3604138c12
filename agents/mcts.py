"""An agent that searches before each move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from agents.action_choice import ActionChoice, choose
from agents.agent import AgentRequest, Seed
from agents.errors import AgentError
from agents.nets import check_fits, load_fitting_net
from params import Section

if TYPE_CHECKING:
    from anet import ANET
    from params import Params
    from state_manager import State, StateManager


TreePolicyName = Literal[
    "uct", "ucb1_tuned", "uct_rave", "uct_rave_ratio", "puct",
    "n_mcts", "n_mcts_paper", "n_mcts_proportional",
]  # fmt: skip


class MCTSOptions(Section):
    """The search, and how its visit counts become a move.

    Attributes:
        simulations: New simulations per move.
        time_limit: Seconds per move after which the search stops; ``None`` for no limit.
        exploration: c, the weight of u(s, a) in the tree policy.
        tree_policy: How the tree is searched; a name of ``mcts.variants``. Others than UCT have
            an exploration of their own, unless one is given.
        rave_constant: What the schedule of RAVE is tuned by; ``None`` for the tree policy's own.
        prior_weight: gamma of N-MCTS; ``None`` for the tree policy's own.
        rollout: How leaves are evaluated; a name of ``mcts.variants.ROLLOUTS``.
        rollouts: How many rollouts a leaf gets, with ``rollout=several``.
        length_discount: Factor on a rollout's value for each of its moves, with it too.
        rollout_epsilon: Probability of a random move in a rollout that a net plays. Training
            starts from wholly random rollouts (``mcts.rollout_epsilon``); a finished net is
            trusted from the start, so that parameter is not the default here.
        choice: See ``agents.action_choice``.
        epsilon: Probability of a random move in the actual game, for ``epsilon_greedy``.
    """

    simulations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    time_limit: Annotated[float, Field(gt=0, le=3600)] | None = None
    exploration: Annotated[float, Field(ge=0, le=100)] | None = None
    tree_policy: TreePolicyName = "uct"
    rave_constant: Annotated[float, Field(ge=0, le=1e6)] | None = None
    prior_weight: Annotated[float, Field(ge=0, le=1e6)] | None = None
    rollout: Literal["default", "several", "last_good_reply"] = "default"
    rollouts: Annotated[int, Field(ge=1, le=1000)] | None = None
    length_discount: Annotated[float, Field(gt=0, le=1)] | None = None
    rollout_epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1
    choice: ActionChoice = "greedy"
    epsilon: Annotated[float, Field(ge=0, le=1)] = 0.1

    @property
    def settings(self) -> dict[str, float]:
        """The numbers that were given for tree policies that read them."""
        names = ("rave_constant", "prior_weight", "rollouts", "length_discount")
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class MCTSAgent:
    """Grows a fresh tree for each move, with uniform rollouts or with a net's.

    Attributes:
        simulations_run: Simulations of all searches so far.
        search_seconds: How long they took together.
    """

    Options: ClassVar[type[Section]] = MCTSOptions
    net_use: ClassVar[Literal["none", "optional", "required"]] = "optional"

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
        from mcts import MCTS, search_variant

        if net is not None:
            check_fits(net, game, name)
        self.name = name
        self.simulations_run = 0
        self.search_seconds = 0.0
        self._game = game
        self._options = options or MCTSOptions()
        self._rng = np.random.default_rng(seed)
        self._search = MCTS(
            game,
            simulations=self._options.simulations,
            exploration=self._options.exploration,
            variant=search_variant(self._options.tree_policy, self._options.rollout),
            settings=self._options.settings,
            time_limit=self._options.time_limit,
            rollout_policy=None
            if net is None
            else net.rollout_policy(self._options.rollout_epsilon),
            seed=self._rng,
        )

    @classmethod
    def defaults(cls, params: Params) -> Mapping[str, object]:
        """Search as the parameters for play say."""
        return {
            "simulations": params.play.simulations,
            "time_limit": params.play.time_limit,
            "exploration": params.play.exploration,
        }

    @classmethod
    def make(cls, request: AgentRequest) -> Self:
        """See ``AgentKind``."""
        options: MCTSOptions = request.options
        if "epsilon" in request.given and options.choice != "epsilon_greedy":
            raise AgentError(
                f"epsilon: expected choice=epsilon_greedy with it, got choice={options.choice}"
                " (the rollouts' is rollout_epsilon)"
            )
        if "rollout_epsilon" in request.given and request.net is None:
            raise AgentError("rollout_epsilon: expected a net with it, got none")
        if options.rollout != "several" and request.given & {"rollouts", "length_discount"}:
            raise AgentError("rollouts, length_discount: expected rollout=several with them")
        if "exploration" not in request.given and options.tree_policy != "uct":
            options = options.model_copy(update={"exploration": None})
        net = load_fitting_net(request.net, request.game) if request.net is not None else None
        return cls(request.game, net, options, request.seed, request.name)

    def choose_action(self, state: State) -> int:
        """Return the action that a search from ``state`` leads to."""
        self._search.reset()
        result = self._search.search(state)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        options = self._options
        if options.choice == "greedy":
            return result.best_action
        legal_actions = self._game.legal_actions(state)
        return choose(
            result.distribution, legal_actions, options.choice, options.epsilon, self._rng
        )
