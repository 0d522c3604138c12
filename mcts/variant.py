"""A search variant: the kernels of its four processes, and their settings.

Most variants replace one or two of the four and share the rest; the loop in ``search.py`` never
changes. ``mcts/variants`` lists them by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Self

from base.jit import record_type
from mcts.backpropagation import (
    BACKPROPAGATION_FUNCTION,
    PROOF_FUNCTION,
    Backpropagation,
    Proof,
    backpropagate,
    prove_nothing,
)
from mcts.distribution import Distribution, visit_distribution
from mcts.leaf_evaluation import (
    EVALUATION_FUNCTION,
    Evaluation,
    evaluate_by_rollout,
    evaluate_by_rollout_or_answer,
    evaluate_by_uniform_rollout,
)
from mcts.node_expansion import EXPANSION_FUNCTION, Expansion, expand
from mcts.priors import expand_with_answer
from mcts.settings import Given
from mcts.solver import prove
from mcts.tree_search import TREE_POLICY_FUNCTION, TreePolicy, uct
from state_manager.policy import no_critic, uniform_choice
from state_manager.rules import no_uniform_rollout

if TYPE_CHECKING:
    from mcts.priors import GumbelNoise, RootNoise


class Processes(NamedTuple):
    """The four processes of a search, one argument of its loop.

    Attributes:
        tree_policy: Chooses the edges in process 1, see ``TREE_POLICY``.
        expand: Process 2, see ``EXPANSION``.
        evaluate: Process 3, see ``EVALUATION``.
        backpropagate: Process 4, see ``BACKPROPAGATION``.
        prove: The end of process 4, see ``PROOF``.
    """

    tree_policy: TreePolicy
    expand: Expansion
    evaluate: Evaluation
    backpropagate: Backpropagation
    prove: Proof


PROCESSES = record_type(
    Processes,
    TREE_POLICY_FUNCTION,
    EXPANSION_FUNCTION,
    EVALUATION_FUNCTION,
    BACKPROPAGATION_FUNCTION,
    PROOF_FUNCTION,
)


@dataclass(frozen=True)
class Variant:
    """The four processes of a search, and their requirements.

    Attributes:
        tree_policy: See ``Processes``.
        expand: See ``Processes``.
        evaluate: See ``Processes``; ``None`` for the evaluation that fits the default policy.
        evaluate_inside: The evaluation inside that fits any policy.
        expand_answered: Replaces ``expand`` where leaves are evaluated outside, if the variant has
            priors.
        evaluate_answered: Replaces ``evaluate`` where leaves are evaluated outside.
        distribution: The result D of a search, see ``DISTRIBUTION``.
        backpropagate: See ``Processes``.
        solver: Whether results are proven.
        keeps_trees: Whether a search continues in the subtree that the one before left.
        edge_memory: V, the numbers stored for each edge (``Tree.memory``). If it is 0, the tree
            policy must take unvisited actions in ascending order: some have no edges yet.
        replies: Whether process 3 keeps good replies (``Trace.replies``).
        draws: Whether its tree policy draws random numbers.
        priors: Whether its edges store a policy's probabilities (``mcts/priors.py``).
        needs_moves: Whether it needs the moves of the rollouts. Then these are played move by
            move, not by the game's ``uniform_rollout``.
        settings: Its values of the settings in ``mcts/settings.py``, by name, where they differ.
        leaves: W, how many leaves of one tree may wait together for evaluation outside, where T
            alone does not fill a batch; more than 1 only if simulations of different actions at
            the root do not affect each other.
        root_noise: The noise in the priors at the root, if any; needs ``priors``.
        memory: The limit of all trees of a search together, in megabytes; ``None`` for a quarter
            of the machine's. A full tree stops growing; its search goes on.
    """

    tree_policy: TreePolicy = uct
    expand: Expansion = expand
    evaluate: Evaluation | None = None
    evaluate_inside: Evaluation = evaluate_by_rollout
    expand_answered: Expansion = expand_with_answer
    evaluate_answered: Evaluation = evaluate_by_rollout_or_answer
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
        given = {name: number for name, number in numbers.items() if number is not None}
        return replace(self, settings={**self.settings, **given})

    def processes(self, given: Given, sigma: float, is_answered: bool) -> Processes:
        """Return the four processes.

        Args:
            given: The rules and the default policy.
            sigma: The probability that a leaf is evaluated by a rollout.
            is_answered: Whether leaves are evaluated outside.

        Raises:
            ValueError: If sigma is no probability, or the variant does not fit the arguments.
        """
        if not 0.0 <= sigma <= 1.0:
            raise ValueError(f"expected a probability from 0 to 1, got {sigma}")
        if sigma < 1.0 and not is_answered:
            if given.policy.critic is no_critic:
                raise ValueError("expected a policy with a critic, since sigma is below 1")
            if self.evaluate is not None:
                raise ValueError("expected sigma 1, since the variant has an evaluation of its own")
        evaluate: Evaluation = self.evaluate or self.evaluate_inside
        if is_answered:
            if self.evaluate is not None or self.needs_moves:
                raise ValueError("expected a variant without rollouts of its own")
            evaluate = self.evaluate_answered
        elif (
            sigma == 1.0
            and self.evaluate is None
            and self.evaluate_inside is evaluate_by_rollout
            and not self.needs_moves
            and given.policy.choose is uniform_choice
            and given.rules.uniform_rollout is not no_uniform_rollout
        ):
            evaluate = evaluate_by_uniform_rollout
        return Processes(
            self.tree_policy,
            self.expand_answered if self.priors and is_answered else self.expand,
            evaluate,
            self.backpropagate,
            prove if self.solver else prove_nothing,
        )
