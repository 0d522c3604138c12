"""Slots: the searches that run side by side. One slot is the common case.

Letters: T slots, W leaves of a slot that may wait for evaluation together, B = T W; S length of a
state; others as in ``tree.py``.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, row_of
from mcts.kept_evaluations import KeptEvaluations, new_kept_evaluations
from mcts.tree import (
    NO_REPLY,
    UNEXPANDED,
    SearchPath,
    Tree,
    find_below,
    new_paths,
    new_trees,
    retain_subtree,
    tree_of,
)
from state_manager.rules import GOES_ON, RULES, STATE, Indices, Rules, State, copy_state, mark_legal

NO_GAME = 0
"""The player to move in a row of ``Slots.root_states`` that holds no game."""


class Slots(NamedTuple):
    """Each slot has a game, its tree, and simulations; all slots share the batch."""

    root_states: State  # [T, S], the state at each root; the mover of an empty slot is ``NO_GAME``
    left: Indices  # [T], the simulations that have not begun
    # [T], whether no simulation was left, or the root was proven, after the last ``back_up``
    is_over: NDArray[np.bool_]
    is_new: NDArray[np.bool_]  # [T], whether the root has not got its noise yet
    noise: NDArray[np.float64]  # [T, A], numbers for the noise at each root; A is 0 without noise
    leaves: State  # [T, W, S], the leaf states that process 1 has reached in each tree
    waits: NDArray[np.bool_]  # [T, W], whether a leaf waits for evaluation outside
    is_open: NDArray[np.bool_]  # [T, W], whether its simulation may go on, see ``Waiting``
    states: State  # [B, S], the batch of waiting leaves; B is 0 where they are evaluated inside
    legal: NDArray[np.bool_]  # [B, A], the actions that are legal in each
    policies: NDArray[np.float32]  # [B, A], their policies
    values: NDArray[np.float32]  # [B], their values, seen from player 1
    kept: KeptEvaluations  # of earlier batches; none if T = 1 or W > 1
    trees: Tree  # its arrays have a leading dimension, [T, ...]
    paths: SearchPath  # its arrays have two, [T, W, ...]

    def tree(self, row: int) -> Tree:
        """Return one tree, as views."""
        return tree_of(self.trees, row)

    def clear(self, rows: int | slice = slice(None)) -> None:
        """Remove the games from some slots, and empty their trees."""
        self.root_states[rows, 0] = NO_GAME
        self.left[rows] = 0
        self.waits[rows] = False
        self.trees.size[rows] = (0, 0, False)
        self.paths.replies[rows] = NO_REPLY
        self.paths.lengths[rows] = 0.0

    def go_to(self, row: int, state: State, rules: Rules) -> None:
        """Make a state the root of a slot, and keep its subtree.

        The subtree is kept if the state is one or two moves below the root and its node has edges
        or no result yet; else the tree is emptied.
        """
        root_state, tree = self.root_states[row], self.tree(row)
        if np.array_equal(root_state, state):
            return
        node = UNEXPANDED
        if tree.size.nodes > 0:  # there is no root where an evaluation outside failed
            scratch = np.empty((2, len(state)), np.int8)
            node = find_below(rules, root_state, state, tree, *scratch)
        below = None if node == UNEXPANDED else tree.nodes[node]
        if below is None or (below.edge_count == 0 and below.outcome != GOES_ON):
            self.clear(row)
        else:
            root_state[0] = NO_GAME  # so that ``best_so_far`` in another thread reads no half tree
            number = np.full(tree.size.nodes, UNEXPANDED, np.int32)
            owner = np.full(tree.size.edges, UNEXPANDED, np.int32)
            retain_subtree(tree, node, number, owner)
        root_state[:] = state
        self.is_new[row] = True


def new_slots(
    sizes: tuple[int, int, int],
    slots: int = 1,
    *,
    leaves: int = 0,
    priors: bool = False,
    statistics: bool = False,
    replies: bool = False,
    noise: bool = False,
) -> Slots:
    """Return slots without games, with room for a root in each tree.

    ``sizes`` are the game's S, D and A; ``slots`` is T; ``leaves`` is W with evaluation outside, 0
    inside. Edges may have ``priors`` or ``statistics``, paths ``replies``, roots ``noise``.
    """
    state_length, max_plies, num_actions = sizes
    shape, batch = (slots, max(1, leaves)), slots * leaves
    trees = new_trees(
        slots, 1, num_actions, num_actions, priors=priors, statistics=statistics, outside=leaves > 0
    )
    return Slots(
        root_states=np.full((slots, state_length), NO_GAME, np.int8),
        left=np.zeros(slots, np.int64),
        is_over=np.zeros(slots, np.bool_),
        is_new=np.zeros(slots, np.bool_),
        noise=np.zeros((slots, num_actions if noise else 0)),
        leaves=np.zeros((*shape, state_length), np.int8),
        waits=np.zeros(shape, np.bool_),
        is_open=np.zeros(shape, np.bool_),
        states=np.zeros((batch, state_length), np.int8),
        legal=np.zeros((batch, num_actions), np.bool_),
        policies=np.zeros((batch, num_actions), np.float32),
        values=np.zeros(batch, np.float32),
        # A single slot has batches of several sizes, and leaves that wait together affect each
        # other: there, a result would depend on which evaluations are kept.
        kept=new_kept_evaluations(state_length, num_actions, leaves == 1 and slots > 1),
        trees=trees,
        paths=new_paths(shape, max_plies, num_actions, replies),
    )


SLOTS = numba.typeof(new_slots((1, 1, 1)))


@kernel(types.void(SLOTS, types.int64, STATE, types.int64))
def begin(slots: Slots, row: int, state: State, simulations: int) -> None:
    """Begin a search in a slot, with an empty tree; ``Slots.noise`` has the numbers of its root."""
    copy_state(state, slots.root_states[row])
    tree = row_of(slots.trees, row)
    tree.size.nodes = tree.size.edges = 0
    tree.size.is_full = False
    tree.root.simulations = slots.left[row] = simulations
    slots.is_new[row] = True
    for place in range(slots.waits.shape[1]):
        slots.waits[row, place] = False


@kernel(types.int64(RULES, SLOTS), inner=True)
def gather(rules: Rules, slots: Slots) -> int:
    """Gather the leaves that wait in one batch, and return its size; 0 if no leaf waits.

    It is padded with copies: with several slots always to B states, so that no result depends on
    the other games; with one slot to a power of two.
    """
    size, count = len(slots.states), 0
    for row in range(len(slots.root_states)):
        for place in range(slots.waits.shape[1]):
            if slots.waits[row, place]:
                copy_state(slots.leaves[row, place], slots.states[count])
                count += 1
    if count == 0:
        return 0
    if len(slots.root_states) == 1:
        while size >= 2 * count:
            size //= 2
    for row in range(size):
        if row >= count:
            copy_state(slots.states[row - count], slots.states[row])
        for action in range(slots.legal.shape[1]):
            slots.legal[row, action] = False
    mark_legal(rules.legal_actions, slots.states[:size], slots.legal, slots.paths.legal[0, 0])
    return size
