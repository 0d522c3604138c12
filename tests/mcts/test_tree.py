"""The invariants of every tree, and that cutting or growing it changes nothing."""

import numpy as np
import pytest

import mcts.chunks as chunks_module
import mcts.mcts as mcts_module
from mcts import MCTS
from mcts.tree import ROOT, UNEXPANDED, Tree, grown, in_use, retain_subtree, tree_of
from state_manager import GOES_ON, State, StateManager, make_game
from tests.mcts.trees import Nested, go_to, nested

SIMULATIONS = 400


@pytest.fixture(
    params=[("hex", {"size": 3}), ("hex", {"size": 5}), ("nim", {}), ("ledge", {})],
    ids=lambda each: each[0],
)
def game(request: pytest.FixtureRequest) -> StateManager:
    name, params = request.param
    return make_game(name, **params)


@pytest.fixture
def trees(game: StateManager) -> Tree:
    """Return the trees of one search from the initial state: a single one."""
    search = MCTS(game, seed=1)
    search.search(game.initial_state(2), SIMULATIONS)
    return search.slots.trees


@pytest.fixture
def tree(trees: Tree) -> Tree:
    return in_use(tree_of(trees, 0))


def edges_of(tree: Tree, node: int) -> range:
    first = int(tree.nodes[node].first_edge)
    return range(first, first + int(tree.nodes[node].edge_count))


def states_of(game: StateManager, tree: Tree, root_state: State) -> dict[int, State]:
    """Replay the path to every node."""
    states = {ROOT: root_state}
    for node in range(int(tree.size.nodes)):
        for edge in edges_of(tree, node):
            if tree.edges[edge].child != UNEXPANDED:
                child = game.child_state(states[node], int(tree.edges[edge].action))
                states[int(tree.edges[edge].child)] = child
    return states


def test_each_node_is_the_state_at_the_end_of_its_path(game: StateManager, tree: Tree) -> None:
    states = states_of(game, tree, game.initial_state(2))
    assert sorted(states) == list(range(int(tree.size.nodes)))
    for node, state in states.items():
        assert tree.nodes[node].to_play == game.to_play(state)
        assert tree.nodes[node].outcome == game.winner(state)
        actions = [int(tree.edges[edge].action) for edge in edges_of(tree, node)]
        legal = game.legal_actions(state).tolist()
        assert actions == legal[: len(actions)]
        assert tree.nodes[node].has_more == (len(actions) < len(legal))
        assert not tree.nodes[node].has_more or node != ROOT


def test_visits_add_up(tree: Tree) -> None:
    """N(s) is the sum of N(s,a), and 1 more if a simulation created s as its leaf."""
    assert tree.nodes[ROOT].visit_count == SIMULATIONS
    for node in range(int(tree.size.nodes)):
        edges = edges_of(tree, node)
        through = sum(int(tree.edges[edge].visit_count) for edge in edges)
        if tree.nodes[node].outcome == GOES_ON:
            assert tree.nodes[node].visit_count == through + (node != ROOT)
        else:
            assert len(edges) == 0
            assert tree.nodes[node].visit_count >= 1
        for edge in edges:
            if tree.edges[edge].child == UNEXPANDED:
                assert tree.edges[edge].visit_count == 0
            else:
                assert (
                    tree.edges[edge].visit_count == tree.nodes[tree.edges[edge].child].visit_count
                )


def test_each_simulation_adds_one_node_unless_it_ends_in_a_known_final_state(
    game: StateManager,
) -> None:
    search = MCTS(game, seed=3)
    state = game.initial_state()
    nodes = 1
    for _ in range(150):
        before = search.tree.nodes[search.tree.nodes.outcome != GOES_ON].visit_count.sum()
        search.search(state, 1)
        tree = search.tree
        after = tree.nodes[tree.nodes.outcome != GOES_ON].visit_count.sum()
        added = int(tree.size.nodes) - nodes
        nodes += added
        assert added == 1 or (added == 0 and after == before + 1)
    final = int((search.tree.nodes.outcome != GOES_ON).sum())
    revisits = (
        int(search.tree.nodes[search.tree.nodes.outcome != GOES_ON].visit_count.sum()) - final
    )
    assert nodes == 1 + 150 - revisits


