"""Curves, phases and calibration."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agents.match import wilson_interval
from analysis import Comparison, game_statistics, temperature_effects
from analysis.game_statistics import MEASURES, PHASES


def test_a_curve_is_the_mean_at_each_ply_with_students_interval(
    comparisons: list[Comparison],
) -> None:
    curve = game_statistics(comparisons).curves["net_entropy"]
    assert curve.plies == tuple(range(len(curve.plies)))
    for ply, games, mean, low, high in zip(
        curve.plies, curve.games, curve.mean, curve.low, curve.high, strict=True
    ):
        values = [each.of_net.entropy for each in comparisons if each.position.ply == ply]
        assert games == len(values) >= 3
        assert mean == pytest.approx(np.mean(values))
        expected = stats.t.interval(0.95, games - 1, np.mean(values), stats.sem(values))
        assert (low, high) == pytest.approx((max(0.0, expected[0]), expected[1]))


def test_a_share_has_the_interval_of_wilson(comparisons: list[Comparison]) -> None:
    curve = game_statistics(comparisons).curves["same_first_choice"]
    agree = [each.agree for each in comparisons if each.position.ply == 1]
    place = curve.plies.index(1)
    assert curve.mean[place] == pytest.approx(np.mean(agree))
    expected = wilson_interval(sum(agree), len(agree))
    assert (curve.low[place], curve.high[place]) == pytest.approx(expected)


def test_intervals_hold_their_means_and_stay_in_the_range_of_values(
    comparisons: list[Comparison],
) -> None:
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


def test_calibration_counts_positions_and_takes_intervals_from_games(
    comparisons: list[Comparison],
) -> None:
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


def knowing(comparison: Comparison, value: float) -> Comparison:
    """Return the comparison with another value of the critic."""
    return replace(comparison, net_value=value)


def test_a_critic_that_knows_the_outcome_is_right_and_its_opposite_is_wrong(
    comparisons: list[Comparison],
) -> None:
    for sign, brier, right in ((1, 0.0, 1.0), (-1, 1.0, 0.0)):
        known = [knowing(each, sign * (2 * each.position.points - 1)) for each in comparisons]
        found = game_statistics(known).calibration["net"]
        assert (found.brier, found.right_side) == (brier, right)
        assert [each.predicted for each in found.bins] == [0.0, 1.0]
        assert [each.points for each in found.bins] == ([0.0, 1.0] if sign == 1 else [1.0, 0.0])
    ignorant = [knowing(each, 0.0) for each in comparisons]
    assert game_statistics(ignorant).calibration["net"].brier == 0.25


def test_a_draw_is_half_a_point_and_favours_no_player(comparisons: list[Comparison]) -> None:
    drawn = [
        replace(each, net_value=0.0, position=replace(each.position, outcome=3))
        for each in comparisons
    ]
    found = game_statistics(drawn).calibration["net"]
    assert (found.brier, found.right_side) == (0.0, None)
    assert [each.points for each in found.bins] == [0.5]


def test_a_single_game_has_curves_without_width(comparisons: list[Comparison]) -> None:
    alone = [each for each in comparisons if each.position.game_number == 0]
    curve = game_statistics(alone).curves["net_entropy"]
    assert curve.low == curve.mean == curve.high
    assert len(curve.plies) == len(alone)


def test_everything_can_be_written_as_json(comparisons: list[Comparison]) -> None:
    text = json.dumps(game_statistics(comparisons).to_json(), allow_nan=False)
    assert json.loads(text)["positions"] == len(comparisons)


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
