"""Proven results: the end of process 4 in the MCTS-Solver.

Winands, Björnsson & Saito 2008. A node with a move to a proven win for its mover is a proven win; a
node whose moves all lead to proven results has the best of them. Proven nodes have their result in
``Tree.outcome``, as final ones do. The edge to a proven win has an infinite Q, so every tree policy
takes it if the win is the mover's and avoids it if the opponent's. A proven root ends its search.
"""

from __future__ import annotations

import math

from numba import types

from base.jit import kernel
from mcts.backpropagation import PROOF
from mcts.tree import DEPTH, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import DRAW, GOES_ON


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
