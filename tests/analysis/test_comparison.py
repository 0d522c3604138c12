"""A net beside a search."""

from typing import Any

import numpy as np
import pytest

from analysis import ROLLOUT_EPSILON, Comparison, compare_with_search, kind_of_search
from anet import ANET
from anet.evaluator import Evaluator
from base.params import ANETParams
from judge import ExactPlay
from mcts import MCTS, Variant
from state_manager import make_game
from tests.analysis.conftest import EXPLORATION, SETUP, SIMULATIONS, games_of


def test_each_position_is_searched_with_random_numbers_of_its_own(
    net: Evaluator, comparisons: list[Comparison]
) -> None:
    number = 4
    search = MCTS(
        net.game,
        SIMULATIONS,
        variant=Variant().with_settings(exploration=EXPLORATION),
        rollout_policy=net.rollout_policy(ROLLOUT_EPSILON),
        seed=np.random.SeedSequence(1, spawn_key=(1, number)),
    )
    expected = search.search(comparisons[number].position.state)
    found = comparisons[number].search
    assert found.visit_counts.tolist() == expected.visit_counts.tolist()
    assert found.visit_counts.sum() == SIMULATIONS


def test_the_number_of_workers_changes_nothing(
    net: Evaluator, comparisons: list[Comparison]
) -> None:
    again = compare_with_search(net, games_of(net, 6), *SETUP, seed=1, workers=3)
    assert [each.to_json(net.game) for each in again] == [
        each.to_json(net.game) for each in comparisons
    ]


def test_agreement_is_the_same_first_choice(comparisons: list[Comparison]) -> None:
    assert {each.agree for each in comparisons} == {True, False}
    for each in comparisons:
        favourite = int(np.argmax(each.position.policy))
        assert each.agree == (favourite == each.search.best_action)
        difference = np.abs(each.position.policy - each.search.distribution).sum() / 2
        assert each.total_variation == pytest.approx(difference)
        counts, values = each.search.visit_counts, each.search.q_values
        assert each.search_value == pytest.approx((counts * values).sum() / counts.sum())


def test_the_critics_value_and_perfect_play_are_reported(
    net: Evaluator, comparisons: list[Comparison]
) -> None:
    exact = ExactPlay(net.game)
    for each in comparisons:
        assert each.net_value == pytest.approx(float(net.value(each.position.state)), abs=1e-6)
        assert set(each.best_actions or ()) == exact.best_actions(each.position.state)


def test_without_a_critic_and_in_a_large_game_both_are_left_out() -> None:
    net = ANET(make_game("hex", size=5), ANETParams(hidden_layers=(4,)), seed=1).exact
    (found,) = compare_with_search(net, games_of(net, 1)[:1], 5, 1.0, seed=1)
    assert found.net_value is None
    assert found.best_actions is None


def test_json_holds_every_legal_action_with_its_name(
    net: Evaluator, comparisons: list[Comparison]
) -> None:
    each = comparisons[3]
    data: dict[str, Any] = each.to_json(net.game)
    assert [row["action"] for row in data["actions"]] == each.position.legal_actions.tolist()
    assert data["actions"][0]["name"] == net.game.action_name(data["actions"][0]["action"])
    assert sum(row["policy"] for row in data["actions"]) == pytest.approx(1)
    assert sum(row["distribution"] for row in data["actions"]) == pytest.approx(1)
    assert net.game.from_flat(data["state"]).tolist() == each.position.state.tolist()
    assert data["board"] == net.game.text(each.position.state).splitlines()


def test_results_are_reported_in_order_and_an_error_ends_the_work(net: Evaluator) -> None:
    positions, reported = games_of(net, 3), list[int]()

    def on_result(number: int) -> None:
        reported.append(number)
        if len(reported) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_with_search(net, positions, *SETUP, 1, workers=2, on_result=on_result)
    assert reported == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("critic", "kind"), [(True, "critic"), (False, "uniform_rollouts")], ids=["critic", "none"]
)
def test_a_net_that_plays_no_rollouts_is_compared_with_another_kind_of_search(
    critic: bool, kind: str
) -> None:
    params = ANETParams(
        network="convolutional", channels=4, blocks=1, hidden_layers=(), critic=critic
    )
    net = ANET(make_game("tic_tac_toe"), params, seed=1).exact
    assert kind_of_search(net) == kind
    positions = games_of(net, 6)
    assert len(positions) > 32, "more than one batch"
    found = compare_with_search(net, positions, 20, 1.0, seed=1, workers=2)
    assert [each.position for each in found] == positions
    assert {int(each.search.visit_counts.sum()) for each in found} == {20}
    *_, following = compare_with_search(net, [positions[0]] * 32 + positions[1:2], 20, 1.0, seed=1)
    assert following.search.visit_counts.sum() == 20, "and nothing of an earlier position's tree"
    alone = compare_with_search(net, positions[33:34], 20, 1.0, seed=1)
    if critic:
        counts = alone[0].search.visit_counts.tolist()
        assert counts == found[33].search.visit_counts.tolist(), "whatever the batch"
