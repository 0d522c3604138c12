"""Each search variant against its slow twin: the same seed gives the same visit counts."""

from itertools import product

import pytest

from base.methods import TREE_POLICIES
from mcts import MCTS, search_variant
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
    NaiveQuality,
    NaiveRAVE,
    NaiveRAVERatio,
    NaiveUCB1Tuned,
    NaiveVariant,
    by_several_rollouts,
)
from tests.mcts.trees import HEX, after, assert_equal_games, small_game

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

GAMES = ["hex", "nim", "ledge"]
SIMULATIONS = 50
"""At each move; the twins are slow."""


def test_every_variant_has_a_twin_or_is_the_default() -> None:
    assert set(TREE_POLICIES) == {"uct", *TWINS}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("policy_name", TWINS)
def test_a_variant_searches_like_its_twin(policy_name: str, name: str) -> None:
    game = small_game(name)
    policy = fake_policy(game, seed=3, epsilon=0.4)
    twin_class, settings, constant = TWINS[policy_name]
    variant = search_variant(policy_name).with_settings(exploration=0.7, **settings)
    search = MCTS(game, variant=variant, rollout_policy=policy, seed=11)
    choose, prior = favourite_twin(game, policy), taste_twin(game, policy)
    twin = twin_class(game, choose, 11, 0.7, constant, prior)
    assert_equal_games(search, twin, SIMULATIONS, starter=2)


@pytest.mark.parametrize(
    ("name", "rollout"),
    [
        *product(GAMES, ["several", "last_good_reply", "quality"]),
        *product(["tic_tac_toe", "hexapawn"], ["last_good_reply", "quality"]),
    ],
)
def test_rollouts_are_those_of_the_twin(name: str, rollout: str) -> None:
    game = small_game(name)
    policy = fake_policy(game, seed=3, epsilon=0.4)
    choose = favourite_twin(game, policy)
    twin: NaiveMCTS = NaiveLastGoodReply(game, choose, 5, 1.0)
    if rollout == "quality":
        twin = NaiveQuality(game, choose, 5)
    variant = search_variant("uct", rollout)
    if rollout == "several":
        variant = variant.with_settings(rollouts=3.0, length_discount=0.9)
        twin = NaiveMCTS(game, 1.0, 5, by_several_rollouts(game, choose, 3, 0.9))
    search = MCTS(game, rollout_policy=policy, seed=5, variant=variant)
    assert_equal_games(search, twin, SIMULATIONS)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean uct_rave"):
        search_variant("uct_rav")


def test_without_a_policy_the_priors_of_legal_actions_are_equal() -> None:
    search = MCTS(HEX, variant=search_variant("puct"), rollout_policy=Policy(), seed=1)
    search.search(after(HEX, [4]), 1)
    assert search.tree.priors[:15].tolist() == [1 / 15] * 15
