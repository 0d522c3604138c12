"""Temperature, entropy and distances by their definitions; curves, phases and calibration."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from agents.match import wilson_interval
from analysis import Comparison, game_statistics, temperature_effects
from analysis.distributions import (
    analyze_distribution,
    apply_temperature,
    kl_divergence,
    total_variation,
)
from analysis.game_statistics import MEASURES, PHASES


def test_a_curve_is_the_mean_of_a_ply_with_students_interval(comparisons: list[Comparison]) -> None:
    curve = game_statistics(comparisons).curves["net_entropy"]
    assert curve.plies == tuple(range(len(curve.plies)))
    for ply in curve.plies:
        values = [each.of_net.entropy for each in comparisons if each.position.ply == ply]
        assert curve.games[ply] == len(values) >= 3
        assert curve.mean[ply] == pytest.approx(np.mean(values))
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert (curve.low[ply], curve.high[ply]) == pytest.approx((max(0.0, low), high))


def test_a_share_has_the_interval_of_wilson(comparisons: list[Comparison]) -> None:
    curve = game_statistics(comparisons).curves["same_first_choice"]
    agree = [each.agree for each in comparisons if each.position.ply == 1]
    place = curve.plies.index(1)
    assert curve.mean[place] == pytest.approx(np.mean(agree))
    expected = wilson_interval(sum(agree), len(agree))
    assert (curve.low[place], curve.high[place]) == pytest.approx(expected)


def test_intervals_hold_their_means_and_stay_in_the_range(comparisons: list[Comparison]) -> None:
    for name, curve in game_statistics(comparisons).curves.items():
        highest = MEASURES[name][0] or np.inf
        for mean, low, high in zip(curve.mean, curve.low, curve.high, strict=True):
            assert 0 <= low <= mean + 1e-12
            assert mean <= high + 1e-12
            assert high <= highest


def test_phases_are_thirds_of_each_game(comparisons: list[Comparison]) -> None:
    found = game_statistics(comparisons).phases["overlap"]
    assert len(found) == len(PHASES)
    thirds = [3 * each.position.ply // each.position.plies for each in comparisons]
    overlaps = np.array([1 - each.total_variation for each in comparisons])
    assert found[0] == pytest.approx(overlaps.mean())
    for third in range(3):
        assert found[1 + third] == pytest.approx(overlaps[np.array(thirds) == third].mean())


def test_calibration_counts_positions_and_games_apart(comparisons: list[Comparison]) -> None:
    statistics = game_statistics(comparisons)
    assert set(statistics.calibration) == {"search", "net"}
    for value in statistics.calibration.values():
        assert sum(each.positions for each in value.bins) == len(comparisons)
        predicted = [each.predicted for each in value.bins]
        assert predicted == sorted(predicted)
        for each in value.bins:
            assert each.games <= statistics.games == 6
            expected = wilson_interval(each.points * each.games, each.games)
            assert (each.low, each.high) == pytest.approx(expected)


def test_a_critic_that_knows_the_outcome_is_right(comparisons: list[Comparison]) -> None:
    for sign, brier, right in ((1, 0.0, 1.0), (-1, 1.0, 0.0)):
        known = [
            replace(each, net_value=sign * (2 * each.position.points - 1)) for each in comparisons
        ]
        found = game_statistics(known).calibration["net"]
        assert (found.brier, found.right_side) == (brier, right)
        assert [each.predicted for each in found.bins] == [0.0, 1.0]
        assert [each.points for each in found.bins] == ([0.0, 1.0] if sign == 1 else [1.0, 0.0])
    ignorant = [replace(each, net_value=0.0) for each in comparisons]
    assert game_statistics(ignorant).calibration["net"].brier == 0.25


def test_a_draw_is_half_a_point_and_favours_no_player(comparisons: list[Comparison]) -> None:
    drawn = [
        replace(each, net_value=0.0, position=replace(each.position, outcome=3))
        for each in comparisons
    ]
    found = game_statistics(drawn).calibration["net"]
    assert (found.brier, found.right_side) == (0.0, None)
    assert [each.points for each in found.bins] == [0.5]


def test_a_single_game_has_curves_without_width_in_json(comparisons: list[Comparison]) -> None:
    alone = [each for each in comparisons if each.position.game_number == 0]
    for some in (alone, comparisons):
        text = json.dumps(game_statistics(some).to_json(), allow_nan=False)
        assert json.loads(text)["positions"] == len(some)
    curve = game_statistics(alone).curves["net_entropy"]
    assert curve.low == curve.mean == curve.high
    assert len(curve.plies) == len(alone)


def test_temperatures_are_applied_to_the_net(comparisons: list[Comparison]) -> None:
    cold, usual, hot = temperature_effects(comparisons, [0.01, 1.0, 100.0])
    statistics = game_statistics(comparisons)
    assert usual.net_entropy == pytest.approx(statistics.phases["net_entropy"][0])
    assert usual.search_entropy == pytest.approx(statistics.phases["search_entropy"][0])
    assert cold.same_choice == pytest.approx(statistics.phases["same_first_choice"][0], abs=0.05)
    assert cold.net_entropy < usual.net_entropy < hot.net_entropy
    assert hot.net_top_probability == pytest.approx(
        np.mean([1 / each.of_net.actions for each in comparisons]), rel=0.02
    )
    assert usual.best_choice is not None
    assert usual.best_choice <= 1
    shares = [
        sum(each.position.policy[action] for action in each.best_actions or ())
        for each in comparisons
    ]
    assert usual.best_choice == pytest.approx(np.mean(shares))


WEIGHTS = st.lists(st.floats(0, 1e6), min_size=2, max_size=9).filter(lambda each: sum(each) > 1e-3)
TEMPERATURES = st.floats(0.05, 20)


def normal(weights: Any) -> NDArray[np.float64]:
    return np.asarray(np.asarray(weights, float) / np.sum(weights))


@given(WEIGHTS, TEMPERATURES)
def test_a_temperature_is_the_power_one_over_it(weights: list[float], temperature: float) -> None:
    relative = np.array(weights) / max(weights)
    expected = normal([each ** (1 / temperature) if each else 0.0 for each in relative])
    result = apply_temperature(weights, temperature)
    assert result == pytest.approx(expected, abs=1e-9)
    assert result.sum() == pytest.approx(1)


def test_a_tiny_temperature_overflows_nothing_and_a_batch_is_treated_row_by_row() -> None:
    assert apply_temperature([1e-300, 1e-290, 0.0], 1e-9).tolist() == [0, 1, 0]
    batch = np.array([[1.0, 3.0], [2.0, 2.0]])
    rows = [apply_temperature(row, 0.5).tolist() for row in batch]
    assert apply_temperature(batch, 0.5).tolist() == rows
    assert rows[0] == pytest.approx([0.1, 0.9])


@given(WEIGHTS)
def test_statistics_are_those_of_the_definition(weights: list[float]) -> None:
    shares = normal(weights)
    found = analyze_distribution(weights)
    entropy = -sum(share * math.log(share) for share in shares if share > 0)
    assert found.entropy == pytest.approx(entropy, abs=1e-9)
    assert found.perplexity == pytest.approx(math.exp(entropy))
    assert found.normalized_entropy == pytest.approx(entropy / math.log(len(weights)), abs=1e-9)
    assert 0 <= found.normalized_entropy <= 1
    assert found.top_action == int(np.argmax(shares))
    assert found.top_probability == pytest.approx(max(shares))
    assert found.margin == pytest.approx(np.diff(np.sort(shares))[-1], abs=1e-12)
    assert found.support == sum(share > 0 for share in shares)


@pytest.mark.parametrize("weights", [[0, 2, 2, 0, 2, 2], [0, 1, 0]])
def test_the_uniform_distribution_has_as_much_perplexity_as_actions(weights: list[float]) -> None:
    actions = int(np.count_nonzero(weights))
    found = analyze_distribution(weights, actions=actions)
    assert found.actions == found.support == actions
    assert found.perplexity == pytest.approx(actions)
    assert found.normalized_entropy == pytest.approx(float(actions > 1))
    assert found.top_action == 1


def test_distances_by_example() -> None:
    assert total_variation([1, 3], [2, 6]) == kl_divergence([1, 3], [2, 6]) == 0
    assert total_variation([1, 0], [0, 5]) == 1
    assert total_variation([0.5, 0.5], [0.25, 0.75]) == 0.25
    assert kl_divergence([0.5, 0.5], [0.25, 0.75]) == pytest.approx(0.5 * math.log(4 / 3))
    assert kl_divergence([1, 0], [0, 1]) == pytest.approx(12 * math.log(10))
