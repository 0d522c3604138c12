"""The MCTS-Solver: exact values, and the end of a search whose result is proven."""

from dataclasses import replace

import numpy as np
import pytest

from base.methods import TREE_POLICIES
from judge import ExactPlay
from mcts import MCTS, Variant, search_variant
from mcts.distribution import proven_distribution, root_value
from mcts.settings import new_settings
from mcts.tree import ROOT
from state_manager import make_game
from state_manager.policy import Policy
from tests.mcts.trees import one_root, small_game, some_positions

SOLVER = Variant(solver=True)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hexapawn", "nim"])
@pytest.mark.parametrize("policy", TREE_POLICIES)
def test_proofs_are_correct_and_the_best_action_is_best(name: str, policy: str) -> None:
    game = make_game(name)
    exact, variant = ExactPlay(game), replace(search_variant(policy), solver=True)
    variant = variant.with_settings(prior_weight=1.0, exploration=0.7)
    search = MCTS(game, 20_000, variant=variant, rollout_policy=Policy(), seed=1)
    for state in some_positions(game, 6, seed=5):
        search.reset()
        result = search.search(state)
        assert result.outcome in (0, exact.outcome(state))
        assert result.best_action in exact.best_actions(state)


@pytest.mark.parametrize("player", [1, 2])
def test_a_proven_search_ends_and_stays_ended(player: int) -> None:
    game = small_game("hex")
    search = MCTS(game, 1_000_000, variant=SOLVER, seed=1)
    state = game.initial_state(player)
    result, value = search.search(state), {1: 1.0, 2: -1.0}[player]
    assert result.outcome == player
    assert result.simulations == result.visit_counts.sum() < 100_000
    assert result.q_values[result.best_action] == value
    assert np.all(result.q_values[result.distribution > 0] == value)
    again = search.search(state)
    assert again.simulations == 0
    assert np.array_equal(again.distribution, result.distribution)
    result = search.search(game.child_state(state, result.best_action))  # proven, too
    assert result.simulations == 0
    assert result.distribution.sum() == pytest.approx(1.0)


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
    tree, found = one_root(mover, counts, q_values, [1, 2, 3]), np.empty(5)
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
