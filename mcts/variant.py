"""A search variant: the kernels of its four processes, and the numbers that go with them.

Most variants replace one or two of the four and share the rest; the loop in ``search.py`` never
changes. They are listed by name in ``mcts/variants``.
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
from mcts.proof import prove
from mcts.settings import Given
from mcts.tree_search import TREE_POLICY_FUNCTION, TreePolicy, uct
from state_manager.policy import no_critic, uniform_choice
from state_manager.rules import no_uniform_rollout

if TYPE_CHECKING:
    from mcts.priors import RootNoise
    from mcts.variants.gumbel import GumbelNoise


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
    """The four processes of a search, and what they need.

    Attributes:
        tree_policy: See ``Processes``.
        expand: See ``Processes``.
        evaluate: See ``Processes``; ``None`` for the evaluation that fits the default policy.
        evaluate_inside: The evaluation that fits any policy inside.
        expand_answered: Takes the place of ``expand`` where leaves are evaluated outside, if the
            variant has priors.
        evaluate_answered: Takes the place of ``evaluate`` there.
        distribution: What a search has found, see ``DISTRIBUTION``.
        backpropagate: See ``Processes``.
        solver: Whether results are proven.
        keeps_trees: Whether a search goes on with what the one before knew of its state.
        edge_memory: V, how many numbers it remembers of each edge (``Tree.memory``). Where it is 0,
            the tree policy must take unvisited actions in ascending order: some have no edges yet.
        replies: Whether process 3 keeps good replies (``Trace.replies``).
        draws: Whether its tree policy draws random numbers.
        priors: Whether its edges remember a policy's probabilities (``mcts/priors.py``).
        needs_moves: Whether it needs the moves of the rollouts. Then these are played move by
            move, and not by the game's ``uniform_rollout``.
        settings: The numbers in which it differs from ``mcts/settings.py``, by name.
        leaves: W, how many leaves of one tree may wait together where they are evaluated outside
            and games alone do not fill a batch; more than 1 only where simulations of different
            actions at the root do not change each other.
        root_noise: What is mixed into the priors at the root, if anything; needs ``priors``.
        memory: Megabytes that all trees of a search may take together; ``None`` for a quarter of
            the machine's. A tree that is full stops growing; its search goes on.
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
            ValueError: If sigma is no probability, or the variant does not go with the others.
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
