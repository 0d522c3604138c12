"""The Monte Carlo tree: an array of nodes and one of edges.

Letters: N nodes, E edges, T trees, D length of the longest game, A actions. All values are in
[-1, 1] and **seen from player 1**: +1 is a win of player 1.

Node 0 is the root; nodes are numbered in order of creation. The edges of a node are contiguous, in
ascending order of their actions. As most nodes are visited once or twice, edges are made on demand
(``node_expansion.add_edges``): a node may lack the edges of its highest actions.
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
    ]
)
EDGE = np.dtype(
    [
        # Q(s,a) = the child's total value / N(s,a); 0 where unvisited. It is stored, since it is
        # read far more often than it changes.
        ("q_value", np.float64),
        ("child", np.int32),  # the node that it leads to, or ``UNEXPANDED``
        ("visit_count", np.int32),  # N(s,a): how many simulations took this edge
        ("action", np.int16),
    ]
)


SIZE = np.dtype(
    [
        ("nodes", np.int64),  # the number of nodes in use
        ("edges", np.int64),  # the number of edges in use
        ("is_full", np.bool_),  # whether a node has found no room for its edges
    ]
)
ROOT_DATA = np.dtype(
    [
        ("simulations", np.int64),  # M of the current search
        ("raw_value", np.float64),  # the net's own value of the root, where the variant needs it
    ]
)
SCORE = np.dtype([("q", np.float64), ("u", np.float64)])
"""The two parts of a tree policy's score of an edge: its value for the mover, and the bonus."""
STATISTIC = np.dtype([("count", np.float64), ("total", np.float64)])
"""Another count and total of an edge, which a variant defines."""


class Tree(NamedTuple):
    """The nodes and edges of a search, and how many are in use."""

    nodes: Any  # [N], a record array of ``NODE``
    edges: Any  # [E], a record array of ``EDGE``
    priors: NDArray[np.float64]  # [E], P(s,a) of each edge; E is 0 without priors
    statistics: Any  # [E], a record array of ``STATISTIC``; E is 0 without them
    policies: NDArray[np.float32]  # [N, A], the policy from outside; A is 0 without priors
    root_logits: NDArray[np.float64]  # [A], log prior and noise of each action at a Gumbel root
    size: Any  # a record of ``SIZE``
    root: Any  # a record of ``ROOT_DATA``, read by a Gumbel root


END = np.dtype(
    [
        ("depth", np.int64),  # the depth of the leaf, in edges
        ("played", np.int64),  # the number of actions from the root to the end of the simulation
        ("forced", np.int64),  # the only action to try at the leaf, or ``ANY``
    ]
)


class SearchPath(NamedTuple):
    """The path and the scratch memory of one simulation."""

    nodes: NDArray[np.int64]  # [D + 1], the nodes from the root to the leaf
    edges: NDArray[np.int64]  # [D], the edges between them
    actions: NDArray[np.int32]  # [D], all actions from the root to the end, including a rollout's
    end: Any  # a record of ``END``
    legal: NDArray[np.int64]  # [A], scratch memory for legal actions
    priors: NDArray[np.float64]  # [A], scratch memory for the prior of each of them
    scores: Any  # [A], a record array of ``SCORE``, scratch memory for a node's edges, in order
    marks: NDArray[np.int8]  # [2, A], scratch memory that marks players' actions; 0 between uses
    # [2, A], each player's last good reply to each action, or ``NO_REPLY``; kept from one
    # simulation to the next. A is 0 unless a variant uses it.
    replies: NDArray[np.int32]
    # [2, 3], of the simulations that each player has won so far: their number, their mean length in
    # plies, and the sum of the squared deviations from it.
    lengths: NDArray[np.float64]


ANY = -1
NO_REPLY = -1


def new_trees(
    trees: int,
    nodes: int,
    edges: int,
    num_actions: int = 0,
    *,
    priors: bool = False,
    statistics: bool = False,
    outside: bool = False,
) -> Tree:
    """Return T empty trees with room for N nodes and E edges; all arrays are `[T, ...]`.

    ``priors`` and ``statistics`` reserve the fields of these names; ``outside``: policies come from
    outside. Arrays are not written before nodes are made, so much room costs no memory.
    """
    return Tree(
        nodes=np.zeros((trees, nodes), NODE).view(np.recarray),
        edges=np.zeros((trees, edges), EDGE).view(np.recarray),
        priors=np.zeros((trees, edges if priors else 0)),
        statistics=np.zeros((trees, edges if statistics else 0), STATISTIC).view(np.recarray),
        policies=np.zeros((trees, nodes, num_actions if priors and outside else 0), np.float32),
        root_logits=np.zeros((trees, num_actions if priors else 0)),
        size=np.zeros(trees, SIZE).view(np.recarray),
        root=np.zeros(trees, ROOT_DATA).view(np.recarray),
    )


