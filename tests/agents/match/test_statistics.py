"""Intervals, ratings and rank correlation against published and exact values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from agents.match.statistics import elo_ratings, rank_correlation, wilson_interval


def ratings_of(wins: ArrayLike) -> NDArray[np.float64]:
    """Return the ratings without their intervals."""
    return elo_ratings(wins)[:, 0]


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I,
        # method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(
    wins: int, games: int, low: float, high: float
) -> None:
    assert wilson_interval(wins, games) == pytest.approx((low, high), abs=5e-5)


@settings(max_examples=100, deadline=None)
@given(
    games=st.integers(1, 2000),
    share=st.floats(0, 1),
)
def test_wilson_intervals_equal_those_of_scipy(games: int, share: float) -> None:
    wins = round(share * games)
    theirs = binomtest(wins, games).proportion_ci(0.95, method="wilson")
    ours = wilson_interval(wins, games)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(games=st.integers(1, 500), halves=st.integers(0, 1000))
def test_an_interval_lies_in_the_unit_interval_around_the_rate(games: int, halves: int) -> None:
    wins = min(halves / 2, games)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    low, high = wilson_interval(wins, games)
    assert 0 <= low <= wins / games <= high <= 1
    assert wilson_interval(games - wins, games) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("wins", "losses"), [(5, 5), (10, 0), (0, 10), (7, 3), (0.5, 1.5), (99, 1)]
)
def test_two_players_get_the_exact_rating(wins: float, losses: float) -> None:
    ratings = ratings_of([[0, losses], [wins, 0]])
    exact = 400 * math.log10((wins + 0.5) / (losses + 0.5))
    assert ratings == pytest.approx([0.0, exact], abs=1e-5)


def test_the_ratings_predict_the_results() -> None:
    rng = np.random.default_rng(5)
    wins = rng.integers(0, 30, (6, 6)).astype(float)
    np.fill_diagonal(wins, 0)
    ratings = ratings_of(wins)
    with_prior = wins + 0.5 * (1 - np.eye(6))
    chances = 1 / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    expected = ((with_prior + with_prior.T) * chances).sum(axis=1)
    assert expected == pytest.approx(with_prior.sum(axis=1), abs=1e-5)


def test_a_player_that_wins_every_game_has_the_highest_finite_rating() -> None:
    ratings = ratings_of(np.tril(np.full((6, 6), 50.0), -1))
    assert np.all(np.isfinite(ratings))
    assert np.all(np.diff(ratings) > 0)
    assert ratings[0] == 0.0


def test_ratings_do_not_depend_on_the_order_of_the_others() -> None:
    wins = np.array([[0, 3, 2, 1], [7, 0, 4, 2], [8, 6, 0, 5], [9, 8, 5, 0]], float)
    order = [0, 3, 1, 2]
    shuffled = ratings_of(wins[np.ix_(order, order)])
    assert shuffled == pytest.approx(ratings_of(wins)[order], abs=1e-5)


@pytest.mark.parametrize(
    ("strengths", "tau"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], 1.0),
        ([0.5, 0.4, 0.3, 0.2, 0.1], -1.0),
        ([0.1, 0.2, 0.3, 0.5, 0.4], 0.8),
        ([0.1, 0.2, 0.3, 0.4, 0.4], 9 / math.sqrt(90)),
    ],
)
def test_rank_correlation_is_kendalls_tau_b(strengths: list[float], tau: float) -> None:
    assert rank_correlation([0, 50, 100, 150, 200], strengths) == pytest.approx(tau)
    assert {rank_correlation(range(n), range(n)) for n in range(2, 30)} == {1.0}, "exactly"


@pytest.mark.parametrize(
    ("order", "strengths"), [([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, 2], [3, 3])]
)
def test_without_comparable_pairs_there_is_no_correlation(
    order: list[float], strengths: list[float]
) -> None:
    assert rank_correlation(order, strengths) is None
