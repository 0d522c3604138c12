"""Positions of self-play, their samples, and a net beside a search."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from analysis import (
    ROLLOUT_EPSILON,
    Comparison,
    compare_with_search,
    kind_of_search,
    sample_positions,
)
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


def test_any_number_of_workers_is_the_same(net: Evaluator, comparisons: list[Comparison]) -> None:
    again = compare_with_search(net, games_of(net, 6), *SETUP, seed=1, workers=3)
    assert [each.to_json(net.game) for each in again] == [
        each.to_json(net.game) for each in comparisons
    ]


def test_agreement_is_the_same_first_choice_and_values_are_those_of_critic_search_and_judge(
    net: Evaluator, comparisons: list[Comparison]
) -> None:
    exact = ExactPlay(net.game)
    assert {each.agree for each in comparisons} == {True, False}
    for each in comparisons:
        favourite = int(np.argmax(each.position.policy))
        assert each.agree == (favourite == each.search.best_action)
        difference = np.abs(each.position.policy - each.search.distribution).sum() / 2
        assert each.total_variation == pytest.approx(difference)
        counts, values = each.search.visit_counts, each.search.q_values
        assert each.search_value == pytest.approx((counts * values).sum() / counts.sum())
        assert each.net_value == pytest.approx(float(net.value(each.position.state)), abs=1e-6)
        assert set(each.best_actions or ()) == exact.best_actions(each.position.state)


def test_without_a_critic_and_in_a_large_game_both_are_left_out() -> None:
    net = ANET(make_game("hex", size=5), ANETParams(hidden_layers=(4,)), seed=1).exact
    (found,) = compare_with_search(net, games_of(net, 1)[:1], 5, 1.0, seed=1)
    assert found.net_value is None
    assert found.best_actions is None


def test_json_holds_every_legal_action_named(net: Evaluator, comparisons: list[Comparison]) -> None:
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
def test_a_net_without_rollouts_has_another_kind_of_search_beside_it(
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


def test_positions_are_those_with_a_choice_of_one_legal_game(net: Evaluator) -> None:
    game, everything = net.game, games_of(net, 4)
    for number in range(4):
        positions = [each for each in everything if each.game_number == number]
        assert [each.ply for each in positions] == list(range(len(positions)))
        assert positions[0].state.tolist() == game.initial_state(1 + number % 2).tolist()
        for before, after in pairwise(positions):
            assert after.last_action is not None
            assert after.last_action in before.legal_actions
            assert game.child_state(before.state, after.last_action).tolist() == (
                after.state.tolist()
            )
        for each in positions:
            assert len(each.legal_actions) > 1
            assert each.policy == pytest.approx(net.policy(each.state))
            assert each.plies > each.ply
            assert each.points == (1.0 if each.outcome == 1 else 0.0)


def test_moves_are_drawn_in_proportion_to_the_policy(net: Evaluator) -> None:
    first = Counter(int(each.last_action or 0) for each in games_of(net, 300) if each.ply == 1)
    # Player 1 starts in half of the games, player 2 in the others: two policies.
    policies = [net.policy(net.game.initial_state(player)) for player in (1, 2)]
    expected = 300 * (policies[0] + policies[1]) / 2
    counts = np.array([first[action] for action in range(9)])
    assert float(np.sum((counts - expected) ** 2 / expected)) < 26.1, "chi-squared, 8, 0.001"


def test_a_forced_move_is_no_position() -> None:
    net = ANET(make_game("nim", stones=3, max_take=2), ANETParams(hidden_layers=(4,)), seed=1).exact
    stones = {net.game.to_flat(each.state)[1:].count(1) for each in games_of(net, 30)}
    assert stones == {2, 3}, "with one stone left there is nothing to choose"


def item(game_number: int, ply: int, name: int) -> Any:
    state = np.array([1, name], np.int8)
    return SimpleNamespace(position=SimpleNamespace(game_number=game_number, ply=ply, state=state))


def test_a_sample_is_spread_over_the_plies_and_holds_no_position_twice(net: Evaluator) -> None:
    items: list[Any] = [SimpleNamespace(position=each) for each in games_of(net, 20)]
    sampled = sample_positions(items, 5, seed=1)
    plies = [each.position.ply for each in sampled]
    assert plies == sorted(plies)
    last = {each.position.game_number: each.position.ply for each in items}
    usual = np.median(list(last.values()))
    assert np.abs(np.array(plies) - np.linspace(0, usual, 5)).max() <= 0.5
    assert len({each.position.state.tobytes() for each in sampled}) == 5


def sampled_names(items: list[Any], count: int, seed: int = 0) -> list[int]:
    return [int(each.position.state[1]) for each in sample_positions(items, count, seed)]


def test_equal_positions_count_once_and_the_seed_decides_between_positions_of_a_ply() -> None:
    assert sampled_names([*(item(n, 0, 7) for n in range(9)), item(0, 1, 8)], 10) == [7, 8]
    items = [item(number, 0, number) for number in range(50)]
    first, again, other = (sampled_names(items, 3, seed) for seed in (1, 1, 2))
    assert first == again != other
