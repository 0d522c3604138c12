"""A search variant: the kernels of its four processes, and their settings.

Most variants replace one or two of the four and share the rest; the loop in ``search.py`` never
changes. ``mcts/variants`` lists them by name.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from base.jit import record_type
from mcts.backpropagation import (
    BACKPROPAGATION_FUNCTION,
    PROOF_FUNCTION,
    Backpropagation,
    Proof,
    backpropagate,
    prove,
    prove_nothing,
)
from mcts.distribution import DISTRIBUTION_FUNCTION, Distribution, visit_distribution
from mcts.leaf_evaluation import (
    EVALUATION_FUNCTION,
    Evaluate,
    Evaluation,
    evaluate_by_rollout,
    evaluate_by_uniform_rollout,
)
from mcts.node_expansion import (
    EXPANSION_FUNCTION,
    WIDENING_FUNCTION,
    Expansion,
    Widening,
    expand,
    widen,
)
from mcts.priors import NOISE_FUNCTION, AddNoise, GumbelNoise, RootNoise, no_noise
from mcts.settings import SearchContext
from mcts.tree_search import TREE_POLICY_FUNCTION, TreePolicy, uct
from state_manager.policy import Policy, no_critic, uniform_choice
from state_manager.rules import no_uniform_rollout


class Processes(NamedTuple):
    """The four processes of a search, its beginning and its end, as one argument of its loop."""

    tree_policy: TreePolicy  # chooses the edges in process 1, see ``TREE_POLICY``
    expand: Expansion  # process 2, see ``EXPANSION``
    evaluate: Evaluation  # process 3, see ``EVALUATION``
    backpropagate: Backpropagation  # process 4, see ``BACKPROPAGATION``
    widen: Widening  # makes edges of nodes that simulations return to, see ``WIDENING``
    prove: Proof  # the end of process 4, see ``PROOF``
    add_noise: AddNoise  # changes a new root, see ``NOISE``
    distribution: Distribution  # the result D of a search, see ``DISTRIBUTION``


PROCESSES = record_type(
    Processes,
    TREE_POLICY_FUNCTION,
    EXPANSION_FUNCTION,
    EVALUATION_FUNCTION,
    BACKPROPAGATION_FUNCTION,
    WIDENING_FUNCTION,
    PROOF_FUNCTION,
    NOISE_FUNCTION,
    DISTRIBUTION_FUNCTION,
)


@dataclass(frozen=True)
class Variant:
    """The four processes of a search, and their requirements.

    Attributes:
        tree_policy, expand, widen, distribution, backpropagate: See ``Processes``.
        evaluate: See ``Processes``. Where uniformly random rollouts evaluate all leaves, the game's
            fast ones replace ``evaluate_by_rollout``.
        own_rollouts: Whether ``evaluate`` only plays rollouts, in its own way: sigma must be 1.
        solver: Whether results are proven.
        keeps_trees: Whether a search continues in the subtree that the one before left.
        edge_memory: V, the numbers stored for each edge (``Tree.memory``). If it is 0, the tree
            policy must take unvisited actions in ascending order: some have no edges yet.
        replies: Whether process 3 keeps good replies (``SearchPath.replies``).
        draws: Whether its tree policy draws random numbers.
        priors: Whether its edges store a policy's probabilities (``mcts/priors.py``).
        needs_moves: Whether it needs the moves of rollouts; ``uniform_rollout`` has none.
        settings: Its values of the settings in ``mcts/settings.py``, by name, where they differ.
        leaves: W, how many leaves of one tree may wait together for evaluation outside, where T
            alone does not fill a batch. Unless the setting ``out_of_order`` is 1, W above 1 needs
            simulations of different actions at the root that do not affect each other. Out of
            order, all edges of a node must be made at once.
        root_noise: The noise in the priors at the root, if any; needs ``priors``.
        memory: The limit of all trees of a search together, in megabytes; ``None`` for a quarter
            of the machine's. A full tree stops growing; its search goes on.
    """

    tree_policy: TreePolicy = uct
    expand: Expansion = expand
    widen: Widening = widen
    evaluate: Evaluation = evaluate_by_rollout
    own_rollouts: bool = False
    distribution: Distribution = visit_distribution
    backpropagate: Backpropagation = backpropagate
    solver: bool = False
    keeps_trees: bool = True
    edge_memory: int = 0
    replies: bool = False
    draws: bool = False
    priors: bool = False
    needs_moves: bool = False
    settings: Mapping[str, float] = field(default_factory=dict)
    leaves: int = 1
    root_noise: RootNoise | GumbelNoise | None = None
    memory: float | None = None

    def with_settings(self, **numbers: float | None) -> Self:
        """Return the variant with other settings; ``None`` leaves its own."""
        changed = {name: number for name, number in numbers.items() if number is not None}
        return replace(self, settings={**self.settings, **changed})

    def processes(self, context: SearchContext, sigma: float) -> Processes:
        """Return the kernels; sigma is the probability of a rollout. A ``ValueError`` if unfit."""
        if not 0.0 <= sigma <= 1.0:
            raise ValueError(f"expected a probability from 0 to 1, got {sigma}")
        if context.is_batched and (self.own_rollouts or self.needs_moves):
            raise ValueError("expected a variant without rollouts of its own")
        if sigma < 1.0 and context.policy.critic is no_critic:
            raise ValueError("expected a policy with a critic, since sigma is below 1")
        if sigma < 1.0 and self.own_rollouts:
            raise ValueError("expected sigma 1, since the variant has an evaluation of its own")
        is_uniform = (
            sigma == 1.0
            and self.evaluate is evaluate_by_rollout
            and not (self.needs_moves or context.is_batched)
            and context.policy.choose is uniform_choice
            and context.rules.uniform_rollout is not no_uniform_rollout
        )
        return Processes(
            self.tree_policy,
            self.expand,
            evaluate_by_uniform_rollout if is_uniform else self.evaluate,
            self.backpropagate,
            self.widen,
            prove if self.solver else prove_nothing,
            self.root_noise.add if self.root_noise else no_noise,
            self.distribution,
        )


UCT = Variant()
"""The assignment's search and the baseline of all others: no process is replaced."""


def check_parts(variant: Variant, policy: Policy | None, evaluate: Evaluate | None) -> None:
    """Check the types of a search's parts, and that a variant that needs a net has one."""
    if not isinstance(variant, Variant):
        raise TypeError(f'variant: expected one such as search_variant("puct"), got {variant!r}')
    if not isinstance(policy, Policy | None):
        got = type(policy).__name__
        raise TypeError(f"rollout_policy: expected a Policy: net.rollout_policy(), got {got}")
    if evaluate is not None:
        try:
            inspect.signature(evaluate).bind("states", "legal")
        except TypeError:
            got = getattr(evaluate, "__qualname__", type(evaluate).__name__)
            what = "a function of states and legal actions: net.evaluate_checked"
            raise TypeError(f"evaluate: expected {what}, got {got}") from None
        if policy is not None:
            raise ValueError("expected rollout_policy or evaluate, got both")
    if variant.priors and policy is None and evaluate is None:
        raise ValueError(
            "expected a net with a variant that needs one: rollout_policy=net.rollout_policy(), or "
            "evaluate=net.evaluate_checked; Policy() for uniform priors"
        )
