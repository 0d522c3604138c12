"""A forest: the trees of the games that are searched together. One game is the common case.

Letters: T trees, W leaves of a tree that may wait for evaluation together, S length of a state;
others as in ``tree.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.tree import (
    BUDGET,
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
from state_manager.rules import (
    GOES_ON,
    INDICES,
    LEGAL_ACTIONS_FUNCTION,
    Indices,
    Rules,
    State,
    copy_state,
    mark_legal,
)

NOBODY = 0
"""The player to move in a row of ``Forest.root_states`` that holds no game."""


class Forest(NamedTuple):
    """The data of a search: states, trees and traces.

    Attributes:
        root_states: `[T, S]` int8, the state at each root; the mover of an empty row is ``NOBODY``.
        leaves: `[T, W, S]` int8, the leaf states that process 1 has reached in each tree.
        left: `[T]` int64, the remaining simulations, without those that wait.
        waits: `[T, W]` bool, whether a leaf waits for evaluation outside.
        trees: A ``Tree`` whose arrays have a leading dimension, [T, ...].
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
        """Remove the games from some rows, and empty their trees."""
        self.root_states[rows, 0] = NOBODY
        self.waits[rows] = False
        self.trees.used[rows] = 0
        self.traces.replies[rows] = NO_REPLY
        self.traces.lengths[rows] = 0.0

    def begin(self, row: int, state: State) -> None:
        """Start a row from a state; its root is initialised once the state is evaluated."""
        self.forget(row)
        self.root_states[row] = self.leaves[row, 0] = state
        self.left[row] = 0
        self.waits[row, 0] = True

    def go_to(self, row: int, state: State, rules: Rules) -> bool:
        """Make a state the root of a row, and keep its subtree; return whether the root changed.

        The subtree is kept if the state is one or two moves below the root and its node has edges
        or no result yet; else the tree is emptied.
        """
        root_state, tree = self.root_states[row], self.tree(row)
        if np.array_equal(root_state, state):
            return False
        node = UNEXPANDED
        if tree.used[NODES] > 0:  # there is no root where an evaluation outside failed
            scratch = np.empty((2, len(state)), np.int8)
            node = find_below(rules, root_state, state, tree, *scratch)
        if node == UNEXPANDED or (tree.edge_count[node] == 0 and tree.outcome[node] != GOES_ON):
            self.forget(row)
        else:
            root_state[0] = NOBODY  # so that ``best_so_far`` in another thread reads no half tree
            rooms = (np.full(count, UNEXPANDED, np.int32) for count in tree.used[:BUDGET])
            retain_subtree(tree, node, *rooms)
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

_WAITS = types.boolean[:, ::1]


@kernel(
    types.int64(
        LEGAL_ACTIONS_FUNCTION,
        _WAITS,
        types.int8[:, :, ::1],
        types.int8[:, ::1],
        types.boolean[:, ::1],
        INDICES,
    )
)
def gather_leaves(
    legal_actions: Callable[[State, Indices], int],
    waits: NDArray[np.bool_],
    leaves: State,
    states: State,
    legal: NDArray[np.bool_],
    actions: Indices,
) -> int:
    """Copy the waiting leaves into one batch.

    The batch is padded with copies: with several games always to T * W states, so that no result
    depends on the number of other games; with one game to a power of two.

    Args:
        legal_actions: The game's.
        waits: `[T, W]`.
        leaves: `[T, W, S]`.
        states: `[T * W, S]`, changed in place.
        legal: `[T * W, A]`, whether an action is legal; all False before, changed in place.
        actions: `[A]`, scratch memory.

    Returns:
        The size of the batch; 0 if no leaf waits.
    """
    count = 0
    for row in range(len(waits)):
        for place in range(waits.shape[1]):
            if waits[row, place]:
                copy_state(leaves[row, place], states[count])
                count += 1
    size = len(states) if count > 0 else 0
    if len(waits) == 1:
        while size >= 2 * count > 0:
            size //= 2
    for row in range(size):
        if row >= count:
            copy_state(states[row - count], states[row])
    mark_legal(legal_actions, states[:size], legal, actions)
    return size


@kernel(
    types.void(_WAITS, types.float64[:, ::1], types.float64[::1], types.float64[:, :, ::1]),
)
def hand_out_answers(
    waits: NDArray[np.bool_],
    policies: NDArray[np.float64],
    values: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Copy the evaluations to the waiting leaves, rounded to float32.

    Args:
        waits: `[T, W]`.
        policies: `[B, A]`.
        values: `[B]`, or `[0]` without a critic.
        scores: `[T, W, A + 1]`, changed in place.
    """
    count = 0
    for row in range(len(waits)):
        for place in range(waits.shape[1]):
            if waits[row, place]:
                for action in range(policies.shape[1]):
                    scores[row, place, action] = np.float32(policies[count, action])
                if len(values) > 0:
                    scores[row, place, policies.shape[1]] = np.float32(values[count])
                count += 1
