"""The interface of ``MCTS``: results, played moves, and refusals."""

import math
from typing import Any

import numpy as np
import pytest

from base.methods import Method
from mcts import MCTS, Variant, search_variant
from mcts.search import find_leaves, run_plainly
from mcts.tree import ROOT, edges_of
from state_manager import StateError, StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.fake_policy import fake_policy
from tests.mcts.trees import nested


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=4)


def test_the_distribution_is_the_visit_counts_normalised(hex_game: StateManager) -> None:
    state = hex_game.child_state(hex_game.initial_state(), 5)
    result = MCTS(hex_game, simulations=300, seed=1).search(state)
    assert result.simulations == 300
    assert result.visit_counts.sum() == 300
    assert result.visit_counts.dtype == np.int64
    assert result.distribution.sum() == pytest.approx(1.0)
    assert np.array_equal(result.distribution, result.visit_counts / 300)
    assert result.visit_counts[5] == result.distribution[5] == result.q_values[5] == 0
    assert np.all(np.abs(result.q_values) <= 1.0)
    assert result.visit_counts[result.best_action] == result.visit_counts.max()
    assert result.seconds > 0.0


def test_before_the_first_simulation_the_distribution_is_uniform(hex_game: StateManager) -> None:
    result = MCTS(hex_game).look(hex_game.child_state(hex_game.initial_state(), 5))
    assert result.distribution.tolist() == [1 / 15] * 5 + [0.0] + [1 / 15] * 10


def test_much_exploration_visits_all_actions_equally(hex_game: StateManager) -> None:
    result = MCTS(hex_game, variant=Variant().with_settings(exploration=1e6), seed=1).search(
        hex_game.initial_state(), 160
    )
    assert set(result.visit_counts.tolist()) <= {9, 10, 11}


def test_the_first_simulation_takes_the_lowest_action(hex_game: StateManager) -> None:
    """All scores are 0 before the first visit, and ln 1 = 0 leaves nothing to explore by."""
    result = MCTS(hex_game, seed=1).search(hex_game.initial_state(), 1)
    assert np.flatnonzero(result.visit_counts).tolist() == [0]


def test_the_same_seed_gives_the_same_result(hex_game: StateManager) -> None:
    state = hex_game.initial_state()
    counts = [
        MCTS(hex_game, seed=seed).search(state, 300).visit_counts.tolist()
        for seed in (1, 1, 2, np.random.default_rng(1), np.random.SeedSequence(1))
    ]
    assert counts[0] == counts[1] == counts[3] == counts[4] != counts[2]


def test_values_are_seen_from_player_1_for_either_mover() -> None:
    """With two stones left the mover takes both and wins."""
    game = make_game("nim", stones=4, max_take=2)
    for mover, value in ((1, 1.0), (2, -1.0)):
        state = game.from_flat([mover, 1, 1, 0, 0])
        result = MCTS(game, seed=1).search(state, 200)
        assert result.q_values[1] == value
        assert result.best_action == 1


def test_counts_from_earlier_moves_are_included(hex_game: StateManager) -> None:
    search = MCTS(hex_game, simulations=400, seed=1)
    state = hex_game.initial_state()
    first = search.search(state)
    action = first.best_action
    kept = int(first.visit_counts[action]) - 1
    assert kept > 0
    second = search.search(hex_game.child_state(state, action))
    assert second.simulations == 400
    assert second.visit_counts.sum() == kept + 400


def test_another_state_starts_another_tree(hex_game: StateManager) -> None:
    search, other = MCTS(hex_game, seed=1), hex_game.initial_state(2)
    search.search(hex_game.initial_state(), 100)
    assert search.search(other, 50).visit_counts.sum() == 50
    assert search.tree.nodes[ROOT].to_play == 2


def test_changing_the_callers_state_does_not_change_the_tree(hex_game: StateManager) -> None:
    search, state = MCTS(hex_game, seed=1), hex_game.initial_state()
    search.search(state, 50)
    before = state.copy()
    state[1] = 1
    assert search.search(before, 50).visit_counts.sum() == 100


def test_a_search_does_not_change_the_state(hex_game: StateManager) -> None:
    state = hex_game.initial_state()
    before = state.tobytes()
    MCTS(hex_game, seed=1).search(state, 200)
    assert state.tobytes() == before


