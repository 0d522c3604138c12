"""A search variant: a record of four kernels, one for each process.

Most variants replace one or two of the four and share the rest; the loop in ``search.py`` never
changes. They are listed by name in ``mcts/variants``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from mcts.backpropagation import backpropagate
from mcts.leaf_evaluation import (
    evaluate_by_rollout,
    evaluate_by_rollout_or_critic,
    evaluate_by_uniform_rollout,
)
from mcts.node_expansion import expand
from mcts.proof import backpropagate_and_prove
from mcts.settings import Settings
from mcts.tree import Trace, Tree
from mcts.tree_search import uct

TreePolicy = Callable[[Tree, int, Settings, np.random.Generator], int]
Expansion = Callable[..., None]
Evaluation = Callable[..., float]
Backpropagation = Callable[[Tree, Trace, float], None]

EVALUATE_BY_ROLLOUT: Evaluation = evaluate_by_rollout
"""The assignment's evaluation: the default policy, move by move."""
EVALUATE_BY_UNIFORM_ROLLOUT: Evaluation = evaluate_by_uniform_rollout
"""Uniformly random play, by the game's own fast way."""
EVALUATE_BY_ROLLOUT_OR_CRITIC: Evaluation = evaluate_by_rollout_or_critic
"""A critic stands in for some of the rollouts."""


@dataclass(frozen=True)
class Variant:
    """The four processes of a search, and what they need.

    Attributes:
        tree_policy: Process 1, see ``TREE_POLICY``.
        expand: Process 2, see ``EXPANSION``.
        evaluate: Process 3, see ``EVALUATION``; ``None`` for the one that fits the default policy.
        backpropagate: Process 4, see ``BACKPROPAGATION``.
        prove: The same process where results are proven; see ``mcts/proof.py``.
        replies: Whether process 3 keeps good replies (``Trace.replies``).
        memory: V, how many numbers it remembers of each edge (``Tree.memory``).
        draws: Whether its tree policy draws random numbers.
        priors: Whether its edges remember a policy's opinion (``mcts/variants/priors.py``).
        needs_moves: Whether it needs the moves of the rollouts, so that these are played one by
            one and not by the game's fast way.
        settings: Values that it wants for places of ``Settings`` unless others are given.
    """

    tree_policy: TreePolicy = uct
    expand: Expansion = expand
    evaluate: Evaluation | None = None
    backpropagate: Backpropagation = backpropagate
    prove: Backpropagation = backpropagate_and_prove
    memory: int = 0
    replies: bool = False
    draws: bool = False
    priors: bool = False
    needs_moves: bool = False
    settings: Mapping[str, float] = field(default_factory=dict)
