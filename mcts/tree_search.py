"""Process 1, tree search: from the root to a leaf by the tree policy."""

import math
from collections.abc import Callable

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.node_expansion import WIDENING_FUNCTION, Widening, lacks_edges
from mcts.settings import CONTEXT, EXPLORATION, MAX_DEPTH, SETTINGS, SearchContext, Settings
from mcts.tree import DEPTH, PATH, PLAYED, ROOT, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import GOES_ON, RNG, STATE, State, unsigned

TREE_POLICY = types.int64(TREE, types.int64, SETTINGS, RNG)
"""``tree_policy(tree, node, settings, rng) -> edge``: the edge to follow from a non-final node."""
TreePolicy = Callable[[Tree, int, Settings, np.random.Generator], int]
TREE_POLICY_FUNCTION = function_type(TREE_POLICY)

# Most counts are small.
_FEW = np.uint64(4096)
_FADED = np.array([1.0 / math.sqrt(1.0 + count) for count in range(int(_FEW))])
_GROWTH = np.array([math.sqrt(math.log(max(1.0, count))) for count in range(int(_FEW))])


@kernel(types.float64(types.int32), inlined=True, inner=True)
def faded(count: int) -> float:
    """Return 1 / sqrt(1 + N(s,a)), by which exploration fades."""
    place = unsigned(count)
    if place < _FEW:
        return float(_FADED[place])
    return 1.0 / math.sqrt(1.0 + count)


@kernel(types.float64(types.int32), inlined=True, inner=True)
def growth(count: int) -> float:
    """Return sqrt(ln max(1, N(s))), by which exploration grows."""
    place = unsigned(count)
    if place < _FEW:
        return float(_GROWTH[place])
    return math.sqrt(math.log(float(count)))


@kernel(
    types.int64(CONTEXT, TREE_POLICY_FUNCTION, WIDENING_FUNCTION, STATE, TREE, PATH, RNG),
    inlined=True,
    inner=True,
)
def tree_search(
    context: SearchContext,
    tree_policy: TreePolicy,
    widen: Widening,
    state: State,
    tree: Tree,
    path: SearchPath,
    rng: np.random.Generator,
) -> int:
    """Walk from the root until an edge leaves the tree, a result is reached, or the depth limit.

    ``state`` is the root's and becomes the leaf's, in place. The path gets the nodes, edges and
    actions; a new leaf has no node yet. Return the outcome at the leaf: 0 if the game goes on.
    """
    rules, settings = context.rules, context.settings
    node, depth = ROOT, 0
    outcome = int(tree.nodes[ROOT].outcome)
    path.nodes[0] = ROOT
    max_depth = settings[MAX_DEPTH]
    while outcome == GOES_ON and node != UNEXPANDED and depth < max_depth:
        if lacks_edges(tree, node):
            widen(context, state, node, tree, path)
            if tree.nodes[node].edge_count == 0:
                break  # the tree is full: the node stays a leaf
        edge = tree_policy(tree, node, settings, rng)
        action = int(tree.edges[edge].action)
        outcome = rules.play(state, action)
        node = int(tree.edges[edge].child)
        if node != UNEXPANDED and tree.nodes[node].edge_count == 0:
            outcome = int(tree.nodes[node].outcome)  # final, or solved when it was made
        path.edges[depth] = edge
        path.actions[depth] = action
        depth += 1
        path.nodes[depth] = node
    path.numbers[DEPTH] = depth
    path.numbers[PLAYED] = depth
    return outcome


@kernel(TREE_POLICY, inner=True)
def uct(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Maximise Q(s,a) + u(s,a) for player 1, minimise Q(s,a) - u(s,a) for player 2.

    u(s,a) = c * sqrt(ln max(1, N(s)) / (1 + N(s,a))). Q of an unvisited edge is 0; ties go to the
    lowest action. Kocsis & Szepesvari 2006; Gelly & Silver 2011, section 3.
    """
    # Minimising Q - u is maximising -Q + u: one loop serves both players.
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    weight = settings[EXPLORATION] * growth(tree.nodes[node].visit_count)
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for edge in edges:
        score = sign * tree.edges[edge].q_value + weight * faded(tree.edges[edge].visit_count)
        if score > best_score:
            best_edge, best_score = edge, score
    return best_edge
