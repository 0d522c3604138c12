"""Process 2, node expansion: the leaf becomes a node.

Its edges are made on demand, when simulations return to it: first a few, and more when all have
been visited. The search is the same, since the tree policy takes unvisited actions in ascending
order; and it needs a thirtieth of the memory on 11x11. Where edges have memory (``Tree.memory``),
such as priors or RAVE's counts, the tree policy may choose any edge, so all are made at once.
"""

from __future__ import annotations

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.settings import GIVEN, Given
from mcts.tree import (
    ALL,
    EDGES,
    FORCED,
    NODES,
    PATH,
    ROOT,
    TRACE,
    TREE,
    UNEXPANDED,
    Trace,
    Tree,
    move_edge,
)
from state_manager.rules import GOES_ON, INDICES, RULES, STATE, Indices, Rules, State, unsigned

EXPANSION = types.void(GIVEN, STATE, types.int64, TREE, TRACE)
"""``expand(given, state, outcome, tree, trace)``: add a node for the leaf at the end of the trace,
unless it has one."""
Expansion = Callable[[Given, State, int, Tree, Trace], None]
EXPANSION_FUNCTION = function_type(EXPANSION)

_FIRST_EDGES = 4


@kernel(types.int64(RULES, STATE, TRACE), inner=True)
def threats(rules: Rules, state: State, trace: Trace) -> int:
    """Return the winner if a player can win at once in a state where the game goes on, else 0.

    Returns:
        The mover, if it has a winning action; the opponent, if it has two, since the mover can
        prevent only one. Else 0; a single threat writes its action to ``Trace.length[FORCED]``.
    """
    mover = int(state[0])
    if rules.winning_actions(state, mover, trace.legal) > 0:
        return mover
    count = rules.winning_actions(state, 3 - mover, trace.legal)
    if count > 1:
        return 3 - mover
    trace.length[FORCED] = trace.legal[0] if count == 1 else ALL
    return GOES_ON


@kernel(types.void(TREE, types.int64, INDICES, types.int64), inlined=True, inner=True)
def add_edges(tree: Tree, node: int, actions: Indices, count: int) -> None:
    """Give a node unvisited edges until it has ``count``, with these actions, if there is room.

    All its edges move to a new place, so that they stay side by side.
    """
    old, old_count, first = tree.first_edge[node], tree.edge_count[node], tree.used[EDGES]
    if first + count > len(tree.action):
        return
    for i in range(old_count):
        move_edge(tree, old + i, first + i)
    new = range(unsigned(first + old_count), unsigned(first + count))
    for edge in new:
        tree.action[edge] = actions[edge - unsigned(first)]
        tree.child[edge] = UNEXPANDED
        tree.visit_counts[edge] = 0
        tree.q_values[edge] = 0.0
    for row in range(len(tree.memory)):
        for edge in new:
            tree.memory[row, edge] = 0.0
    tree.first_edge[node] = first
    tree.edge_count[node] = count
    tree.used[EDGES] = first + count


@kernel(types.void(RULES, STATE, types.int64, TREE, TRACE), inlined=True, inner=True)
def widen(rules: Rules, state: State, node: int, tree: Tree, trace: Trace) -> None:
    """Give a node that ``has_more`` further edges, if all its edges are visited; the root gets all.

    If the tree is full, the node keeps the edges that it has.
    """
    count = tree.edge_count[node]
    is_tried = count == 0 or tree.visit_counts[tree.first_edge[node] + count - 1] > 0
    if node != ROOT and not is_tried:
        return
    legal = rules.legal_actions(state, trace.legal)
    wanted = legal
    if node != ROOT and len(tree.memory) == 0:
        wanted = min(legal, max(_FIRST_EDGES, 2 * count))
    add_edges(tree, node, trace.legal, wanted)
    tree.has_more[node] = tree.edge_count[node] < legal


@kernel(types.int64(STATE, types.int64, TREE, TRACE), inlined=True, inner=True)
def new_node(state: State, outcome: int, tree: Tree, trace: Trace) -> int:
    """Add a node for ``state`` and return it; it has no edges, or one if an action is forced.

    If the tree is full, add nothing and return ``UNEXPANDED``.
    """
    node = tree.used[NODES]
    if node == len(tree.to_play):
        return UNEXPANDED
    tree.used[NODES] = node + 1
    tree.to_play[node] = state[0]
    tree.outcome[node] = outcome
    tree.node_visits[node] = 0
    tree.total_values[node] = 0.0
    tree.first_edge[node] = 0
    tree.edge_count[node] = 0
    is_forced = trace.length[FORCED] != ALL
    tree.has_more[node] = outcome == GOES_ON and not is_forced
    if outcome == GOES_ON and is_forced:
        trace.legal[0] = trace.length[FORCED]
        add_edges(tree, node, trace.legal, 1)
    return node


@kernel(EXPANSION, inlined=True, inner=True)
def expand(given: Given, state: State, outcome: int, tree: Tree, trace: Trace) -> None:
    """Create one node for the leaf and connect it to its parent; an existing node stays.

    A full tree gets no node: the leaf is still evaluated, and its edge keeps the statistics. A
    node that is created there later takes them over.
    """
    depth = trace.length[PATH]
    if trace.nodes[depth] == UNEXPANDED:
        leaf = new_node(state, outcome, tree, trace)
        trace.nodes[depth] = leaf
        if depth > 0 and leaf != UNEXPANDED:
            edge = trace.edges[depth - 1]
            tree.child[edge] = leaf
            tree.node_visits[leaf] = tree.visit_counts[edge]
            tree.total_values[leaf] = tree.q_values[edge] * tree.visit_counts[edge]


@kernel(EXPANSION, inlined=True, inner=True)
def expand_and_widen(given: Given, state: State, outcome: int, tree: Tree, trace: Trace) -> None:
    """Expand, and make all edges at once."""
    expand(given, state, outcome, tree, trace)
    leaf = trace.nodes[trace.length[PATH]]
    if leaf != UNEXPANDED and tree.has_more[leaf]:
        widen(given.rules, state, leaf, tree, trace)
