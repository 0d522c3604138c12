"""The MCTS-Solver: twins, exact values, and the end of a search whose result is proven."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from base.methods import TREE_POLICIES
from judge import ExactPlay
from mcts import MCTS, Variant, search_variant
from mcts.distribution import proven_distribution, root_value
from mcts.settings import new_settings
from mcts.tree import ROOT, UNEXPANDED
from state_manager import DRAW, State, StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.naive_mcts import by_uniform_rollout
from tests.mcts.naive_solver import NaiveSolver
from tests.mcts.trees import one_root

SOLVER = Variant(solver=True)
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("hex", {"size": 3}),
    ("nim", {"stones": 9, "max_take": 3}),
    ("ledge", {"board": [0, 1, 0, 2, 1]}),
    ("tic_tac_toe", {}),
    ("hexapawn", {}),
]


@pytest.mark.parametrize(("name", "options"), GAMES, ids=[name for name, _ in GAMES])
def test_the_solver_searches_like_its_twin(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    search = MCTS(game, variant=SOLVER.with_settings(exploration=0.7), seed=3)
    twin = NaiveSolver(game, 0.7, 3, by_uniform_rollout(game))
    state = game.initial_state()
    while not game.is_final(state):
        result, root = search.search(state, 60), twin.search(state, 60)
        counts = [root.counts.get(action, 0) for action in range(game.num_actions)]
        assert result.visit_counts.tolist() == counts
        assert int(search.tree.nodes[ROOT].outcome) == twin.proven(root)
        state = game.child_state(state, result.best_action)
        twin.advance(result.best_action)


def random_states(game: StateManager, count: int, seed: int) -> list[State]:
    """Return states of random games, none of them final."""
    rng = np.random.default_rng(seed)
    states: list[State] = []
    while len(states) < count:
        state = game.initial_state(int(rng.integers(1, 3)))
        for _ in range(int(rng.integers(0, 7))):
            following = game.child_state(state, int(rng.choice(game.legal_actions(state))))
            if game.is_final(following):
                break
            state = following
        states.append(state)
    return states


@pytest.mark.parametrize("name", ["tic_tac_toe", "hexapawn", "nim"])
@pytest.mark.parametrize("policy", TREE_POLICIES)
def test_proofs_are_correct_and_the_best_action_is_best(name: str, policy: str) -> None:
    game = make_game(name)
    exact = ExactPlay(game)
    variant = replace(search_variant(policy), solver=True)
    variant = variant.with_settings(prior_weight=1.0, exploration=0.7)
    search = MCTS(game, 20_000, variant=variant, rollout_policy=Policy(), seed=1)
    for state in random_states(game, 12, seed=5):
        search.reset()
        result = search.search(state)
        assert int(search.tree.nodes[ROOT].outcome) in (0, exact.outcome(state))
        assert result.best_action in exact.best_actions(state)


def test_every_proven_node_of_a_tree_is_correct() -> None:
    game = make_game("hex", size=3)
    exact = ExactPlay(game)
    search = MCTS(game, variant=SOLVER, seed=2)
    state = game.initial_state()
    search.search(state, 3_000)
    tree, proven = search.tree, 0

    def check(node: int, state: State) -> None:
        nonlocal proven
        if tree.nodes[node].outcome:
            assert int(tree.nodes[node].outcome) == exact.outcome(state)
            proven += 1
        for edge in range(
            tree.nodes[node].first_edge, tree.nodes[node].first_edge + tree.nodes[node].edge_count
        ):
            if tree.edges[edge].child != UNEXPANDED:
                check(
                    int(tree.edges[edge].child),
                    game.child_state(state, int(tree.edges[edge].action)),
                )

    check(ROOT, state)
    assert proven > 100


def test_a_proven_search_ends_and_stays_ended() -> None:
    game = make_game("hex", size=3)
    search = MCTS(game, 1_000_000, variant=SOLVER, seed=1)
    state = game.initial_state()
    result = search.search(state)
    assert search.tree.nodes[ROOT].outcome == 1
    assert result.simulations == result.visit_counts.sum() < 100_000
    again = search.search(state)
    assert again.simulations == 0
    assert np.array_equal(again.distribution, result.distribution)
    winner = result.best_action
    assert result.q_values[winner] == 1.0
    assert np.all(result.q_values[result.distribution > 0] == 1.0)
    result = search.search(game.child_state(state, winner))  # proven, so without a simulation
    assert result.simulations == 0
    assert result.distribution.sum() == pytest.approx(1.0)


def test_without_a_solver_nothing_is_proven() -> None:
    game = make_game("tic_tac_toe")
    search = MCTS(game, 20_000, seed=1)
    search.search(game.initial_state())
    inner = search.tree.nodes[: search.tree.size.nodes].edge_count > 0
    assert not search.tree.nodes[: search.tree.size.nodes].outcome[inner].any()
    assert np.isfinite(search.tree.edges.q_value).all()


INF = np.inf


@pytest.mark.parametrize(
    ("mover", "counts", "q_values", "worth"),
    [
        (1, [5, 3, 2], [0.1, -0.2, 0.0], [5, 3, 2]),
        (1, [5, 3, 2], [0.1, INF, INF], [0, 3, 2]),
        (2, [5, 3, 2], [0.1, INF, 0.3], [5, 0, 2]),
        (2, [5, 3, 2], [-INF, INF, 0.3], [5, 0, 0]),
        (1, [5, 3, 2], [-INF, -INF, -INF], [5, 3, 2]),
        (1, [5, 3, 0], [-INF, -INF, 0.0], [0, 0, 1]),
        (1, [0, 0, 0], [0.0, INF, INF], [0, 1, 1]),
        (1, [1, 7, 7], [0.0, 0.0, 0.0], [1, 7, 7]),
    ],
)
def test_superfluous_visits_are_left_out_of_d(
    mover: int, counts: list[int], q_values: list[float], worth: list[int]
) -> None:
    tree = one_root(mover, counts, q_values, [1, 2, 3])
    found = np.empty(5)
    best = proven_distribution(tree, new_settings({}), found)
    assert found.tolist() == [0, *(np.array(worth) / sum(worth)), 0]
    assert best == 1 + int(np.argmax(worth))


@pytest.mark.parametrize(
    ("mover", "outcome", "counts", "q_values", "value"),
    [
        (1, 0, [2, 1, 1], [0.5, -0.5, 0.1], 0.2 * 0.5 + 0.3 * -0.5 + 0.5 * 0.1),
        (2, 0, [2, 1, 1], [0.5, -0.5, 0.1], -(0.2 * 0.5 + 0.3 * -0.5 + 0.5 * 0.1)),
        (1, 0, [2, 0, 1], [0.5, 0.0, 0.1], (0.2 * 0.5 + 0.5 * 0.1) / 0.7),
        (1, 0, [2, 1, 1], [INF, -INF, 0.1], 0.2 - 0.3 + 0.5 * 0.1),
        (1, 0, [0, 0, 0], [0.0, 0.0, 0.0], 0.0),
        (1, 1, [2, 1, 1], [0.0, 0.0, 0.0], 1.0),
        (1, 2, [0, 0, 0], [0.0, 0.0, 0.0], -1.0),
        (2, 2, [0, 0, 0], [0.0, 0.0, 0.0], 1.0),
        (2, 3, [2, 1, 1], [0.5, 0.5, 0.5], 0.0),
    ],
)
def test_the_value_of_a_root_is_the_mean_of_its_actions_by_d(
    mover: int, outcome: int, counts: list[int], q_values: list[float], value: float
) -> None:
    tree = one_root(mover, counts, q_values, [1, 2, 3])
    tree.nodes[ROOT].outcome = outcome
    assert root_value(tree, np.array([0.0, 0.2, 0.3, 0.5, 0.0])) == pytest.approx(value)


def test_the_only_move_that_saves_a_proven_draw_is_played() -> None:
    game = make_game("tic_tac_toe")
    state = game.initial_state()
    for action in (0, 4, 8, 1, 7, 6, 2):  # one move saves the draw, all others lose
        state = game.child_state(state, action)
    search = MCTS(game, 1000, variant=SOLVER, seed=1)
    result = search.search(state)
    assert search.tree.nodes[ROOT].outcome == DRAW == ExactPlay(game).outcome(state)
    assert game.action_name(result.best_action) == game.action_name(5)


def test_the_value_of_a_move_that_player_2_is_proven_to_win_with_is_minus_one() -> None:
    game = make_game("hex", size=3)
    search = MCTS(game, 1_000_000, variant=SOLVER, seed=1)
    result = search.search(game.initial_state(2))
    assert result.outcome == 2
    assert result.q_values[result.best_action] == result.q_values.min() == -1.0
