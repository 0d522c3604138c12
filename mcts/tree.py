"""The Monte Carlo tree: an array of nodes and one of edges.

Letters: N nodes, E edges, D length of the longest game, A actions. All values are in [-1, 1] and
**seen from player 1**: +1 is a win of player 1.

Node 0 is the root; nodes are numbered in order of creation. The edges of a node are contiguous, in
ascending order of their actions. As most nodes are visited once or twice, edges are made on demand
(``node_expansion.widen``): a node may lack the edges of its highest actions.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.rules import RULES, STATE, Rules, State, copy_state, unsigned

UNEXPANDED = -1
"""As ``child``: the edge has no child node yet."""
ROOT = 0

NODE = np.dtype(
    [
        ("total_value", np.float64),  # the sum of the values of the simulations here
        ("first_edge", np.int64),  # the node's first edge
        ("visit_count", np.int32),  # N(s): how many simulations passed or ended here
        ("edge_count", np.int32),  # number of edges; 0 if final or solved when it was made
        ("to_play", np.int8),  # the player to move, 1 or 2
        ("outcome", np.int8),  # 0 while the game goes on, else 1, 2 or 3 (draw)
        ("has_more", np.bool_),  # whether it has legal actions without an edge
    ],
)
EDGE = np.dtype(
    [
        # Q(s,a) = the child's total value / N(s,a); 0 where unvisited. It is stored, since it is
        # read far more often than it changes.
        ("q_value", np.float64),
        ("child", np.int32),  # the node that it leads to, or ``UNEXPANDED``
        ("visit_count", np.int32),  # N(s,a): how many simulations took this edge
        ("action", np.int16),
    ],
)


class Tree(NamedTuple):
    """The nodes, the edges, and the numbers of each in use."""

    nodes: Any  # [N], a record array of ``NODE``
    edges: Any  # [E], a record array of ``EDGE``
    memory: NDArray[np.float64]  # [V, E], a variant's own numbers for each edge; V may be 0
    policies: NDArray[np.float32]  # [N, A], the policy from outside; A is 0 without priors
    counts: NDArray[np.int64]  # [3], ``NODES`` and ``EDGES`` in use, and the search's ``BUDGET`` M
    root_raw_value: NDArray[np.float64]  # [1], the net's own value, where the variant needs it


NODES, EDGES, BUDGET = range(3)
"""Places in ``Tree.counts``."""


class SearchPath(NamedTuple):
    """The path and the scratch memory of one simulation."""

    nodes: NDArray[np.int64]  # [D + 1], the nodes from the root to the leaf
    edges: NDArray[np.int64]  # [D], the edges between them
    actions: NDArray[np.int32]  # [D], all actions from the root to the end, including a rollout's
    # [5], the ``DEPTH`` of the leaf, in edges; the number of actions ``PLAYED``; the leaf's only
    # action to try if it is ``FORCED``, else ``ANY``; the rollouts ``DONE`` and ``WANTED`` of its
    # evaluation, which continues in the next step if some are done.
    numbers: NDArray[np.int64]
    rollout_total: NDArray[np.float64]  # [1], the sum of the values of those done
    legal: NDArray[np.int64]  # [A], scratch memory for legal actions
    priors: NDArray[np.float64]  # [A], scratch memory for the prior of each of them
    marks: NDArray[np.int8]  # [2, A], scratch memory that marks players' actions; 0 between uses
    # [2, A], each player's last good reply to each action, or ``NO_REPLY``; kept from one
    # simulation to the next. A is 0 unless a variant uses it.
    replies: NDArray[np.int32]
    # [2, 3], of the simulations that each player has won so far: their number, their mean length in
    # plies, and the sum of the squared deviations from it.
    lengths: NDArray[np.float64]


DEPTH, PLAYED, FORCED, DONE, WANTED = range(5)
"""Places in ``SearchPath.numbers``."""
ANY = -1
NO_REPLY = -1


def new_tree(
    nodes: int, edges: int, memory: int = 0, policies: int = 0, trees: tuple[int, ...] = ()
) -> Tree:
    """Return an empty tree with room for N nodes and E edges, V = ``memory``, A = ``policies``.

    All arrays have the dimensions ``trees`` in front, see ``slots.py``. They are not written before
    nodes are made, so reserving a lot of room costs no memory.
    """
    return Tree(
        nodes=np.zeros((*trees, nodes), NODE).view(np.recarray),
        edges=np.zeros((*trees, edges), EDGE).view(np.recarray),
        memory=np.zeros((*trees, memory, edges)),
        policies=np.zeros((*trees, nodes, policies), np.float32),
        counts=np.zeros((*trees, 3), np.int64),
        root_raw_value=np.zeros((*trees, 1)),
    )


def new_path(max_plies: int, num_actions: int, replies: bool = False) -> SearchPath:
    """Return a path for games of ``max_plies`` plies at most, with replies or without."""
    return SearchPath(
        nodes=np.zeros(max_plies + 1, np.int64),
        edges=np.zeros(max_plies, np.int64),
        actions=np.zeros(max_plies, np.int32),
        numbers=np.array([0, 0, ANY, 0, 0], np.int64),
        rollout_total=np.zeros(1, np.float64),
        legal=np.zeros(num_actions, np.int64),
        priors=np.zeros(num_actions, np.float64),
        marks=np.zeros((2, num_actions), np.int8),
        replies=np.full((2, num_actions if replies else 0), NO_REPLY, np.int32),
        lengths=np.zeros((2, 3), np.float64),
    )


def in_use(tree: Tree) -> Tree:
    """Return views of the used part of a tree, or of a tree batch."""
    nodes, edges, _ = tree.counts.reshape(-1, 3).max(axis=0)
    return tree._replace(
        nodes=tree.nodes[..., :nodes],
        edges=tree.edges[..., :edges],
        memory=tree.memory[..., :edges],
        policies=tree.policies[..., :nodes, :],
    )


def grown(tree: Tree, nodes: int, edges: int) -> Tree:
    """Return a tree, or a tree batch, with the same contents and room for more nodes and edges."""
    rows = tree.memory.shape[-2], tree.policies.shape[-1]
    larger = new_tree(nodes, edges, *rows, tree.counts.shape[:-1])
    larger.counts[:] = tree.counts
    targets = in_use(larger)._asdict()
    for name, array in in_use(tree)._asdict().items():
        targets[name][:] = array
    return larger


def edges_of(tree: Tree, node: int) -> slice:
    """Return a node's edges as a slice."""
    first = int(tree.nodes[node].first_edge)
    return slice(first, first + int(tree.nodes[node].edge_count))


