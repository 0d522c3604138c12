"""A forest: the trees of many games, which advance in lockstep.

Letters: T trees; N, E, D, A as in ``tree.py``. A forest is a ``Tree`` whose arrays have one more
dimension in front, [T, ...], and so is the ``Trace`` of each tree: a tree is a view of its row.
"""

from __future__ import annotations

import numba
from numba import types

from base.jit import kernel
from mcts.tree import TRACE, TREE, Trace, Tree, new_trace, new_tree


def new_forest(trees: int, nodes: int, edges: int, memory: int = 0) -> Tree:
    """Return T empty trees with room for so many nodes and edges each, and V = ``memory``."""
    return new_tree(nodes, edges, memory, (trees,))


def new_traces(trees: int, max_plies: int, num_actions: int) -> Trace:
    """Return a trace for each tree; see ``new_trace``."""
    one = new_trace(max_plies, num_actions)
    return Trace._make(array[None].repeat(trees, axis=0) for array in one)


FOREST = numba.typeof(new_forest(1, 1, 1))
TRACES = numba.typeof(new_traces(1, 1, 1))


@kernel(TREE(FOREST, types.int64), inner=True)
def tree_of(forest: Tree, row: int) -> Tree:
    """Return one tree of a forest, as a view."""
    return Tree(
        forest.to_play[row],
        forest.outcome[row],
        forest.node_visits[row],
        forest.total_values[row],
        forest.first_edge[row],
        forest.edge_count[row],
        forest.action[row],
        forest.child[row],
        forest.visit_counts[row],
        forest.q_values[row],
        forest.memory[row],
        forest.used[row],
    )


@kernel(TRACE(TRACES, types.int64), inner=True)
def trace_of(traces: Trace, row: int) -> Trace:
    """Return the trace of one tree, as a view."""
    return Trace(
        traces.nodes[row],
        traces.edges[row],
        traces.actions[row],
        traces.length[row],
        traces.legal[row],
        traces.scores[row],
        traces.marks[row],
        traces.replies[row],
        traces.lengths[row],
    )