def test_reset_drops_the_tree_and_keeps_the_generator(hex_game: StateManager) -> None:
    state = hex_game.initial_state()
    search = MCTS(hex_game, seed=1)
    first = search.search(state, 200).visit_counts.tolist()
    search.reset()
    assert search.tree.size.nodes == 0
    second = search.search(state, 200).visit_counts
    assert second.sum() == 200
    assert second.tolist() != first
    search.reset(np.random.default_rng(1))
    assert search.search(state, 200).visit_counts.tolist() == first


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_the_subtree_of_a_state_up_to_two_moves_later_is_kept(
    plies: int, hex_game: StateManager
) -> None:
    search = MCTS(hex_game, 2000, seed=1)
    state, node = hex_game.initial_state(), ROOT
    search.search(state)
    for _ in range(plies):
        edges = edges_of(search.tree, node)
        edge = edges.start + int(np.argmax(search.tree.edges[edges].visit_count))
        state = hex_game.child_state(state, int(search.tree.edges[edge].action))
        node = int(search.tree.edges[edge].child)
    counts = search.tree.edges[edges_of(search.tree, node)].visit_count.sum()
    result = search.search(state, 1)
    assert result.visit_counts.sum() == 1 + (counts if plies < 3 else 0)
    assert counts > 0
    actions = search.tree.edges[edges_of(search.tree, ROOT)].action
    assert actions.tolist() == hex_game.legal_actions(state).tolist()


def test_a_state_far_below_the_searched_tree_starts_a_new_tree(hex_game: StateManager) -> None:
    search, state = MCTS(hex_game, seed=1), hex_game.initial_state()
    search.search(state, 1)
    for action in (7, 9, 3):
        state = hex_game.child_state(state, action)
    assert search.search(state, 20).visit_counts.sum() == 20
    assert search.tree.nodes[ROOT].visit_count == 20


def test_a_final_state_cannot_be_searched() -> None:
    game = make_game("nim", stones=2, max_take=2)
    final = game.child_state(game.initial_state(), 1)
    with pytest.raises(StateError) as caught:
        MCTS(game).search(final)
    assert str(caught.value) == f"expected a state that is not final:\n{game.text(final)}"


def test_a_state_of_another_game_cannot_be_searched(hex_game: StateManager) -> None:
    with pytest.raises(StateError, match="expected a hex state of"):
        MCTS(hex_game).search(make_game("hex", size=5).initial_state())


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"exploration": -0.1}, "exploration: expected a number of at least 0, got -0.1"),
        ({"exploration": float("nan")}, "exploration: expected a number of at least 0, got nan"),
        ({"exploration": float("inf")}, "exploration: expected a number of at least 0, got inf"),
        ({"rollout_probability": 1.5}, "expected a probability from 0 to 1, got 1.5"),
        ({"rollout_probability": float("nan")}, "rollout_probability: expected .* 0, got nan"),
        ({"rollout_probability": 0.5}, "sigma: expected 1, or a net with a critic"),
    ],
)
def test_numbers_out_of_range_are_refused(
    hex_game: StateManager, numbers: dict[str, float], message: str
) -> None:
    for policy in (None, Policy()):
        with pytest.raises(ValueError, match=message):
            MCTS(hex_game, variant=Variant().with_settings(**numbers), rollout_policy=policy)
    search = MCTS(hex_game)
    for sigma in (1.5, float("nan")):
        with pytest.raises(ValueError, match="expected a probability from 0 to 1"):
            search.set_rollout_policy(None, sigma)


def test_zero_simulations_and_zero_games_are_refused(hex_game: StateManager) -> None:
    with pytest.raises(ValueError, match="got 0 simulations, 1 games"):
        MCTS(hex_game, 0)
    with pytest.raises(ValueError, match="got 500 simulations, 0 games"):
        MCTS(hex_game, games=0)


def test_a_search_of_zero_simulations_is_refused(hex_game: StateManager) -> None:
    with pytest.raises(ValueError, match="expected at least 1 simulation, got 0"):
        MCTS(hex_game).search(hex_game.initial_state(), simulations=0)


