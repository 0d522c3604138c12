"""Trees as nested tuples, so that two of them can be compared with ``==``; what holds in all."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from mcts import MCTS, SearchResult
from mcts.tree import ROOT, UNEXPANDED, Tree, new_trees, tree_of
from state_manager import GOES_ON, State, StateManager, make_game
from tests.mcts.naive_mcts import NaiveMCTS, Node

Nested = tuple[Any, ...]

SMALL: dict[str, dict[str, Any]] = {
    "hex": {"size": 3},
    "nim": {"stones": 9, "max_take": 3},
    "ledge": {"board": [0, 1, 0, 2, 1]},
    "tic_tac_toe": {},
    "connect_four": {"rows": 4, "columns": 4},
    "hexapawn": {},
}
"""The parameters of each game in most tests."""


HEX, TIC_TAC_TOE = make_game("hex", size=4), make_game("tic_tac_toe")


def small_game(name: str) -> StateManager:
    return make_game(name, **SMALL[name])


def after(game: StateManager, actions: Iterable[int], starting_player: int = 1) -> State:
    state = game.initial_state(starting_player)
    for action in actions:
        state = game.child_state(state, action)
    return state


def some_positions(game: StateManager, count: int, seed: int) -> list[State]:
    """Return states of random games, none of them final."""
    rng, states = np.random.default_rng(seed), list[State]()
    while len(states) < count:
        state = game.initial_state(int(rng.integers(1, 3)))
        for _ in range(int(rng.integers(0, 7))):
            following = game.child_state(state, int(rng.choice(game.legal_actions(state))))
            if game.is_final(following):
                break
            state = following
        states.append(state)
    return states


def one_root(to_play: int, visits: list[int], q_values: list[float], actions: list[int]) -> Tree:
    """Return a tree that has only a root, with these edges."""
    tree = tree_of(new_trees(1, 1, len(visits), 1 + max(actions), priors=True), 0)
    tree.nodes[ROOT].to_play, tree.nodes[ROOT].edge_count = to_play, len(visits)
    for name, values in (("visit_count", visits), ("q_value", q_values), ("action", actions)):
        tree.edges[name] = values
    return tree


def edge_range(tree: Tree, node: int) -> range:
    first = int(tree.nodes[node].first_edge)
    return range(first, first + int(tree.nodes[node].edge_count))


def nodes_with_states(game: StateManager, tree: Tree, state: State) -> Iterator[tuple[int, State]]:
    """Replay the path to every node."""
    states = [(ROOT, state)]
    for node, state in states:
        yield node, state
        for edge in edge_range(tree, node):
            if (child := int(tree.edges[edge].child)) != UNEXPANDED:
                states.append((child, game.child_state(state, int(tree.edges[edge].action))))


def assert_visits_add_up(tree: Tree, is_full: bool = False) -> None:
    """Check N(s), N(s,a) and Q of all nodes and edges: nothing is lost or counted twice.

    N(s) is the sum of N(s,a), and 1 more if a simulation created s as its leaf. In a full tree,
    simulations end at nodes and at edges again and again.
    """
    for node in range(int(tree.size.nodes)):
        edges = edge_range(tree, node)
        ended_here = int(tree.nodes[node].visit_count - tree.edges[edges].visit_count.sum())
        if len(edges) == 0 and tree.nodes[node].outcome != GOES_ON:
            assert ended_here >= 1
        elif is_full:
            assert ended_here >= (node != ROOT)
        else:
            assert ended_here == (node != ROOT)
        for edge in edges:
            child, visits = int(tree.edges[edge].child), int(tree.edges[edge].visit_count)
            q_value = float(tree.edges[edge].q_value)
            if child != UNEXPANDED:
                assert visits == tree.nodes[child].visit_count
                mean = float(tree.nodes[child].total_value) / visits
                assert np.isinf(q_value) or q_value == pytest.approx(mean)
                assert abs(mean) <= 1.0
            elif not is_full:
                assert visits == 0
                assert q_value in (0.0, np.inf, -np.inf)


def counts_of(node: Node, game: StateManager) -> list[int]:
    return [node.counts.get(action, 0) for action in range(game.num_actions)]


def assert_equal_results(search: MCTS, result: SearchResult, root: Node) -> None:
    assert result.visit_counts.tolist() == counts_of(root, search.game)
    values = [root.q(action) for action in range(search.game.num_actions)]
    assert result.q_values.tolist() == pytest.approx(values, abs=1e-9)


def assert_equal_games(
    search: MCTS, twin: NaiveMCTS, simulations: int, starter: int = 1, exactly: bool = False
) -> None:
    """Play a game with both, the tree kept from move to move, and compare after every search."""
    game, rng = search.game, np.random.default_rng(99)
    state = game.initial_state(starter)
    while not game.is_final(state):
        result, root = search.search(state, simulations), twin.search(state, simulations)
        assert_equal_results(search, result, root)
        action = result.best_action
        if exactly:  # to the last bit, after any moves
            assert nested(search.tree) == nested_twin(game, root)
            action = int(rng.choice(game.legal_actions(state)))
        state = game.child_state(state, action)
        twin.advance(action)
    assert search._rng.random() == twin.rng.random(), "both have drawn equally often"


def nested(tree: Tree, node: int = ROOT) -> Nested:
    """Return mover, outcome and visits of a node, then its visited edges, each with its subtree."""
    edges = []
    for edge in edge_range(tree, node):
        at, child = tree.edges[edge], int(tree.edges[edge].child)
        is_leaf = child == UNEXPANDED
        if at.visit_count == 0:
            assert is_leaf
            continue
        total = 0.0 if is_leaf else float(tree.nodes[child].total_value)
        below = None if is_leaf else nested(tree, child)
        edges.append((int(at.action), int(at.visit_count), total, float(at.q_value), below))
    root = tree.nodes[node]
    return int(root.to_play), int(root.outcome), int(root.visit_count), tuple(edges)


def nested_twin(game: StateManager, node: Node) -> Nested:
    """Return the same of a twin's tree."""
    edges = tuple(
        (action, count, node.totals[action], node.q(action), nested_twin(game, child))
        for action, count in sorted(node.counts.items())
        for child in [node.children[action]]
    )
    return game.to_play(node.state), node.outcome, node.visits, edges


def go_to(search: MCTS, action: int) -> None:
    """Make a successor of the root the root, and keep its subtree."""
    state = search.game.child_state(search.slots.root_states[0], action)
    search.slots.go_to(0, state, search.game.rules)
