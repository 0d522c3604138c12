"""Each search variant against its slow twin: the same seed gives the same visit counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.registry import ROLLOUTS, TREE_POLICIES
from mcts import MCTS, Variant, search_variant
from state_manager import StateManager, make_game
from state_manager.policy import Policy
from tests.mcts.fake_policy import fake_policy, favourite_twin, taste_twin
from tests.mcts.naive_gumbel import NaiveGumbel
from tests.mcts.naive_mcts import NaiveMCTS
from tests.mcts.naive_variants import (
    NaiveLastGoodReply,
    NaiveNMCTS,
    NaiveNMCTSPaper,
    NaiveNMCTSProportional,
    NaivePUCT,
    NaivePUCTFPU,
    NaiveRAVE,
    NaiveRAVERatio,
    NaiveUCB1Tuned,
    NaiveVariant,
    by_several_rollouts,
)
from tests.mcts.trees import go_to

TWINS: dict[str, tuple[type[NaiveVariant], dict[str, float], float]] = {
    "ucb1_tuned": (NaiveUCB1Tuned, {}, 0.0),
    "uct_rave": (NaiveRAVE, {"rave_constant": 0.2}, 0.2),
    "uct_rave_ratio": (NaiveRAVERatio, {"rave_constant": 30.0}, 30.0),
    "puct": (NaivePUCT, {}, 0.0),
    "puct_fpu": (NaivePUCTFPU, {}, 0.0),
    "gumbel": (NaiveGumbel, {}, 0.0),
    "n_mcts": (NaiveNMCTS, {"prior_weight": 3.0}, 3.0),
    "n_mcts_paper": (NaiveNMCTSPaper, {"prior_weight": 10.0}, 10.0),
    "n_mcts_proportional": (NaiveNMCTSProportional, {"prior_weight": 2.0}, 2.0),
}
"""By name: the twin's class, the settings, and the same for the twin."""

GAMES: dict[str, dict[str, object]] = {
    "hex": {"size": 3},
    "nim": {"stones": 9, "max_take": 3},
    "ledge": {"board": [0, 1, 0, 2, 1]},
}
SIMULATIONS = 50
"""At each move; the twins are slow."""


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)


def test_every_variant_has_a_twin_or_is_the_default() -> None:
    assert set(TREE_POLICIES) == {"uct", *TWINS}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("policy_name", TWINS)
def test_a_variant_searches_like_its_twin(policy_name: str, name: str) -> None:
    game = make_game(name, **GAMES[name])
    policy = fake_policy(game, seed=3, epsilon=0.4)
    twin_class, settings, constant = TWINS[policy_name]
    search = MCTS(
        game,
        variant=search_variant(policy_name).with_settings(exploration=0.7, **settings),
        rollout_policy=policy,
        seed=11,
    )
    twin = twin_class(
        game, favourite_twin(game, policy), 11, 0.7, constant, taste_twin(game, policy)
    )
    state = game.initial_state(2)
    while not game.is_final(state):
        result = search.search(state, SIMULATIONS)
        root = twin.search(state, SIMULATIONS)
        counts = [root.counts.get(action, 0) for action in range(game.num_actions)]
        assert result.visit_counts.tolist() == counts
        values = [root.q(action) for action in range(game.num_actions)]
        assert result.q_values.tolist() == pytest.approx(values)
        state = game.child_state(state, result.best_action)
        twin.advance(result.best_action)


def assert_equal_searches(search: MCTS, twin: NaiveMCTS) -> None:
    """Compare all searches of a game."""
    game = search.game
    state = game.initial_state(1)
    while not game.is_final(state):
        result = search.search(state, SIMULATIONS)
        root = twin.search(state, SIMULATIONS)
        counts = [root.counts.get(action, 0) for action in range(game.num_actions)]
        assert result.visit_counts.tolist() == counts
        state = game.child_state(state, result.best_action)
        twin.advance(result.best_action)


@pytest.mark.parametrize("name", GAMES)
def test_several_rollouts_and_their_discount_are_those_of_the_twin(name: str) -> None:
    game = make_game(name, **GAMES[name])
    policy = fake_policy(game, seed=3, epsilon=0.4)
    variant = search_variant("uct", "several").with_settings(rollouts=3.0, length_discount=0.9)
    search = MCTS(game, variant=variant, rollout_policy=policy, seed=5)
    evaluate = by_several_rollouts(game, favourite_twin(game, policy), 3, 0.9)
    assert_equal_searches(search, NaiveMCTS(game, 1.0, 5, evaluate))


@pytest.mark.parametrize("name", [*GAMES, "tic_tac_toe"])
def test_last_good_replies_are_those_of_the_twin(name: str) -> None:
    game = make_game(name, **GAMES.get(name, {}))
    policy = fake_policy(game, seed=3, epsilon=0.4)
    chosen = search_variant("uct", "last_good_reply")
    search = MCTS(game, rollout_policy=policy, seed=5, variant=chosen)
    twin = NaiveLastGoodReply(game, favourite_twin(game, policy), 5, 1.0)
    assert_equal_searches(search, twin)


@pytest.mark.parametrize("policy_name", sorted(set(TREE_POLICIES) - {"n_mcts_proportional"}))
def test_every_variant_that_maximises_finds_the_winning_move(policy_name: str) -> None:
    nim = make_game("nim", stones=10, max_take=3)
    variant = search_variant(policy_name).with_settings(exploration=1.0, prior_weight=1.0)
    search = MCTS(nim, variant=variant, rollout_policy=Policy(), seed=1)
    assert nim.action_name(search.search(nim.initial_state(), 20_000).best_action) == "take 2"


@pytest.mark.parametrize("policy_name", TREE_POLICIES)
def test_the_memory_of_the_edges_is_kept_with_the_subtree(
    policy_name: str, hex_game: StateManager
) -> None:
    variant = search_variant(policy_name)
    search = MCTS(hex_game, seed=1, variant=variant, rollout_policy=Policy())
    result = search.search(hex_game.initial_state(), 500)
    first = int(search.tree.edges[result.best_action].child)
    begin = int(search.tree.nodes[first].first_edge)

    def memory(first_edge: int, count: int) -> list[list[object]]:
        edges = slice(first_edge, first_edge + count)
        return [each[edges].tolist() for each in (search.tree.priors, search.tree.statistics)]

    before = memory(begin, int(search.tree.nodes[first].edge_count))
    go_to(search, result.best_action)
    assert memory(0, int(search.tree.nodes[0].edge_count)) == before
    assert int(search.tree.size.edges) > int(search.tree.nodes[0].edge_count)


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"got 'uct_rav' \(did you mean uct_rave\?\)"):
        search_variant("uct_rav")


def test_a_number_that_no_search_reads_is_refused(hex_game: StateManager) -> None:
    with pytest.raises(ValueError, match="expected a setting"):
        MCTS(hex_game, variant=Variant().with_settings(speed=3.0))


def test_each_variant_but_uct_is_in_a_file_of_its_own() -> None:
    folder = Path(__file__).parents[2] / "mcts" / "variants"
    words = [*TREE_POLICIES.values(), *ROLLOUTS.values()]
    words.remove(TREE_POLICIES["uct"])  # beside the defaults of a ``Variant``
    words.remove(ROLLOUTS["default"])
    modules = {word.partition(":")[0].rpartition(".")[2] for word in words}
    assert {path.stem for path in folder.glob("*.py")} == {*modules, "__init__"}


def test_without_a_policy_the_priors_of_legal_actions_are_equal_and_sum_to_one(
    hex_game: StateManager,
) -> None:
    search = MCTS(hex_game, variant=search_variant("puct"), rollout_policy=Policy(), seed=1)
    search.search(hex_game.child_state(hex_game.initial_state(), 4), 1)
    assert search.tree.priors[:8].tolist() == [1 / 8] * 8