def new_paths(
    shape: tuple[int, ...], max_plies: int, num_actions: int, replies: bool = False
) -> SearchPath:
    """Return paths for games of ``max_plies`` plies at most; all arrays are `[*shape, ...]`."""
    paths = SearchPath(
        nodes=np.zeros((*shape, max_plies + 1), np.int64),
        edges=np.zeros((*shape, max_plies), np.int64),
        actions=np.zeros((*shape, max_plies), np.int32),
        end=np.zeros(shape, END).view(np.recarray),
        legal=np.zeros((*shape, num_actions), np.int64),
        priors=np.zeros((*shape, num_actions)),
        scores=np.zeros((*shape, num_actions), SCORE).view(np.recarray),
        marks=np.zeros((*shape, 2, num_actions), np.int8),
        replies=np.full((*shape, 2, num_actions if replies else 0), NO_REPLY, np.int32),
        lengths=np.zeros((*shape, 2, 3)),
    )
    paths.end.forced = ANY
    return paths


def in_use(tree: Tree) -> Tree:
    """Return views of the used part of a tree, or of trees."""
    nodes, edges = (int(np.max(tree.size[name])) for name in ("nodes", "edges"))
    return tree._replace(
        nodes=tree.nodes[..., :nodes],
        edges=tree.edges[..., :edges],
        priors=tree.priors[..., :edges],
        statistics=tree.statistics[..., :edges],
        policies=tree.policies[..., :nodes, :],
    )


def grown(trees: Tree, nodes: int, edges: int) -> Tree:
    """Return trees with the same contents and room for more nodes and edges."""
    larger = new_trees(
        len(trees.size),
        nodes,
        edges,
        trees.root_logits.shape[-1],
        priors=trees.priors.shape[-1] > 0,
        statistics=trees.statistics.shape[-1] > 0,
        outside=trees.policies.shape[-1] > 0,
    )
    larger.size[:] = trees.size
    for target, array in zip(in_use(larger), in_use(trees), strict=True):
        target[:] = array
    larger.size.is_full = False
    return larger


def tree_of(trees: Tree, row: int) -> Tree:
    """Return one of the trees, as views."""
    return Tree._make(array[row] for array in trees)


def edges_of(tree: Tree, node: int) -> slice:
    """Return a node's edges as a slice."""
    first = int(tree.nodes[node].first_edge)
    return slice(first, first + int(tree.nodes[node].edge_count))


_PATHS = new_paths((1, 1), 1, 1)
TREE = numba.typeof(tree_of(new_trees(1, 1, 1), 0))
PATHS = numba.typeof(SearchPath._make(array[0] for array in _PATHS))
PATH = numba.typeof(SearchPath._make(array[0, 0] for array in _PATHS))
SCORES = numba.typeof(_PATHS.scores[0, 0])


@kernel(types.unsigned_range_state64_type(TREE, types.int64), inlined=True, inner=True)
def edges_from(tree: Tree, node: int) -> range:
    """Return a node's edges as a range of unsigned numbers."""
    first = unsigned(tree.nodes[node].first_edge)
    return range(first, first + unsigned(tree.nodes[node].edge_count))


@kernel(types.void(TREE, types.int64, types.int64), inlined=True, inner=True)
def move_edge(tree: Tree, source: int, target: int) -> None:
    """Copy an edge to another place."""
    tree.edges[target] = tree.edges[source]
    if len(tree.priors) > 0:
        tree.priors[target] = tree.priors[source]
    if len(tree.statistics) > 0:
        tree.statistics[target] = tree.statistics[source]


@kernel(types.void(TREE, types.int64, types.int32[::1], types.int32[::1]))
def retain_subtree(
    tree: Tree, node: int, number: NDArray[np.int32], owner: NDArray[np.int32]
) -> None:
    """Make ``node`` the root, in place: keep its subtree, drop the other nodes.

    ``number`` is ``UNEXPANDED`` for each node in use, and receives the new number of each kept
    node; ``owner`` likewise for each edge, and receives the kept node whose first edge it is.
    """
    nodes, edges = tree.size.nodes, tree.size.edges
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
    tree.size.nodes, tree.size.edges, tree.size.is_full = count, kept, False


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