def test_a_variant_can_replace_the_fast_rollout(hex_game: StateManager) -> None:
    """The game's fast rollout, and the same rollouts move by move, draw other numbers."""
    state = hex_game.initial_state()
    slow = MCTS(hex_game, variant=Variant(Method("uct", needs_moves=True)), seed=1)
    fast = MCTS(hex_game, seed=1)
    counts = [search.search(state, 500).visit_counts.tolist() for search in (slow, fast)]
    assert counts[0] != counts[1]


def test_the_plain_loop_is_the_loop(
    hex_game: StateManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = []
    for loop in (run_plainly, find_leaves):
        search = MCTS(hex_game, 500, seed=1)
        assert search._inside is run_plainly
        monkeypatch.setattr(MCTS, "_inside", loop)
        search.search(hex_game.initial_state())
        trees.append(nested(search.tree))
        monkeypatch.undo()
    assert trees[0] == trees[1]


def test_a_critic_alone_draws_one_number_a_leaf_and_plays_no_move(
    hex_game: StateManager,
) -> None:
    policy = fake_policy(hex_game, seed=1, epsilon=0.5)
    generator, reference = np.random.default_rng(1), np.random.default_rng(1)
    variant = Variant().with_settings(rollout_probability=0.0)
    search = MCTS(hex_game, variant=variant, rollout_policy=policy, seed=generator)
    search.search(hex_game.initial_state(), 20)
    reference.random(20)
    assert generator.random() == reference.random()


class FakeANET:
    """Has the methods of a net that are easily confused."""

    def evaluate(self, states: object) -> None:
        """Take no legal actions."""


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"rollout_policy": FakeANET()}, TypeError, r"net.rollout_policy\(\), got FakeANET"),
        (
            {"evaluate": FakeANET().evaluate},
            TypeError,
            "net.evaluate_batch, got FakeANET.evaluate",
        ),
        ({"evaluate": FakeANET()}, TypeError, "evaluate: .* net.evaluate_batch, got FakeANET"),
        (
            {"variant": "puct"},
            TypeError,
            r'variant: expected .* search_variant\("puct"\), got .puct.',
        ),
        ({"variant": ""}, TypeError, "variant: expected .*, got ''"),
        (
            {"variant": search_variant("puct")},
            ValueError,
            "tree_policy: expected a net with puct",
        ),
        ({"variant": search_variant("gumbel")}, ValueError, "evaluate=net.evaluate_batch"),
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_line_that_names_the_expected_ones(
    hex_game: StateManager, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as found:
        MCTS(hex_game, **given)
    assert "\n" not in str(found.value)
    assert MCTS(hex_game, 9, variant=search_variant("puct"), rollout_policy=Policy())


@pytest.mark.parametrize("rollouts", ["last_good_reply", "quality"])
def test_reset_clears_the_memory_of_rollouts(hex_game: StateManager, rollouts: str) -> None:
    policy = fake_policy(hex_game, seed=3, epsilon=0.4)
    chosen = search_variant("uct", rollouts)
    search = MCTS(hex_game, 300, variant=chosen, rollout_policy=policy, seed=1)
    first = search.search(hex_game.initial_state()).visit_counts.tolist()
    search.reset(np.random.default_rng(1))
    assert search.search(hex_game.initial_state()).visit_counts.tolist() == first


@pytest.mark.parametrize(("share", "taken"), [(0.95, 1), (1.05, 0)])
def test_exploration_follows_its_formula_after_thousands_of_visits(
    hex_game: StateManager, share: float, taken: int
) -> None:
    search, state = MCTS(hex_game, seed=1), hex_game.initial_state()
    search.search(state, 16)
    tree, counts = search.slots.tree(0), np.array([5000, 4500, *[10_000] * 14])
    bonus = math.sqrt(math.log(counts.sum())) * (1 / math.sqrt(4501) - 1 / math.sqrt(5001))
    tree.nodes[ROOT].visit_count, tree.edges[:16].visit_count = counts.sum(), counts
    tree.edges[:16].q_value = [0.0, -share * bonus, *[-1.0] * 14]
    assert search.search(state, 1).visit_counts[taken] == counts[taken] + 1
