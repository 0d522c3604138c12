"""Process 1, tree search: from the root to a leaf by the tree policy."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.node_expansion import lacks_edges
from mcts.settings import CONTEXT, SETTINGS, SearchContext, Settings
from mcts.tree import PATH, SCORES, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import GOES_ON, RNG, STATE, State, unsigned

TREE_POLICY = types.int64(TREE, types.int64, SETTINGS, RNG, SCORES)
"""``tree_policy(tree, node, settings, rng, scores) -> edge``: the edge to follow from a non-final
node. The scores of its edges are written to ``scores``, for those who want to see them."""
Scores = Any
TreePolicy = Callable[[Tree, int, Settings, np.random.Generator, Scores], int]
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
    types.int64(CONTEXT, TREE_POLICY_FUNCTION, STATE, TREE, PATH, RNG), inlined=True, inner=True
)
def tree_search(
    context: SearchContext,
    tree_policy: TreePolicy,
    state: State,
    tree: Tree,
    path: SearchPath,
    rng: np.random.Generator,
) -> int:
    """Walk on from the end of the path to a leaf, and return the outcome there: 0 if it goes on.

    The walk ends where an edge leaves the tree, a result or the depth limit is reached, or a node
    lacks edges. ``state`` is that at the end of the path, in place; a new leaf has no node yet.
    """
    rules, settings = context.rules, context.settings
    depth = path.end.depth
    node, outcome = path.nodes[depth], GOES_ON
    while (
        outcome == GOES_ON
        and node != UNEXPANDED
        and depth < settings.max_depth
        and not lacks_edges(tree, node)
        and tree.nodes[node].edge_count > 0
    ):
        edge = tree_policy(tree, node, settings, rng, path.scores)
        action = int(tree.edges[edge].action)
        outcome = rules.play(state, action)
        node = int(tree.edges[edge].child)
        if node != UNEXPANDED and tree.nodes[node].edge_count == 0:
            outcome = int(tree.nodes[node].outcome)  # final, or solved when it was made
        path.edges[depth] = edge
        path.actions[depth] = action
        depth += 1
        path.nodes[depth] = node
    path.end.depth = path.end.played = depth
    return outcome


@kernel(TREE_POLICY, inlined=True, inner=True)
def uct(tree: Tree, node: int, settings: Settings, rng: np.random.Generator, scores: Scores) -> int:
    """Maximise Q(s,a) + u(s,a) for player 1, minimise Q(s,a) - u(s,a) for player 2.

    u(s,a) = c * sqrt(ln max(1, N(s)) / (1 + N(s,a))). Q of an unvisited edge is 0; ties go to the
    lowest action. Kocsis & Szepesvari 2006; Gelly & Silver 2011, section 3.
    """
    # Minimising Q - u is maximising -Q + u: one loop serves both players.
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    weight = settings.exploration * growth(tree.nodes[node].visit_count)
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for place, edge in enumerate(edges):
        q = sign * tree.edges[edge].q_value
        u = weight * faded(tree.edges[edge].visit_count)
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge
