"""Process 2, node expansion: the leaf becomes a node.

Its edges are made on demand, when simulations return to it: first a few, and more when all have
been visited. The search is the same, since the tree policy takes unvisited actions in ascending
order; and it needs a thirtieth of the memory on 11x11. Where the tree policy may take any unvisited
action first, because edges have priors or other statistics, the first return makes all.
"""

from collections.abc import Callable

from numba import types

from base.jit import kernel
from mcts.settings import CONTEXT, SearchContext
from mcts.tree import ANY, PATH, ROOT, TREE, UNEXPANDED, SearchPath, Tree, move_edge
from state_manager.rules import GOES_ON, INDICES, STATE, Indices, State, unsigned

EXPANSION = types.void(CONTEXT, STATE, types.int64, TREE, PATH)
"""``expand(context, state, outcome, tree, path)``: add a node for the leaf at the end of the path,
unless it has one."""
Expansion = Callable[[SearchContext, State, int, Tree, SearchPath], None]

EDGES = types.void(CONTEXT, STATE, types.int64, TREE, PATH)
"""``make_edges(context, state, node, tree, path)``: give a node that ``has_more`` further edges."""
MakeEdges = Callable[[SearchContext, State, int, Tree, SearchPath], None]

FIRST_EDGES = 4


@kernel(types.void(TREE, types.int64, INDICES, types.int64), inlined=True, inner=True)
def add_edges(tree: Tree, node: int, actions: Indices, count: int) -> None:
    """Give a node unvisited edges up to ``count``, if there is room; all move, side by side."""
    parent, first = tree.nodes[node], tree.size.edges
    if first + count > len(tree.edges):
        tree.size.is_full = True
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
    if len(tree.statistics) > 0:
        for place in places:
            tree.statistics[place].count = tree.statistics[place].total = 0.0
    parent.first_edge = first
    parent.edge_count = count
    tree.size.edges = first + count


@kernel(types.boolean(TREE, types.int64), inlined=True, inner=True)
def lacks_edges(tree: Tree, node: int) -> bool:
    """Return whether a node ``has_more`` and has visited all its edges, or is the root."""
    parent = tree.nodes[node]
    if not parent.has_more or tree.size.is_full:
        return False
    last = parent.first_edge + parent.edge_count - 1
    return node == ROOT or parent.edge_count == 0 or tree.edges[last].visit_count > 0


@kernel(EDGES, inlined=True, inner=True)
def make_edges(
    context: SearchContext, state: State, node: int, tree: Tree, path: SearchPath
) -> None:
    """Double a node's edges; the root gets all."""
    legal = context.rules.legal_actions(state, path.legal)
    wanted = legal
    if node != ROOT and len(tree.statistics) == 0:
        wanted = min(legal, max(FIRST_EDGES, 2 * tree.nodes[node].edge_count))
    add_edges(tree, node, path.legal, wanted)
    tree.nodes[node].has_more = tree.nodes[node].edge_count < legal


@kernel(types.int64(STATE, types.int64, TREE, PATH), inlined=True, inner=True)
def new_node(state: State, outcome: int, tree: Tree, path: SearchPath) -> int:
    """Add a node for ``state``, with an edge if one is forced; return ``UNEXPANDED`` if full."""
    node = tree.size.nodes
    if node == len(tree.nodes):
        return UNEXPANDED
    tree.size.nodes = node + 1
    leaf, forced = tree.nodes[node], path.end.forced
    leaf.to_play = state[0]
    leaf.outcome = outcome
    leaf.visit_count = 0
    leaf.total_value = 0.0
    leaf.first_edge = 0
    leaf.edge_count = 0
    leaf.has_more = outcome == GOES_ON and forced == ANY
    if outcome == GOES_ON and forced != ANY:
        path.legal[0] = forced
        add_edges(tree, node, path.legal, 1)
    return node


@kernel(EXPANSION, inlined=True, inner=True)
def expand(
    context: SearchContext, state: State, outcome: int, tree: Tree, path: SearchPath
) -> None:
    """Create one node for the leaf and connect it to its parent; an existing node stays.

    In a full tree, the leaf's edge keeps the statistics, until a node is created there later.
    """
    depth = path.end.depth
    if path.nodes[depth] == UNEXPANDED:
        leaf = new_node(state, outcome, tree, path)
        path.nodes[depth] = leaf
        if depth > 0 and leaf != UNEXPANDED:
            edge = tree.edges[path.edges[depth - 1]]
            edge.child = leaf
            tree.nodes[leaf].visit_count = edge.visit_count
            tree.nodes[leaf].total_value = edge.q_value * edge.visit_count
