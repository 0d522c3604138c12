"""The invariants of every tree, and that cutting or growing it changes nothing."""

from typing import NamedTuple

import numpy as np
import pytest

from mcts import MCTS
from mcts.tree import ROOT, UNEXPANDED, Tree, grown, in_use, retain_subtree, tree_of
from state_manager import State, StateManager, make_game
from tests.mcts.trees import (
    Nested,
    assert_visits_add_up,
    edge_range,
    go_to,
    nested,
    nodes_with_states,
)


class Searched(NamedTuple):
    """A game, and the trees of one search of it: a single one."""

    game: StateManager
    state: State
    trees: Tree
    tree: Tree


@pytest.fixture(
    scope="module",
    params=[("hex", {"size": 3}), ("hex", {"size": 5}), ("nim", {}), ("ledge", {})],
    ids=lambda each: each[0],
)
def searched(request: pytest.FixtureRequest) -> Searched:
    name, params = request.param
    game = make_game(name, **params)
    search, state = MCTS(game, seed=1), game.initial_state(2)
    assert search.search(state, 400).visit_counts.sum() == 400
    trees = search.slots.trees
    return Searched(game, state, trees, in_use(tree_of(trees, 0)))


def test_each_node_is_the_state_at_the_end_of_its_path(searched: Searched) -> None:
    game, state, _, tree = searched
    states = dict(nodes_with_states(game, tree, state))
    assert sorted(states) == list(range(int(tree.size.nodes)))
    for node, state in states.items():
        at, edges = tree.nodes[node], edge_range(tree, node)
        assert (at.to_play, at.outcome) == (game.to_play(state), game.winner(state))
        legal = game.legal_actions(state).tolist()
        assert tree.edges[edges].action.tolist() == legal[: len(edges)]
        assert at.has_more == (len(edges) < len(legal))
        assert node != ROOT or not at.has_more


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


def test_visits_add_up_and_nothing_shares_a_place(searched: Searched) -> None:
    assert_visits_add_up(searched.tree)
    assert_places(searched.tree)


def test_a_node_has_few_edges_that_are_not_visited(searched: Searched) -> None:
    """Unvisited actions are tried in ascending order, so that only some of them need edges."""
    tree = searched.tree
    for node in range(int(tree.size.nodes)):
        visits = tree.edges[edge_range(tree, node)].visit_count
        tried = int(np.count_nonzero(visits))
        assert all(visits[:tried])
        assert node == ROOT or len(visits) <= max(4, 2 * tried)


def test_a_retained_subtree_is_the_subtree_and_nothing_else(searched: Searched) -> None:
    trees, tree = searched.trees, searched.tree
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
    assert nested(tree) == before


def count_nodes(tree: Nested) -> int:
    """Count the nodes of a nested tree."""
    return 1 + sum(count_nodes(edge[4]) for edge in tree[3] if edge[4] is not None)


def test_remains_of_an_older_tree_in_memory_have_no_effect(searched: Searched) -> None:
    """The memory behind the nodes that ``go_to`` keeps is overwritten by new ones."""
    game = searched.game
    search, fresh = MCTS(game, seed=1), MCTS(game, seed=1)
    state = game.initial_state()
    for simulations in (700, 300, 200):
        result = search.search(state, simulations)
        fresh.search(state, simulations)
        assert nested(search.tree) == nested(fresh.tree)
        state = game.child_state(state, result.best_action)
        if game.is_final(state):
            break
        go_to(search, result.best_action)
        go_to(fresh, result.best_action)
        room = grown(fresh.slots.trees, len(fresh.tree.nodes), len(fresh.tree.edges))
        fresh.slots = fresh.slots._replace(trees=room)
        assert nested(search.tree) == nested(fresh.tree)


def test_a_grown_tree_has_the_same_contents(searched: Searched) -> None:
    tree = searched.tree
    larger = tree_of(grown(searched.trees, 3 * len(tree.nodes), 5 * len(tree.edges)), 0)
    assert len(larger.nodes) == 3 * len(tree.nodes)
    assert len(larger.edges) == 5 * len(tree.edges)
    assert nested(larger) == nested(tree)
    assert (larger.size.nodes, larger.size.edges) == (tree.size.nodes, tree.size.edges)
