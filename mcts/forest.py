"""A forest: the trees of the games that are searched together. One game is the common case.

Letters: T trees, W leaves of a tree that may wait together, S length of a state; others as in
``tree.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from mcts.tree import (
    NO_REPLY,
    NODES,
    UNEXPANDED,
    Trace,
    Tree,
    find_below,
    new_trace,
    new_tree,
    retain_subtree,
)
from state_manager.rules import GOES_ON, Indices, Rules, State

NOBODY = 0
"""The player to move in a row of ``Forest.root_states`` that holds no game."""


class Forest(NamedTuple):
    """What a search works on.

    Attributes:
        root_states: `[T, S]` int8, the state at each root; ``NOBODY`` moves where there is no game.
        leaves: `[T, W, S]` int8, the states to which process 1 has walked in each tree.
        left: `[T]` int64, how many simulations are still to be begun; used, as ``waits`` is, where
            leaves are evaluated outside.
        waits: `[T, W]` bool, whether a leaf waits for an answer.
        trees: A ``Tree`` whose arrays have one more dimension in front, [T, ...].
        traces: A ``Trace`` whose arrays have two, [T, W, ...].
    """

    root_states: State
    leaves: State
    left: Indices
    waits: NDArray[np.bool_]
    trees: Tree
    traces: Trace

    def tree(self, row: int) -> Tree:
        """Return one tree, as views."""
        return Tree._make(array[row] for array in self.trees)

    def forget(self, rows: int | slice) -> None:
        """Take the games out of some rows, and empty their trees."""
        self.root_states[rows, 0] = NOBODY
        self.waits[rows] = False
        self.trees.used[rows] = 0
        self.traces.replies[rows] = NO_REPLY
        self.traces.lengths[rows] = 0.0

    def begin(self, row: int, state: State) -> None:
        """Let a row begin with a state, whose tree is planted once it is answered."""
        self.forget(row)
        self.root_states[row] = self.leaves[row, 0] = state
        self.left[row] = 0
        self.waits[row, 0] = True

    def go_to(self, row: int, state: State, rules: Rules) -> bool:
        """Make a state the root of a row, and keep what is known of it; return if it was another.

        If it is one or two moves below the root, its subtree is kept; else the tree is emptied. So
        it is where the node has no edges, since its result was seen at once.
        """
        root_state, tree = self.root_states[row], self.tree(row)
        if np.array_equal(root_state, state):
            return False
        node = UNEXPANDED
        if tree.used[NODES] > 0:  # no tree was planted where an answer from outside failed
            node = find_below(rules, root_state, state, tree)
        if node == UNEXPANDED or (tree.edge_count[node] == 0 and tree.outcome[node] != GOES_ON):
            self.forget(row)
        else:
            root_state[0] = NOBODY  # for another thread that asks meanwhile
            retain_subtree(tree, node)
        root_state[:] = state
        return True


def new_forest(
    trees: int,
    state_length: int,
    max_plies: int,
    num_actions: int,
    edge_memory: int = 0,
    replies: bool = False,
    leaves: int = 1,
) -> Forest:
    """Return a forest without games, with room for a root in each tree; see ``Tree``, ``Trace``."""
    shape = trees, leaves
    trace = new_trace(max_plies, num_actions, replies)
    return Forest(
        root_states=np.full((trees, state_length), NOBODY, np.int8),
        leaves=np.zeros((*shape, state_length), np.int8),
        left=np.zeros(trees, np.int64),
        waits=np.zeros(shape, np.bool_),
        trees=new_tree(1, num_actions, edge_memory, (trees,)),
        traces=Trace._make(np.tile(array, (*shape, *[1] * array.ndim)) for array in trace),
    )


FOREST = numba.typeof(new_forest(1, 1, 1, 1))
