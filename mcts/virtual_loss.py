"""Leaves of one tree that wait together for their evaluations from outside.

While a leaf waits, its simulation has not been counted, so the next one would take the same path.
With a virtual loss (Chaslot et al. 2008, "Parallel Monte-Carlo Tree Search"), every edge on the way
to it counts one more visit meanwhile, lost by its mover. PUCT (``variants/puct.py``) needs this.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from numba import types

from base.jit import kernel
from mcts.tree import PATH, PATHS, ROOT, TREE, UNEXPANDED, SearchPath, Tree

LEAST_VISITS = 32
"""Visits of the root for each leaf that may wait: a small tree has few good ones."""

OVERTAKES = types.boolean(TREE, PATHS, types.int64)
"""``overtakes(tree, paths, place) -> bool``: whether the simulation of the last path, at ``place``,
must be repeated after those that wait before it."""
Overtakes = Callable[[Tree, SearchPath, int], bool]

BEGIN_WAITING = types.void(TREE, PATH)
"""``begin_waiting(tree, path)``: the leaf of the path begins to wait."""
BeginWaiting = Callable[[Tree, SearchPath], None]

END_WAITING = types.boolean(TREE, PATH)
"""``end_waiting(tree, path) -> bool``: undo ``begin_waiting``, and return whether the simulation
may go on: not if one of its moves has been proven meanwhile."""
EndWaiting = Callable[[Tree, SearchPath], bool]


class Waiting(NamedTuple):
    """What keeps the simulations apart whose leaves wait together."""

    overtakes: Overtakes
    begin_waiting: BeginWaiting
    end_waiting: EndWaiting


@kernel(OVERTAKES, inner=True)
def never(tree: Tree, paths: SearchPath, place: int) -> bool:
    """Return False: a leaf that waits alone overtakes none."""
    return False


@kernel(BEGIN_WAITING, inner=True)
def count_nothing(tree: Tree, path: SearchPath) -> None:
    """Leave the tree as it is."""


@kernel(END_WAITING, inner=True)
def is_open(tree: Tree, path: SearchPath) -> bool:
    """Return True: no other simulation has ended meanwhile."""
    return True


ALONE = Waiting(never, count_nothing, is_open)


@kernel(OVERTAKES, inner=True)
def reaches_a_waiting_leaf(tree: Tree, paths: SearchPath, place: int) -> bool:
    """Return whether the leaf waits already, or the tree is too small for another one."""
    last = paths.edges[place, paths.end[place].depth - 1]
    for earlier in range(place):
        if paths.edges[earlier, paths.end[earlier].depth - 1] == last:
            return True
    return place > tree.nodes[ROOT].visit_count // LEAST_VISITS


@kernel(BEGIN_WAITING, inner=True)
def add_virtual_loss(tree: Tree, path: SearchPath) -> None:
    """Count a visit of every edge of the path, as a loss of its mover."""
    for depth in range(path.end.depth):
        edge = tree.edges[path.edges[depth]]
        edge.visit_count += 1
        loss = -1.0 if tree.nodes[path.nodes[depth]].to_play == 1 else 1.0
        edge.q_value += (loss - edge.q_value) / edge.visit_count


@kernel(END_WAITING, inner=True)
def remove_virtual_loss(tree: Tree, path: SearchPath) -> bool:
    """Undo ``add_virtual_loss``; return whether no edge has been proven meanwhile."""
    no_edge_is_proven = True
    for depth in range(path.end.depth):
        edge = tree.edges[path.edges[depth]]
        edge.visit_count -= 1
        if math.isinf(edge.q_value):
            no_edge_is_proven = False
        elif edge.visit_count == 0:
            edge.q_value = 0.0
        elif edge.child != UNEXPANDED:
            edge.q_value = tree.nodes[edge.child].total_value / edge.visit_count
        else:  # the tree is full
            loss = -1.0 if tree.nodes[path.nodes[depth]].to_play == 1 else 1.0
            edge.q_value += (edge.q_value - loss) / edge.visit_count
    return no_edge_is_proven


VIRTUAL_LOSS = Waiting(reaches_a_waiting_leaf, add_virtual_loss, remove_virtual_loss)
