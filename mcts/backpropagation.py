"""Process 4, backpropagation: the leaf's value travels up to the root."""

from __future__ import annotations

from collections.abc import Callable

from numba import types

from base.jit import function_type, kernel
from mcts.tree import PATH, TRACE, TREE, UNEXPANDED, Trace, Tree

BACKPROPAGATION = types.void(TREE, TRACE, types.float64)
"""``backpropagate(tree, trace, value)``: the value is in [-1, 1], seen from player 1."""
Backpropagation = Callable[[Tree, Trace, float], None]
BACKPROPAGATION_FUNCTION = function_type(BACKPROPAGATION)

PROOF = types.void(TREE, TRACE)
"""``prove(tree, trace)``: pass the proven result of a leaf up the tree; see ``proof.py``."""
Proof = Callable[[Tree, Trace], None]
PROOF_FUNCTION = function_type(PROOF)


@kernel(BACKPROPAGATION, inner=True)
def backpropagate(tree: Tree, trace: Trace, value: float) -> None:
    """Count the visit at every node and edge of the path, and add the value at every node.

    All values are seen from player 1, so nothing changes sign on the way up; the tree policy
    minimises where player 2 moves.
    """
    for depth in range(trace.length[PATH], 0, -1):
        edge, node = trace.edges[depth - 1], trace.nodes[depth]
        if node == UNEXPANDED:  # a leaf without a node, since the tree is full
            total = tree.q_values[edge] * tree.visit_counts[edge] + value
        else:
            tree.node_visits[node] += 1
            tree.total_values[node] += value
            total = tree.total_values[node]
        tree.visit_counts[edge] += 1
        tree.q_values[edge] = total / tree.visit_counts[edge]
    tree.node_visits[trace.nodes[0]] += 1


@kernel(PROOF, inner=True)
def prove_nothing(tree: Tree, trace: Trace) -> None:
    """Leave results unproven."""
