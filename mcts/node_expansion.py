"""Process 2, node expansion: the leaf becomes a node, with an edge for each legal action."""

from __future__ import annotations

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.settings import GIVEN, Given
from mcts.tree import ALL, EDGES, FORCED, NODES, PATH, TRACE, TREE, UNEXPANDED, Trace, Tree
from state_manager.rules import GOES_ON, RULES, STATE, Rules, State

EXPANSION = types.void(GIVEN, STATE, types.int64, TREE, TRACE)
"""``expand(given, state, outcome, tree, trace)``: make a node of the leaf that the trace ends at,
unless it is one already."""
Expansion = Callable[[Given, State, int, Tree, Trace], None]
EXPANSION_FUNCTION = function_type(EXPANSION)


@kernel(types.int64(RULES, STATE, TRACE), inner=True)
def threats(rules: Rules, state: State, trace: Trace) -> int:
    """Look at who can win at once in a state where the game goes on.

    Returns:
        The mover, if it can; the opponent, if it could in two ways, of which the mover can prevent
        only one. Else 0, and a single threat leaves one action in ``Trace.length[FORCED]``.
    """
    mover = int(state[0])
    if rules.winning_actions(state, mover, trace.legal) > 0:
        return mover
    count = rules.winning_actions(state, 3 - mover, trace.legal)
    if count > 1:
        return 3 - mover
    trace.length[FORCED] = trace.legal[0] if count == 1 else ALL
    return GOES_ON


@kernel(types.int64(RULES, STATE, types.int64, TREE, TRACE), inner=True)
def new_node(rules: Rules, state: State, outcome: int, tree: Tree, trace: Trace) -> int:
    """Add a node for ``state`` with unvisited edges, none if the game is over; return it.

    Where the tree has no more room for it, nothing is added, and ``UNEXPANDED`` returned.
    """
    node = tree.used[NODES]
    first = tree.used[EDGES]
    count = rules.legal_actions(state, trace.legal) if outcome == GOES_ON else 0
    if trace.length[FORCED] != ALL and count > 0:
        trace.legal[0], count = trace.length[FORCED], 1
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
