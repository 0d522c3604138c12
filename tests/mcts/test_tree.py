"""The memory of trees. Their contents are compared with those of the naive twins elsewhere."""

import numpy as np
import pytest

from mcts import MCTS
from mcts.tree import ROOT, UNEXPANDED, Tree, grown, retain_subtree, tree_of
from state_manager import make_game
from tests.mcts.trees import Nested, edge_range, nested


@pytest.fixture(
    scope="module",
    params=[("hex", {"size": 3}), ("hex", {"size": 5}), ("nim", {}), ("ledge", {})],
    ids=lambda each: each[0],
)
def search(request: pytest.FixtureRequest) -> MCTS:
    name, params = request.param
    game = make_game(name, **params)
    search = MCTS(game, seed=1)
    search.search(game.initial_state(2), 400)
    return search


def assert_places(tree: Tree) -> None:
    """Check that nodes are numbered as they are created, and that no two share an edge."""
    places, children = list[int](), list[int]()
    for node in range(int(tree.size.nodes)):
        edges = edge_range(tree, node)
        places += edges
        below = [int(tree.edges[edge].child) for edge in edges]
        children += [child for child in below if child != UNEXPANDED]
        assert all(child > node for child in below if child != UNEXPANDED)
    assert sorted(children) == list(range(1, int(tree.size.nodes)))
    assert len(set(places)) == len(places)
    assert max(places) < tree.size.edges


def test_a_node_has_few_edges_that_are_not_visited(search: MCTS) -> None:
    """Unvisited actions are tried in ascending order, so that only some of them need edges."""
    tree = search.tree
    for node in range(int(tree.size.nodes)):
        visits = tree.edges[edge_range(tree, node)].visit_count
        tried = int(np.count_nonzero(visits))
        assert all(visits[:tried])
        assert node == ROOT or len(visits) <= max(4, 2 * tried)


def test_a_retained_subtree_is_the_subtree_and_nothing_else(search: MCTS) -> None:
    trees, tree = search.slots.trees, search.tree
    before = nested(tree)
    for edge in edge_range(tree, ROOT):
        child = int(tree.edges[edge].child)
        kept = tree_of(grown(trees, len(tree.nodes), len(tree.edges)), 0)
        rooms = [np.full(len(array), UNEXPANDED, np.int32) for array in (kept.nodes, kept.edges)]
        retain_subtree(kept, child, *rooms)
        assert nested(kept) == nested(tree, child)
        assert kept.size.nodes == count_nodes(nested(kept))
        assert_places(kept)
        assert kept.size.edges == sum(kept.nodes[: kept.size.nodes].edge_count)
    assert_places(tree)
    assert nested(tree) == before


def count_nodes(tree: Nested) -> int:
    return 1 + sum(count_nodes(edge[4]) for edge in tree[3] if edge[4] is not None)
