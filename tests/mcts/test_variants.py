"""Each search variant against its slow twin: the same seed gives the same visit counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mcts import MCTS
from mcts.tree import EDGES
from mcts.variants import TREE_POLICIES, tree_policy
from state_manager import StateManager, make_game
from tests.mcts.fake_policy import fake_policy, favourite_twin, taste_twin
from tests.mcts.naive_variants import (
    NaiveNMCTS,
    NaiveNMCTSPaper,
    NaiveNMCTSProportional,
    NaivePUCT,
    NaiveRAVE,
    NaiveRAVERatio,
    NaiveUCB1Tuned,
    NaiveVariant,
)

TWINS: dict[str, tuple[type[NaiveVariant], dict[str, float], float]] = {
    "ucb1_tuned": (NaiveUCB1Tuned, {}, 0.0),
    "uct_rave": (NaiveRAVE, {"rave_constant": 0.2}, 0.2),
    "uct_rave_ratio": (NaiveRAVERatio, {"rave_constant": 30.0}, 30.0),
    "puct": (NaivePUCT, {}, 0.0),
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


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)


def test_every_variant_has_a_twin_or_is_the_default() -> None:
    assert set(TREE_POLICIES) == {"uct", *TWINS}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("variant", TWINS)
def test_a_variant_searches_like_its_twin(variant: str, name: str) -> None:
    game = make_game(name, **GAMES[name])
    policy = fake_policy(game, seed=3, epsilon=0.4)
    twin_class, settings, constant = TWINS[variant]
    search = MCTS(
        game,
        exploration=0.7,
        rollout_policy=policy,
        seed=11,
        variant=replace(tree_policy(variant), settings=settings),
    )
    twin = twin_class(
        game, favourite_twin(game, policy), 11, 0.7, constant, taste_twin(game, policy)
    )
    state = game.initial_state(2)
    while not game.is_final(state):
        result = search.search(state, 80)
        root = twin.search(state, 80)
        counts = [root.counts.get(action, 0) for action in range(game.num_actions)]
        assert result.visit_counts.tolist() == counts
        values = [root.q(action) for action in range(game.num_actions)]
        assert result.q_values.tolist() == pytest.approx(values)
        state = game.child_state(state, result.best_action)
        search.advance(result.best_action)
        twin.advance(result.best_action)


@pytest.mark.parametrize("variant", sorted(set(TREE_POLICIES) - {"n_mcts_proportional"}))
def test_every_variant_that_maximises_finds_the_winning_move(variant: str) -> None:
    nim = make_game("nim", stones=10, max_take=3)
    settings = {"prior_weight": 1.0}
    search = MCTS(nim, exploration=1.0, seed=1, variant=tree_policy(variant), settings=settings)
    assert nim.action_name(search.search(nim.initial_state(), 20_000).best_action) == "take 2"


@pytest.mark.parametrize("variant", TREE_POLICIES)
def test_the_memory_of_the_edges_is_kept_with_the_subtree(
    variant: str, hex_game: StateManager
) -> None:
    search = MCTS(hex_game, seed=1, variant=tree_policy(variant))
    result = search.search(hex_game.initial_state(), 500)
    first = int(search.tree.child[result.best_action])
    begin = int(search.tree.first_edge[first])
    before = search.tree.memory[:, begin : begin + int(search.tree.edge_count[first])].tolist()
    search.advance(result.best_action)
    after = search.tree.memory[:, : int(search.tree.edge_count[0])].tolist()
    assert after == before
    assert int(search.tree.used[EDGES]) > len(before)


def test_a_name_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"got 'uct_rav' \(did you mean uct_rave\?\)"):
        tree_policy("uct_rav")


def test_a_number_that_no_search_reads_is_refused(hex_game: StateManager) -> None:
    with pytest.raises(ValueError, match="expected a setting"):
        MCTS(hex_game, settings={"speed": 3.0})


def test_each_variant_is_a_file_of_its_own() -> None:
    folder = Path(__file__).parents[2] / "mcts" / "variants"
    modules = {word.partition(":")[0].rpartition(".")[2] for word in TREE_POLICIES.values()}
    assert {path.stem for path in folder.glob("*.py")} == {*modules, "__init__", "priors"}
