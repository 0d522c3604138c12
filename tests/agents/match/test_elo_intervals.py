"""Intervals of ratings against independent calculations, and against simulated tournaments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from agents.match.statistics import elo_ratings


def negative_log_likelihood(ratings: NDArray[np.float64], wins: NDArray[np.float64]) -> float:
    """Return the negative log-likelihood in the Bradley-Terry model; ratings are in Elo points."""
    differences = (ratings[:, None] - ratings[None, :]) / 400
    return float((wins * np.log1p(10.0**-differences)).sum())


def numerical_errors(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return standard errors of all ratings but the first, by finite differences."""
    ratings = elo_ratings(wins)[:, 0]
    prior = wins + 0.5 * ((wins + wins.T) > 0)
    np.fill_diagonal(prior, 0)
    free, step = len(wins) - 1, 0.5
    steps = step * np.eye(len(wins))[1:]
    hessian = np.empty((free, free))
    for i in range(free):
        for j in range(free):
            hessian[i, j] = sum(
                one
                * other
                * negative_log_likelihood(ratings + one * steps[i] + other * steps[j], prior)
                for one in (1, -1)
                for other in (1, -1)
            ) / (4 * step**2)
    return np.sqrt(np.diag(np.linalg.inv(hessian)))


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


@pytest.mark.parametrize(("wins", "losses"), [(50, 50), (30, 10), (20, 0)])
def test_two_players_get_the_interval_of_the_log_odds(wins: int, losses: int) -> None:
    won, lost = wins + 0.5, losses + 0.5
    reach = 400 / math.log(10) * norm.ppf(0.975) * math.sqrt(1 / won + 1 / lost)
    centre = 400 * math.log10(won / lost)
    interval = elo_ratings([[0, losses], [wins, 0]])[1, 1:]
    assert interval == pytest.approx([centre - reach, centre + reach], abs=1e-3)


def test_intervals_hold_the_true_rating_with_their_stated_frequency() -> None:
    truth = np.array([0.0, 60.0, 150.0, 250.0])
    chances = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    rng = np.random.default_rng(1)
    tournaments, games = 400, 60
    inside = np.zeros(len(truth) - 1)
    for _ in range(tournaments):
        upper = np.triu(rng.binomial(games, chances), 1)
        wins = upper + np.tril(games - upper.T, -1)
        low, high = elo_ratings(wins)[1:, 1:].T
        inside += (low <= truth[1:]) & (truth[1:] <= high)
    # 95 % of 400, within four standard errors of such a share.
    assert inside / tournaments == pytest.approx([0.95] * 3, abs=4 * math.sqrt(0.95 * 0.05 / 400))


def test_players_are_rated_as_far_as_games_connect_them_to_the_first() -> None:
    wins = np.zeros((5, 5))
    wins[1, 0] = wins[4, 1] = 9
    wins[2, 3] = 2
    ratings = elo_ratings(wins)
    step = 400 * math.log10(9.5 / 0.5)
    assert ratings[[0, 1, 4], 0] == pytest.approx([0, step, 2 * step], abs=1e-4)
    assert ratings[0].tolist() == [0, 0, 0]
    assert np.isfinite(ratings[[0, 1, 4]]).all()
    assert np.isnan(ratings[2:4]).all()
    assert elo_ratings(np.zeros((0, 0))).shape == (0, 3)
    assert elo_ratings([[0]]).tolist() == [[0, 0, 0]]