TREE = numba.typeof(new_tree(1, 1))
PATH = numba.typeof(new_path(1, 1))


@kernel(types.unsigned_range_state64_type(TREE, types.int64), inlined=True, inner=True)
def edges_from(tree: Tree, node: int) -> range:
    """Return a node's edges as a range of unsigned numbers."""
    first = unsigned(tree.nodes[node].first_edge)
    return range(first, first + unsigned(tree.nodes[node].edge_count))


@kernel(types.void(TREE, types.int64, types.int64), inlined=True, inner=True)
def move_edge(tree: Tree, source: int, target: int) -> None:
    """Copy an edge to another place."""
    tree.edges[target] = tree.edges[source]
    for row in range(len(tree.memory)):
        tree.memory[row, target] = tree.memory[row, source]


@kernel(types.void(TREE, types.int64, types.int32[::1], types.int32[::1]))
def retain_subtree(
    tree: Tree, node: int, number: NDArray[np.int32], owner: NDArray[np.int32]
) -> None:
    """Make ``node`` the root, in place: keep its subtree, drop the other nodes.

    ``number`` is ``UNEXPANDED`` for each node in use, and receives the new number of each kept
    node; ``owner`` likewise for each edge, and receives the kept node whose first edge it is.
    """
    nodes, edges = tree.counts[NODES], tree.counts[EDGES]
    number[node] = ROOT
    count = 0
    for old in range(node, nodes):
        if number[old] == UNEXPANDED:
            continue
        number[old] = count
        count += 1
        if tree.nodes[old].edge_count > 0:
            owner[tree.nodes[old].first_edge] = old
        for edge in edges_from(tree, old):
            if tree.edges[edge].child != UNEXPANDED:
                number[tree.edges[edge].child] = ROOT  # kept; its number follows
    # Edges and nodes move only to places that are free: those before have moved or are dropped.
    kept = 0
    for begin in range(edges):
        old = owner[begin]
        if old == UNEXPANDED:
            continue
        tree.nodes[old].first_edge = kept
        for edge in range(begin, begin + tree.nodes[old].edge_count):
            move_edge(tree, edge, kept)
            if tree.edges[kept].child != UNEXPANDED:
                tree.edges[kept].child = number[tree.edges[kept].child]
            kept += 1
    for old in range(node, nodes):
        new = number[old]
        if new == UNEXPANDED:
            continue
        tree.nodes[new] = tree.nodes[old]
        for action in range(tree.policies.shape[1]):
            tree.policies[new, action] = tree.policies[old, action]
    tree.counts[NODES] = count
    tree.counts[EDGES] = kept


@kernel(types.boolean(STATE, STATE), inner=True)
def is_same(one: State, other: State) -> bool:
    """Return whether two states are equal; NumPy's comparison would take a second to compile."""
    different = 0
    for i in range(len(one)):
        different += one[i] != other[i]
    return different == 0


@kernel(types.int64(RULES, STATE, STATE, TREE, STATE, STATE))
def find_below(
    rules: Rules, root_state: State, state: State, tree: Tree, after_one: State, after_two: State
) -> int:
    """Return the node of a state one or two moves below the root, or ``UNEXPANDED``."""
    for edge in edges_from(tree, ROOT):
        child = int(tree.edges[edge].child)
        if child == UNEXPANDED:
            continue
        copy_state(root_state, after_one)
        rules.play(after_one, int(tree.edges[edge].action))
        if is_same(after_one, state):
            return child
        for reply in edges_from(tree, child):
            if tree.edges[reply].child != UNEXPANDED:
                copy_state(after_one, after_two)
                rules.play(after_two, int(tree.edges[reply].action))
                if is_same(after_two, state):
                    return int(tree.edges[reply].child)
    return UNEXPANDED
