"""Process 4, backpropagation: the leaf's value travels up to the root."""

from __future__ import annotations

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.tree import DEPTH, PATH, TREE, UNEXPANDED, SearchPath, Tree

BACKPROPAGATION = types.void(TREE, PATH, types.float64)
"""``backpropagate(tree, path, value)``: the value is in [-1, 1], seen from player 1."""
Backpropagation = Callable[[Tree, SearchPath, float], None]
BACKPROPAGATION_FUNCTION = function_type(BACKPROPAGATION)

PROOF = types.void(TREE, PATH)
"""``prove(tree, path)``: pass the proven result of a leaf up the tree; see ``proof.py``."""
Proof = Callable[[Tree, SearchPath], None]
PROOF_FUNCTION = function_type(PROOF)


@kernel(BACKPROPAGATION, inner=True)
def backpropagate(tree: Tree, path: SearchPath, value: float) -> None:
    """Count the visit at every node and edge of the path, and add the value at every node.

    All values are seen from player 1, so nothing changes sign on the way up; the tree policy
    minimises where player 2 moves.
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


@kernel(PROOF, inner=True)
def prove_nothing(tree: Tree, path: SearchPath) -> None:
    """Leave results unproven."""