def test_nodes_are_numbered_as_they_are_created(tree: Tree) -> None:
    children = []
    for node in range(int(tree.size.nodes)):
        for edge in edges_of(tree, node):
            child = int(tree.edges[edge].child)
            if child != UNEXPANDED:
                assert child > node
                children.append(child)
    assert sorted(children) == list(range(1, int(tree.size.nodes)))


def places_of_edges(tree: Tree) -> list[int]:
    return [edge for node in range(int(tree.size.nodes)) for edge in edges_of(tree, node)]


def test_no_two_nodes_share_an_edge(tree: Tree) -> None:
    places = places_of_edges(tree)
    assert len(set(places)) == len(places)
    assert max(places) < tree.size.edges


def test_a_node_has_few_edges_that_are_not_visited(tree: Tree) -> None:
    """Unvisited actions are tried in ascending order, so that only some of them need edges."""
    for node in range(int(tree.size.nodes)):
        visits = [int(tree.edges[edge].visit_count) for edge in edges_of(tree, node)]
        tried = sum(count > 0 for count in visits)
        assert all(visits[:tried])
        if node != ROOT:
            assert len(visits) <= max(4, 2 * tried)


def test_values_are_means_within_their_range(tree: Tree) -> None:
    for edge in places_of_edges(tree):
        visits, child = int(tree.edges[edge].visit_count), int(tree.edges[edge].child)
        total = tree.nodes[child].total_value if visits else 0.0
        assert abs(total) <= visits
        assert tree.edges[edge].q_value == (total / visits if visits else 0.0)


def test_a_retained_subtree_is_the_subtree_and_nothing_else(trees: Tree, tree: Tree) -> None:
    before = nested(tree)
    for edge in edges_of(tree, ROOT):
        child = int(tree.edges[edge].child)
        kept = tree_of(grown(trees, len(tree.nodes), len(tree.edges)), 0)
        rooms = [np.full(len(array), UNEXPANDED, np.int32) for array in (kept.nodes, kept.edges)]
        retain_subtree(kept, child, *rooms)
        assert nested(kept) == nested(tree, child)
        assert kept.size.nodes == count_nodes(nested(kept))
        test_nodes_are_numbered_as_they_are_created(kept)
        assert sorted(places_of_edges(kept)) == list(range(int(kept.size.edges)))
    assert nested(tree) == before


def count_nodes(tree: Nested) -> int:
    """Count the nodes of a nested tree."""
    return 1 + sum(count_nodes(edge[4]) for edge in tree[3] if edge[4] is not None)


def test_remains_of_an_older_tree_in_memory_have_no_effect(game: StateManager) -> None:
    """The memory behind the nodes that ``go_to`` keeps is overwritten by new ones."""
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


def test_a_grown_tree_has_the_same_contents(trees: Tree, tree: Tree) -> None:
    larger = tree_of(grown(trees, 3 * len(tree.nodes), 5 * len(tree.edges)), 0)
    assert len(larger.nodes) == 3 * len(tree.nodes)
    assert len(larger.edges) == 5 * len(tree.edges)
    assert nested(larger) == nested(tree)
    assert (larger.size.nodes, larger.size.edges) == (tree.size.nodes, tree.size.edges)


@pytest.mark.parametrize("parts", [[1] * 40 + [460], [499, 1], [7, 93, 400]])
def test_a_search_in_parts_is_the_whole_search(game: StateManager, parts: list[int]) -> None:
    whole, in_parts = MCTS(game, seed=4), MCTS(game, seed=4)
    state = game.initial_state()
    expected = whole.search(state, sum(parts))
    for part in parts:
        result = in_parts.search(state, part)
        assert result.simulations == part
    assert result.visit_counts.tolist() == expected.visit_counts.tolist()
    assert nested(in_parts.tree) == nested(whole.tree)


@pytest.mark.parametrize("chunk", [1, 3, 10**6])
def test_the_length_of_chunks_does_not_change_the_tree(
    game: StateManager, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = MCTS(game, seed=5)
    expected.search(game.initial_state(), 500)
    monkeypatch.setattr(mcts_module, "FIRST_CHUNK", chunk)
    monkeypatch.setattr(chunks_module, "CHUNK_SECONDS", 0.0)
    search = MCTS(game, seed=5)
    search.search(game.initial_state(), 500)
    assert nested(search.tree) == nested(expected.tree)
