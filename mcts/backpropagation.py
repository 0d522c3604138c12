"""Process 4, backpropagation: the leaf's value travels up to the root; so do proven results.

Proofs are those of the MCTS-Solver (Winands, Björnsson & Saito 2008). A node with a move to a
proven win for its mover is a proven win; a node whose moves all lead to proven results has the best
of them. ``Tree.outcome`` has results, proven and final. The edge to a proven win has an infinite Q,
so that every tree policy takes or avoids it. A proven root ends its search.
"""

import math
from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.tree import DEPTH, PATH, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import DRAW, GOES_ON

BACKPROPAGATION = types.void(TREE, PATH, types.float64)
"""``backpropagate(tree, path, value)``: the value is in [-1, 1], seen from player 1."""
Backpropagation = Callable[[Tree, SearchPath, float], None]
BACKPROPAGATION_FUNCTION = function_type(BACKPROPAGATION)

PROOF = types.void(TREE, PATH)
"""``prove(tree, path)``: pass the proven result of a leaf up the tree."""
Proof = Callable[[Tree, SearchPath], None]
PROOF_FUNCTION = function_type(PROOF)


@kernel(BACKPROPAGATION, inner=True)
def backpropagate(tree: Tree, path: SearchPath, value: float) -> None:
    """Count the visit at every node and edge of the path, and add the value at every node.

    All values are seen from player 1; the tree policy minimises where player 2 moves.
    """
    for depth in range(path.numbers[DEPTH], 0, -1):
        edge, node = path.edges[depth - 1], path.nodes[depth]
        if node == UNEXPANDED:  # a leaf without a node, since the tree is full
            total = tree.q_values[edge] * tree.visit_counts[edge] + value
        else:
            tree.node_visits[node] += 1
            tree.total_values[node] += value
            total = tree.total_values[node]
        tree.visit_counts[edge] += 1
        tree.q_values[edge] = total / tree.visit_counts[edge]
    tree.node_visits[path.nodes[0]] += 1
    tree.total_values[path.nodes[0]] += value


@kernel(PROOF, inner=True)
def prove_nothing(tree: Tree, path: SearchPath) -> None:
    """Leave results unproven."""


@kernel(types.int64(TREE, types.int64), inner=True)
def proven_outcome(tree: Tree, node: int) -> int:
    """Return the result that a node's children prove, or 0 if they prove none yet."""
    mover = int(tree.to_play[node])
    best = 3 - mover
    all_proven = not tree.has_more[node]
    for edge in edges_from(tree, node):
        child = tree.child[edge]
        outcome = GOES_ON if child == UNEXPANDED else int(tree.outcome[child])
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
    depth = path.numbers[DEPTH]
    leaf = path.nodes[depth]
    outcome = GOES_ON if leaf == UNEXPANDED else int(tree.outcome[leaf])
    while depth > 0 and outcome != GOES_ON:
        depth -= 1
        if outcome != DRAW:
            tree.q_values[path.edges[depth]] = math.inf if outcome == 1 else -math.inf
        node = path.nodes[depth]
        outcome = proven_outcome(tree, node)
        tree.outcome[node] = outcome
