"""Intervals, ratings and rank correlation against published, exact and simulated values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from agents.match.statistics import elo_ratings, rank_correlation, wilson_interval


@settings(max_examples=100, deadline=None)
@given(games=st.integers(1, 2000), share=st.floats(0, 1), half=st.sampled_from([0, 0.5]))
def test_wilson_intervals_equal_those_of_scipy(games: int, share: float, half: float) -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    wins = min(round(share * games) + half, games)
    low, high = wilson_interval(wins, games)
    assert 0 <= low <= wins / games <= high <= 1
    assert wilson_interval(games - wins, games) == pytest.approx((1 - high, 1 - low))
    if wins == int(wins):
        theirs = binomtest(int(wins), games).proportion_ci(0.95, method="wilson")
        assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_ratings_predict_the_results() -> None:
    rng = np.random.default_rng(5)
    wins = rng.integers(0, 30, (6, 6)).astype(float)
    np.fill_diagonal(wins, 0)
    ratings, with_prior = elo_ratings(wins)[:, 0], wins + 0.5 * (1 - np.eye(6))
    chances = 1 / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    expected = ((with_prior + with_prior.T) * chances).sum(axis=1)
    assert expected == pytest.approx(with_prior.sum(axis=1), abs=1e-5)


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
def test_without_pairs_there_is_no_correlation(order: list[float], strengths: list[float]) -> None:
    assert rank_correlation(order, strengths) is None


def negative_log_likelihood(ratings: NDArray[np.float64], wins: NDArray[np.float64]) -> float:
    """Return the negative log-likelihood in the Bradley-Terry model; ratings are in Elo points."""
    differences = (ratings[:, None] - ratings[None, :]) / 400
    return float((wins * np.log1p(10.0**-differences)).sum())


def numerical_errors(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return standard errors of all ratings but the first, by finite differences."""
    ratings, prior = elo_ratings(wins)[:, 0], wins + 0.5 * ((wins + wins.T) > 0)
    np.fill_diagonal(prior, 0)
    step = 0.5
    steps = step * np.eye(len(wins))[1:]

    def at(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        return negative_log_likelihood(ratings + one + other, prior)

    hessian = [[at(i, j) - at(i, -j) - at(-i, j) + at(-i, -j) for j in steps] for i in steps]
    return np.sqrt(np.diag(np.linalg.inv(np.array(hessian) / (4 * step**2))))


@pytest.mark.parametrize("seed", range(3))
def test_intervals_follow_from_the_curvature_of_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 40, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    wins[1, 4] = wins[4, 1] = 0  # these two have not met
    low, high = elo_ratings(wins)[1:, 1:].T
    reach = norm.ppf(0.975) * numerical_errors(wins)
    assert (high - low) / 2 == pytest.approx(reach, rel=1e-4)
    assert (high + low) / 2 == pytest.approx(elo_ratings(wins)[1:, 0])


def test_players_are_rated_as_far_as_games_connect_them_to_the_first() -> None:
    wins = np.zeros((5, 5))
    wins[1, 0] = wins[4, 1] = 9
    wins[2, 3] = 2
    ratings, step = elo_ratings(wins), 400 * math.log10(9.5 / 0.5)
    assert ratings[[0, 1, 4], 0] == pytest.approx([0, step, 2 * step], abs=1e-4)
    assert ratings[0].tolist() == [0, 0, 0]
    assert np.isfinite(ratings[[0, 1, 4]]).all()
    assert np.isnan(ratings[2:4]).all()
    assert elo_ratings(np.zeros((0, 0))).shape == (0, 3)
    assert elo_ratings([[0]]).tolist() == [[0, 0, 0]]
