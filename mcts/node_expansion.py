"""Process 2, node expansion: the leaf becomes a node.

Its edges are made on demand, when simulations return to it: first a few, and more when all have
been visited. The search is the same, since the tree policy takes unvisited actions in ascending
order; and it needs a thirtieth of the memory on 11x11. Where edges have memory (``Tree.memory``),
such as priors or RAVE's counts, the tree policy may choose any edge, so the first return makes all.
"""

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.settings import CONTEXT, SearchContext
from mcts.tree import (
    ANY,
    DEPTH,
    EDGES,
    FORCED,
    NODES,
    PATH,
    ROOT,
    TREE,
    UNEXPANDED,
    SearchPath,
    Tree,
    move_edge,
)
from state_manager.rules import GOES_ON, INDICES, RULES, STATE, Indices, Rules, State, unsigned

EXPANSION = types.void(CONTEXT, STATE, types.int64, TREE, PATH)
"""``expand(context, state, outcome, tree, path)``: add a node for the leaf at the end of the path,
unless it has one."""
Expansion = Callable[[SearchContext, State, int, Tree, SearchPath], None]
EXPANSION_FUNCTION = function_type(EXPANSION)

WIDENING = types.void(CONTEXT, STATE, types.int64, TREE, PATH)
"""``widen(context, state, node, tree, path)``: give a node that ``has_more`` further edges."""
Widening = Callable[[SearchContext, State, int, Tree, SearchPath], None]
WIDENING_FUNCTION = function_type(WIDENING)

FIRST_EDGES = 4


@kernel(types.int64(RULES, STATE, PATH), inner=True)
def threats(rules: Rules, state: State, path: SearchPath) -> int:
    """Return the winner if a player can win at once in a state where the game goes on, else 0.

    The mover needs a winning action, the opponent two, since the mover can prevent one. A single
    threat writes its action to the path.
    """
    mover = int(state[0])
    if rules.winning_actions(state, mover, path.legal) > 0:
        return mover
    count = rules.winning_actions(state, 3 - mover, path.legal)
    if count > 1:
        return 3 - mover
    path.numbers[FORCED] = path.legal[0] if count == 1 else ANY
    return GOES_ON


@kernel(types.void(TREE, types.int64, INDICES, types.int64), inlined=True, inner=True)
def add_edges(tree: Tree, node: int, actions: Indices, count: int) -> None:
    """Give a node unvisited edges up to ``count``, if there is room; all move, side by side."""
    parent, first = tree.nodes[node], tree.counts[EDGES]
    if first + count > len(tree.edges):
        return
    for i in range(parent.edge_count):
        move_edge(tree, parent.first_edge + i, first + i)
    places = range(unsigned(first + parent.edge_count), unsigned(first + count))
    for place in places:
        edge = tree.edges[place]
        edge.action = actions[place - unsigned(first)]
        edge.child = UNEXPANDED
        edge.visit_count = 0
        edge.q_value = 0.0
    for row in range(len(tree.memory)):
        for place in places:
            tree.memory[row, place] = 0.0
    parent.first_edge = first
    parent.edge_count = count
    tree.counts[EDGES] = first + count


@kernel(types.boolean(TREE, types.int64), inlined=True, inner=True)
def lacks_edges(tree: Tree, node: int) -> bool:
    """Return whether a node ``has_more`` and has visited all its edges, or is the root."""
    parent = tree.nodes[node]
    last = parent.first_edge + parent.edge_count - 1
    is_tried = parent.edge_count == 0 or tree.edges[last].visit_count > 0
    return parent.has_more and (is_tried or node == ROOT)


@kernel(WIDENING, inlined=True, inner=True)
def widen(context: SearchContext, state: State, node: int, tree: Tree, path: SearchPath) -> None:
    """Double a node's edges; the root gets all. If the tree is full, the node keeps its edges."""
    legal = context.rules.legal_actions(state, path.legal)
    wanted = legal
    if node != ROOT and len(tree.memory) == 0:
        wanted = min(legal, max(FIRST_EDGES, 2 * tree.nodes[node].edge_count))
    add_edges(tree, node, path.legal, wanted)
    tree.nodes[node].has_more = tree.nodes[node].edge_count < legal


@kernel(types.int64(STATE, types.int64, TREE, PATH), inlined=True, inner=True)
def new_node(state: State, outcome: int, tree: Tree, path: SearchPath) -> int:
    """Add a node for ``state``, with an edge if one is forced; return ``UNEXPANDED`` if full."""
    node = tree.counts[NODES]
    if node == len(tree.nodes):
        return UNEXPANDED
    tree.counts[NODES] = node + 1
    leaf = tree.nodes[node]
    leaf.to_play = state[0]
    leaf.outcome = outcome
    leaf.visit_count = 0
    leaf.total_value = 0.0
    leaf.first_edge = 0
    leaf.edge_count = 0
    is_forced = path.numbers[FORCED] != ANY
    leaf.has_more = outcome == GOES_ON and not is_forced
    if outcome == GOES_ON and is_forced:
        path.legal[0] = path.numbers[FORCED]
        add_edges(tree, node, path.legal, 1)
    return node


@kernel(EXPANSION, inlined=True, inner=True)
def expand(
    context: SearchContext, state: State, outcome: int, tree: Tree, path: SearchPath
) -> None:
    """Create one node for the leaf and connect it to its parent; an existing node stays.

    In a full tree, the leaf's edge keeps the statistics, until a node is created there later.
    """
    depth = path.numbers[DEPTH]
    if path.nodes[depth] == UNEXPANDED:
        leaf = new_node(state, outcome, tree, path)
        path.nodes[depth] = leaf
        if depth > 0 and leaf != UNEXPANDED:
            edge = tree.edges[path.edges[depth - 1]]
            edge.child = leaf
            tree.nodes[leaf].visit_count = edge.visit_count
            tree.nodes[leaf].total_value = edge.q_value * edge.visit_count
