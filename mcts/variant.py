"""A search variant: the kernels of its four processes, and their settings.

Most variants replace one or two of the four and share the rest; the loop in ``search.py`` never
changes. ``mcts/variants`` lists them by name.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from base.jit import function_type, record_type
from base.methods import DEFAULT_ROLLOUT, TREE_POLICIES, Method, NetFacts, misfit
from mcts.backpropagation import (
    BACKPROPAGATION,
    PROOF,
    Backpropagation,
    Prove,
    backpropagate,
    prove,
    prove_nothing,
)
from mcts.distribution import DISTRIBUTION, Distribution, proven_distribution, visit_distribution
from mcts.leaf_evaluation import (
    LEAF_EVALUATION,
    Evaluate,
    LeafEvaluation,
    evaluate_leaf,
    evaluate_leaf_uniformly,
)
from mcts.node_expansion import EDGES, EXPANSION, Expansion, MakeEdges, expand, make_edges
from mcts.priors import NOISE, AddNoise, GumbelNoise, RootNoise, no_noise
from mcts.settings import SearchContext, Settings, new_evaluation
from mcts.tree_search import TREE_POLICY, TreePolicy, uct
from mcts.virtual_loss import (
    ALONE,
    BEGIN_WAITING,
    END_WAITING,
    OVERTAKES,
    BeginWaiting,
    EndWaiting,
    Overtakes,
    Waiting,
)
from state_manager.policy import Policy, move_by_move, no_critic, uniform_choice, uniform_prior
from state_manager.rules import Rules, no_proven_winner, no_uniform_rollout


class Processes(NamedTuple):
    """The four processes of a search, its beginning and its end, as one argument of its loop."""

    tree_policy: TreePolicy  # process 1: chooses an edge of a node, see ``TREE_POLICY``
    make_edges: MakeEdges  # process 2: edges of nodes that simulations return to, see ``EDGES``
    expand: Expansion  # process 2: the node of the leaf, see ``EXPANSION``
    evaluate_leaf: LeafEvaluation  # process 3, see ``LEAF_EVALUATION``
    backpropagate: Backpropagation  # process 4, see ``BACKPROPAGATION``
    prove: Prove  # the end of process 4, see ``PROOF``
    overtakes: Overtakes  # these three: while several leaves wait for evaluations, see ``Waiting``
    begin_waiting: BeginWaiting
    end_waiting: EndWaiting
    add_noise: AddNoise  # changes a new root, see ``NOISE``
    distribution: Distribution  # the result D of a search, see ``DISTRIBUTION``


_SIGNATURES = (
    TREE_POLICY, EDGES, EXPANSION, LEAF_EVALUATION, BACKPROPAGATION, PROOF,
    OVERTAKES, BEGIN_WAITING, END_WAITING, NOISE, DISTRIBUTION,
)  # fmt: skip
PROCESSES = record_type(Processes, *map(function_type, _SIGNATURES))


@dataclass(frozen=True)
class Variant:
    """The four processes of a search, as in ``Processes``, and their requirements."""

    method: Method = TREE_POLICIES["uct"]  # its line in ``base/methods.py``
    rollout: Method = DEFAULT_ROLLOUT  # that of a leaf evaluation which plays in its own way
    tree_policy: TreePolicy = uct
    make_edges: MakeEdges = make_edges
    expand: Expansion = expand
    # Where uniformly random rollouts evaluate all leaves, the game's fast ones replace it.
    evaluate_leaf: LeafEvaluation = evaluate_leaf
    distribution: Distribution | None = None  # ``None``: visit counts, with or without proofs
    backpropagate: Backpropagation = backpropagate
    solver: bool = False  # whether results are proven
    keeps_trees: bool = True  # whether a search continues in the subtree that the one before left
    # Whether each edge has a ``tree.STATISTIC``. Without, and without priors, the tree policy must
    # take unvisited actions in ascending order: some have no edges yet.
    statistics: bool = False
    replies: bool = False  # whether process 3 keeps good replies (``SearchPath.replies``)
    # Its values of the settings in ``mcts/settings.py``, by name, where they differ.
    settings: Mapping[str, float] = field(default_factory=dict)
    # W, how many leaves of one tree may wait together for evaluation outside, where T alone does
    # not fill a batch. ``waiting`` keeps their simulations apart; ``ALONE`` allows no W above 1.
    leaves: int = 1
    waiting: Waiting = ALONE
    root_noise: RootNoise | GumbelNoise | None = None  # the noise in the priors at the root
    # The limit of all trees of a search together, in megabytes; ``None`` for a quarter of the
    # machine's. A full tree stops growing; its search goes on.
    memory: float | None = None

    def with_settings(self, **numbers: float | None) -> Self:
        """Return the variant with other settings; ``None`` leaves its own."""
        changed = {name: number for name, number in numbers.items() if number is not None}
        return replace(self, settings={**self.settings, **changed})

    def check(self, policy: Policy | None, has_values: bool | None, sigma: float) -> None:
        """Check what evaluates leaves, and whether the methods fit it; a ``ValueError`` if not.

        ``has_values`` says whether an evaluation outside has values, and is ``None`` if all is
        inside; ``sigma`` is the probability that a rollout evaluates a leaf.
        """
        if not 0.0 <= sigma <= 1.0:
            raise ValueError(f"expected a probability from 0 to 1, got {sigma}")
        net = None
        if has_values is not None:
            net = NetFacts("evaluate", critic=has_values, plays_rollouts=False)
        elif policy is not None:
            has_critic = policy.critic is not no_critic
            net = NetFacts("rollout_policy", critic=has_critic, plays_rollouts=True)
        noise = self.root_noise.amount if self.root_noise else 0.0
        if mistake := misfit(self.method, self.rollout, net, sigma, noise):
            way = "rollout_policy=net.rollout_policy() or evaluate=net.evaluate_batch"
            hint = f" ({way})" if net is None and self.method.is_guided else ""
            raise ValueError(": ".join(mistake) + hint)

    def parts(
        self,
        rules: Rules,
        policy: Policy,
        settings: Settings,
        sigma: float,
        batched_actions: int,
        leaves: int,
    ) -> tuple[SearchContext, Processes]:
        """Return the context and the processes of a search; ``settings`` get the new sigma.

        ``batched_actions`` is A where leaves are evaluated outside, else 0; ``leaves`` is W.
        Kernels that are never called need no compilation: placeholders take their place.

        Raises:
            ValueError: If several leaves are to wait in a variant without ``waiting``.
        """
        is_batched = batched_actions > 0
        if leaves > 1 and self.waiting is ALONE:
            raise ValueError(f"expected leaves 1 of a variant without waiting, got {self.leaves}")
        settings.rollout_probability = sigma
        evaluation = self.evaluate_leaf
        if (
            sigma == 1.0
            and evaluation is evaluate_leaf
            and not (self.method.needs_moves or is_batched)
            and policy.choose is uniform_choice
            and rules.uniform_rollout is not no_uniform_rollout
        ):
            evaluation = evaluate_leaf_uniformly
        else:
            rules = rules._replace(uniform_rollout=no_uniform_rollout)
        if not settings.static_proofs:
            rules = rules._replace(proven_winner=no_proven_winner)
        if evaluation is evaluate_leaf and policy.rollout is not move_by_move:
            policy = policy._replace(choose=uniform_choice)
        if not self.method.is_guided:
            policy = policy._replace(prior=uniform_prior)
        has_proofs = self.solver or settings.look_ahead or settings.static_proofs
        processes = Processes(
            self.tree_policy,
            self.make_edges,
            self.expand,
            evaluation,
            self.backpropagate,
            prove if self.solver else prove_nothing,
            *(self.waiting if leaves > 1 else ALONE),
            self.root_noise.add if self.root_noise else no_noise,
            self.distribution or (proven_distribution if has_proofs else visit_distribution),
        )
        outside = new_evaluation(batched_actions)
        return SearchContext(rules, policy, settings, is_batched, outside), processes


UCT = Variant()
"""The assignment's search and the baseline of all others: no process is replaced."""


def check_types(variant: Variant, policy: Policy | None, evaluate: Evaluate | None) -> None:
    """Check the types of a search's parts."""
    if not isinstance(variant, Variant):
        raise TypeError(f'variant: expected one such as search_variant("puct"), got {variant!r}')
    if not isinstance(policy, Policy | None):
        got = type(policy).__name__
        raise TypeError(f"rollout_policy: expected a Policy: net.rollout_policy(), got {got}")
    if evaluate is None:
        return
    try:
        inspect.signature(evaluate).bind("states", "legal")
    except TypeError:
        got = getattr(evaluate, "__qualname__", type(evaluate).__name__)
        what = "a function of states and legal actions: net.evaluate_batch"
        raise TypeError(f"evaluate: expected {what}, got {got}") from None
    if policy is not None:
        raise ValueError("expected rollout_policy or evaluate, got both")
