"""The Monte Carlo tree: a struct of arrays.

Letters: N nodes, E edges, D length of the longest game, A actions. All values lie in [-1, 1] and
are **seen from player 1**: +1 says that player 1 wins.

The edges of a node lie side by side, in ascending order of their actions. Node 0 is the root. A
node that was created by simulation i since the tree was new has a higher number than those before.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from jit import kernel

UNEXPANDED = -1
"""In ``Tree.child``: no simulation has gone this way yet."""
ROOT = 0


class Tree(NamedTuple):
    """The nodes, the edges, and how many of each are in use.

    Attributes:
        to_play: `[N]` int8, the player to move, 1 or 2.
        outcome: `[N]` int8, 0 while the game goes on, else 1, 2 or 3 (draw).
        node_visits: `[N]` int32, N(s): how many simulations came through or ended here.
        first_edge: `[N]` int64, where the node's edges begin.
        edge_count: `[N]` int32, how many legal actions it has.
        action: `[E]` int32, the action of the edge.
        child: `[E]` int64, the node that it leads to, or ``UNEXPANDED``.
        visit_counts: `[E]` int32, N(s,a): how many simulations took this edge.
        total_values: `[E]` float64, the sum of their values.
        q_values: `[E]` float64, Q(s,a) = total value / N(s,a); 0 where unvisited.
        visit_discounts: `[E]` float64, 1 / sqrt(1 + N(s,a)), by which exploration fades. This and
            Q(s,a) change once when an edge is taken and are read at every look at its node.
        memory: `[V, E]` float64, what a variant remembers of each edge; V is 0 unless it does.
        used: `[2]` int64, the number of nodes and of edges in use.
    """

    to_play: NDArray[np.int8]
    outcome: NDArray[np.int8]
    node_visits: NDArray[np.int32]
    first_edge: NDArray[np.int64]
    edge_count: NDArray[np.int32]
    action: NDArray[np.int32]
    child: NDArray[np.int64]
    visit_counts: NDArray[np.int32]
    total_values: NDArray[np.float64]
    q_values: NDArray[np.float64]
    visit_discounts: NDArray[np.float64]
    memory: NDArray[np.float64]
    used: NDArray[np.int64]


NODES, EDGES = 0, 1
"""Places in ``Tree.used``."""


class Trace(NamedTuple):
    """What one simulation did.

    Attributes:
        nodes: `[D + 1]` int64, the nodes from the root to the leaf.
        edges: `[D]` int64, the edges between them.
        actions: `[D]` int32, all actions from the root to the end, those of a rollout included.
        length: `[2]` int64, the number of edges and the number of actions.
        legal: `[A]` int64, scratch memory for legal actions.
        scores: `[A]` float64, scratch memory for a number for each of them.
        marks: `[2, A]` int8, scratch memory for what each player has done; zero between uses.
        replies: `[2, A]` int32, each player's last good reply to each action, or ``NO_REPLY``. It
            outlasts simulations; A is 0 unless a variant uses it.
        lengths: `[2, 3]` float64, of the simulations that each player has won so far: how many,
            their mean length in plies, and the sum of the squared deviations from it.
    """

    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    actions: NDArray[np.int32]
    length: NDArray[np.int64]
    legal: NDArray[np.int64]
    scores: NDArray[np.float64]
    marks: NDArray[np.int8]
    replies: NDArray[np.int32]
    lengths: NDArray[np.float64]


PATH, PLAYED = 0, 1
"""Places in ``Trace.length``."""
NO_REPLY = -1


def new_tree(nodes: int, edges: int, memory: int = 0) -> Tree:
    """Return an empty tree with room for so many nodes and edges, and V = ``memory``."""
    return Tree(
        to_play=np.zeros(nodes, np.int8),
        outcome=np.zeros(nodes, np.int8),
        node_visits=np.zeros(nodes, np.int32),
        first_edge=np.zeros(nodes, np.int64),
        edge_count=np.zeros(nodes, np.int32),
        action=np.zeros(edges, np.int32),
        child=np.zeros(edges, np.int64),
        visit_counts=np.zeros(edges, np.int32),
        total_values=np.zeros(edges, np.float64),
        q_values=np.zeros(edges, np.float64),
        visit_discounts=np.zeros(edges, np.float64),
        memory=np.zeros((memory, edges), np.float64),
        used=np.zeros(2, np.int64),
    )


def new_trace(max_plies: int, num_actions: int, replies: bool = False) -> Trace:
    """Return a trace for games of at most so many plies and actions, with replies or without."""
    return Trace(
        nodes=np.zeros(max_plies + 1, np.int64),
        edges=np.zeros(max_plies, np.int64),
        actions=np.zeros(max_plies, np.int32),
        length=np.zeros(2, np.int64),
        legal=np.zeros(num_actions, np.int64),
        scores=np.zeros(num_actions, np.float64),
        marks=np.zeros((2, num_actions), np.int8),
        replies=np.full((2, num_actions if replies else 0), NO_REPLY, np.int32),
        lengths=np.zeros((2, 3), np.float64),
    )


def grown(tree: Tree, nodes: int, edges: int) -> Tree:
    """Return a tree with the same contents and room for at least so many nodes and edges."""
    room = (len(tree.to_play), len(tree.action))
    if nodes <= room[NODES] and edges <= room[EDGES]:
        return tree
    memory = len(tree.memory)
    larger = new_tree(max(nodes, 2 * room[NODES]), max(edges, 2 * room[EDGES]), memory)
    for name, array in tree._asdict().items():
        getattr(larger, name)[..., : array.shape[-1]] = array
    return larger


def edges_of(tree: Tree, node: int) -> slice:
    """Return where a node's edges lie."""
    first = int(tree.first_edge[node])
    return slice(first, first + int(tree.edge_count[node]))


TREE = numba.typeof(new_tree(1, 1))
TRACE = numba.typeof(new_trace(1, 1))


@kernel(types.void(TREE, types.int64, TREE), allocates=True)
def retain_subtree(tree: Tree, node: int, kept: Tree) -> None:
    """Copy the subtree rooted at ``node`` into the empty tree ``kept``, breadth first."""
    source = np.empty(tree.used[NODES], np.int64)
    source[0] = node
    count = 1
    edges = 0
    done = 0
    while done < count:
        old = source[done]
        kept.to_play[done] = tree.to_play[old]
        kept.outcome[done] = tree.outcome[old]
        kept.node_visits[done] = tree.node_visits[old]
        kept.first_edge[done] = edges
        kept.edge_count[done] = tree.edge_count[old]
        for edge in range(tree.first_edge[old], tree.first_edge[old] + tree.edge_count[old]):
            kept.action[edges] = tree.action[edge]
            kept.visit_counts[edges] = tree.visit_counts[edge]
            kept.total_values[edges] = tree.total_values[edge]
            kept.q_values[edges] = tree.q_values[edge]
            kept.visit_discounts[edges] = tree.visit_discounts[edge]
            for row in range(len(tree.memory)):
                kept.memory[row, edges] = tree.memory[row, edge]
            kept.child[edges] = UNEXPANDED
            if tree.child[edge] != UNEXPANDED:
                kept.child[edges] = count
                source[count] = tree.child[edge]
                count += 1
            edges += 1
        done += 1
    kept.used[NODES] = count
    kept.used[EDGES] = edges
