"""Process 2, node expansion: the leaf becomes a node, with an edge for each legal action."""

from __future__ import annotations

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.settings import GIVEN, Given
from mcts.tree import EDGES, NODES, PATH, TRACE, TREE, UNEXPANDED, Trace, Tree
from state_manager.rules import GOES_ON, RULES, STATE, Rules, State

EXPANSION = types.void(GIVEN, STATE, types.int64, TREE, TRACE)
"""``expand(given, state, outcome, tree, trace)``: make a node of the leaf that the trace ends at,
unless it is one already."""
Expansion = Callable[[Given, State, int, Tree, Trace], None]
EXPANSION_FUNCTION = function_type(EXPANSION)


@kernel(types.int64(RULES, STATE, types.int64, TREE, TRACE), inner=True)
def new_node(rules: Rules, state: State, outcome: int, tree: Tree, trace: Trace) -> int:
    """Add a node for ``state`` with unvisited edges, none if the game is over; return it.

    Where the tree has no more room for it, nothing is added, and ``UNEXPANDED`` returned.
    """
    node = tree.used[NODES]
    first = tree.used[EDGES]
    count = rules.legal_actions(state, trace.legal) if outcome == GOES_ON else 0
    if node == len(tree.to_play) or first + count > len(tree.action):
        return UNEXPANDED
    tree.to_play[node] = state[0]
    tree.outcome[node] = outcome
    tree.node_visits[node] = 0
    tree.total_values[node] = 0.0
    tree.first_edge[node] = first
    tree.edge_count[node] = count
    for i in range(count):
        tree.action[first + i] = trace.legal[i]
        tree.child[first + i] = UNEXPANDED
        tree.visit_counts[first + i] = 0
        tree.q_values[first + i] = 0.0
        for row in range(len(tree.memory)):
            tree.memory[row, first + i] = 0.0
    tree.used[NODES] = node + 1
    tree.used[EDGES] = first + count
    return node


@kernel(EXPANSION, inner=True)
def expand(given: Given, state: State, outcome: int, tree: Tree, trace: Trace) -> None:
    """Create one node for the leaf and connect it to its parent; a known node stays.

    A tree that is full gets no node: the leaf is evaluated all the same, and counts at its edge,
    from which a node that finds room there later takes over what was counted.
    """
    depth = trace.length[PATH]
    if trace.nodes[depth] == UNEXPANDED:
        leaf = new_node(given.rules, state, outcome, tree, trace)
        trace.nodes[depth] = leaf
        if depth > 0 and leaf != UNEXPANDED:
            edge = trace.edges[depth - 1]
            tree.child[edge] = leaf
            tree.node_visits[leaf] = tree.visit_counts[edge]
            tree.total_values[leaf] = tree.q_values[edge] * tree.visit_counts[edge]
