"""A search variant: a record of four kernels, one for each process.

Most variants replace one of the four and share the rest; the loop in ``search.py`` never changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcts.backpropagation import backpropagate
from mcts.leaf_evaluation import (
    evaluate_by_rollout,
    evaluate_by_rollout_or_critic,
    evaluate_by_uniform_rollout,
)
from mcts.node_expansion import expand
from mcts.settings import Settings
from mcts.tree import Trace, Tree
from mcts.tree_search import uct

TreePolicy = Callable[[Tree, int, Settings, np.random.Generator], int]
Expansion = Callable[..., None]
Evaluation = Callable[..., float]
Backpropagation = Callable[[Tree, Trace, float], None]


@dataclass(frozen=True)
class Variant:
    """The four processes of a search.

    Attributes:
        tree_policy: Process 1, see ``TREE_POLICY``.
        expand: Process 2, see ``EXPANSION``.
        evaluate: Process 3, see ``EVALUATION``.
        backpropagate: Process 4, see ``BACKPROPAGATION``.
    """

    tree_policy: TreePolicy = uct
    expand: Expansion = expand
    evaluate: Evaluation = evaluate_by_rollout
    backpropagate: Backpropagation = backpropagate


UCT_ROLLOUT = Variant()
"""The assignment's search: UCT in the tree, the default policy below it."""
UCT_UNIFORM = Variant(evaluate=evaluate_by_uniform_rollout)
"""The same with uniformly random rollouts, by the game's own fast way."""
UCT_CRITIC = Variant(evaluate=evaluate_by_rollout_or_critic)
"""The same with a critic that stands in for some of the rollouts."""
