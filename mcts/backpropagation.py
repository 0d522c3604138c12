"""Process 4, backpropagation: the leaf's value travels up to the root; so do proven results.

Proofs are those of the MCTS-Solver (Winands, Björnsson & Saito 2008). A node with a move to a
proven win for its mover is a proven win; a node whose moves all lead to proven results has the best
of them. A node's ``outcome`` has results, proven and final. The edge to a proven win has an
infinite Q, so that every tree policy takes or avoids it. A proven root ends its search.
"""

import math
from collections.abc import Callable

from numba import types

from base.jit import kernel
from mcts.tree import PATH, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import DRAW, GOES_ON

BACKPROPAGATION = types.void(TREE, PATH, types.float64)
"""``backpropagate(tree, path, value)``: the value is in [-1, 1], seen from player 1."""
Backpropagation = Callable[[Tree, SearchPath, float], None]

PROOF = types.void(TREE, PATH)
"""``prove(tree, path)``: pass the proven result of a leaf up the tree."""
Prove = Callable[[Tree, SearchPath], None]


@kernel(BACKPROPAGATION, inner=True)
def backpropagate(tree: Tree, path: SearchPath, value: float) -> None:
    """Count the visit at every node and edge of the path, and add the value at every node.

    All values are seen from player 1; the tree policy minimises where player 2 moves.
    """
    for depth in range(path.end.depth, 0, -1):
        edge, node = tree.edges[path.edges[depth - 1]], path.nodes[depth]
        total = edge.q_value * edge.visit_count + value
        if node != UNEXPANDED:  # else it is a leaf without a node, since the tree is full
            tree.nodes[node].visit_count += 1
            tree.nodes[node].total_value += value
            total = tree.nodes[node].total_value
        edge.visit_count += 1
        edge.q_value = total / edge.visit_count
    tree.nodes[path.nodes[0]].visit_count += 1
    tree.nodes[path.nodes[0]].total_value += value


@kernel(PROOF, inner=True)
def prove_nothing(tree: Tree, path: SearchPath) -> None:
    """Leave results unproven."""


@kernel(types.int64(TREE, types.int64), inner=True)
def proven_outcome(tree: Tree, node: int) -> int:
    """Return the result that a node's children prove, or 0 if they prove none yet."""
    mover = int(tree.nodes[node].to_play)
    best = 3 - mover
    all_proven = not tree.nodes[node].has_more
    for edge in edges_from(tree, node):
        child = tree.edges[edge].child
        outcome = GOES_ON if child == UNEXPANDED else int(tree.nodes[child].outcome)
        if outcome == mover:
            return mover
        if outcome == GOES_ON:
            all_proven = False
        elif outcome == DRAW:
            best = DRAW
    return best if all_proven else GOES_ON


@kernel(PROOF, inner=True)
def prove(tree: Tree, path: SearchPath) -> None:
    """If the leaf's result is certain, pass it up the path as far as it proves nodes."""
    depth = path.end.depth
    leaf = path.nodes[depth]
    outcome = GOES_ON if leaf == UNEXPANDED else int(tree.nodes[leaf].outcome)
    while depth > 0 and outcome != GOES_ON:
        depth -= 1
        if outcome != DRAW:
            tree.edges[path.edges[depth]].q_value = math.inf if outcome == 1 else -math.inf
        node = path.nodes[depth]
        outcome = proven_outcome(tree, node)
        tree.nodes[node].outcome = outcome
