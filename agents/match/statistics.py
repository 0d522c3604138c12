"""What a number of games says about strength: intervals, Elo ratings, rank correlation.

A draw counts as half a win for each side throughout. Letters: P players.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

ELO_PER_NATURAL_LOG = 400.0 / math.log(10.0)
"""A difference of 400 Elo points is odds of 10 to 1."""

_TOLERANCE = 1e-9
_MAX_ITERATIONS = 100_000


class CrossResults(NamedTuple):
    """Who won how often against whom.

    Attributes:
        present: The players who have played, ascending; P of them.
        wins: `[P, P]`, wins of the row's player over the column's.
        games: `[P, P]`, games between them.
    """

    present: tuple[int, ...]
    wins: NDArray[np.int64]
    games: NDArray[np.int64]


def cross_results(results: Iterable[tuple[tuple[int, int], int | None]]) -> CrossResults:
    """Count games by who played and who won.

    Args:
        results: For each game its two players, by number, and the winner; ``None`` for a draw.
    """
    results = list(results)
    present = tuple(sorted({player for players, _ in results for player in players}))
    place = {player: row for row, player in enumerate(present)}
    wins = np.zeros((len(present), len(present)), np.int64)
    games = np.zeros_like(wins)
    for players, winner in results:
        one, other = (place[player] for player in players)
        games[one, other] += 1
        games[other, one] += 1
        if winner is not None:
            won = place[winner]
            wins[won, one + other - won] += 1
    return CrossResults(present, wins, games)


def wilson_interval(wins: float, games: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a win rate.

    Unlike the usual "rate plus or minus 1.96 standard errors" it stays within [0, 1] and is
    honest near both ends: 50 wins of 50 give 0.929 to 1 (Wilson 1927; Brown, Cai and DasGupta
    2001, section 3.1.1).

    Args:
        wins: Games won plus half of those drawn, 0 to ``games``.
        games: Games played; without any, the interval is all of [0, 1].
        confidence: The chance that such an interval holds the true rate, between 0 and 1.

    Returns:
        The lower and the upper end, each in [0, 1].

    Raises:
        ValueError: A number is out of its range.
    """
    if not 0 <= wins <= games:
        raise ValueError(f"expected from 0 to {games} wins in {games} games, got {wins}")
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1, got {confidence}")
    if games == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = wins / games
    shrink = 1 + z * z / games
    centre = (rate + z * z / (2 * games)) / shrink
    spread = z / shrink * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    low = 0.0 if wins == 0 else max(0.0, centre - spread)
    high = 1.0 if wins == games else min(1.0, centre + spread)
    return low, high


def elo_ratings(wins: ArrayLike) -> NDArray[np.float64]:
    """Return the Elo ratings that make these results most likely.

    The Bradley-Terry model: player i beats j with probability s_i / (s_i + s_j). Its maximum is
    found by the MM algorithm (Hunter 2004, "MM algorithms for generalized Bradley-Terry models",
    section 2), which raises the likelihood with each iteration. One drawn game is added for each
    pair that met, so that a player who won every game, or none, has a finite rating.

    Args:
        wins: `[P, P]`, wins of the row's player over the column's, plus half of their draws.

    Returns:
        `[P]` ratings in Elo points relative to the first player, who has 0: in order of training,
        the untrained net. Those whom no chain of games joins to the first player get nan.

    Raises:
        ValueError: Not a square matrix of non-negative, finite numbers.
    """
    rated, won = _rated_results(wins)
    ratings = np.full(len(np.asarray(wins)), np.nan)
    if len(rated):
        log_strengths = np.log(_strengths(won))
        ratings[rated] = ELO_PER_NATURAL_LOG * (log_strengths - log_strengths[0])
    return ratings


def elo_intervals(wins: ArrayLike, confidence: float = 0.95) -> NDArray[np.float64]:
    """Return how far the ratings of ``elo_ratings`` can be trusted.

    From the likelihood: its curvature at the maximum (the Fisher information of the Bradley-Terry
    model, the added draws included) gives the covariance of the log strengths, and a rating lies
    within so many standard errors (Agresti 2013, "Categorical Data Analysis", section 11.6). The
    intervals belong to the differences to the first player, whose own is a point. Drawn games are
    taken for as uncertain as decided ones, so that with draws the intervals are too wide.

    Args:
        wins: See ``elo_ratings``.
        confidence: The chance that such an interval holds the true difference, between 0 and 1.

    Returns:
        `[P, 2]` lower and upper ends in Elo points; nan for those who have no rating.

    Raises:
        ValueError: See ``elo_ratings``; or the confidence is out of its range.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1, got {confidence}")
    rated, won = _rated_results(wins)
    ratings = elo_ratings(wins)
    errors = np.full(len(ratings), np.nan)
    if len(rated):
        strengths = 10.0 ** (ratings[rated] / 400.0)
        chances = strengths[:, None] / (strengths[:, None] + strengths[None, :])
        information = -(won + won.T) * chances * chances.T
        np.fill_diagonal(information, 0.0)
        np.fill_diagonal(information, -information.sum(axis=1))
        # Strengths are known up to a factor only; the first player's is held fixed.
        variances = np.diag(np.linalg.inv(information[1:, 1:]))
        errors[rated] = ELO_PER_NATURAL_LOG * np.sqrt([0.0, *variances])
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * errors
    return np.stack([ratings - reach, ratings + reach], axis=1)


def _rated_results(wins: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return who can be rated, and `[P, P]` their wins with a drawn game more for each pair."""
    won = np.array(wins, np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1]:
        raise ValueError(f"expected a square matrix of wins, got shape {won.shape}")
    if not np.all(np.isfinite(won) & (won >= 0)):
        raise ValueError("expected wins that are 0 or more, got a negative or infinite number")
    np.fill_diagonal(won, 0.0)
    rated = _joined_to_first(won)
    won = won[np.ix_(rated, rated)]
    return rated, won + 0.5 * (won + won.T > 0)


def _joined_to_first(won: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, ascending, the players whom a chain of games joins to player 0, and player 0."""
    from scipy.sparse.csgraph import connected_components

    group = connected_components(won, directed=False)[1] if len(won) else won[:, :0]
    return np.flatnonzero(group == group[:1])


def _strengths(won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `[P]` strengths whose expected wins are the wins that were had."""
    games = won + won.T
    total = won.sum(axis=1)
    strengths = np.ones(len(won))
    for _ in range(_MAX_ITERATIONS):
        weights = (games / (strengths[:, None] + strengths[None, :])).sum(axis=1)
        if np.all(np.abs(strengths * weights - total) <= _TOLERANCE * total):
            break
        strengths = total / weights
        strengths /= np.exp(np.log(strengths).mean())
    return strengths


def rank_correlation(order: Sequence[float], strengths: Sequence[float]) -> float | None:
    """Return how far two orders agree: Kendall's tau-b.

    Args:
        order: A place for each player, such as the episode after which a net was saved.
        strengths: A strength for each player, such as its win rate.

    Returns:
        1 if both order all pairs alike, -1 if each pair is the other way round; ``None`` where
        there is nothing to compare: fewer than two players, or all of them equal in one order.

    Raises:
        ValueError: The two are not of one length.
    """
    from scipy.stats import kendalltau

    if len(order) != len(strengths):
        raise ValueError(f"expected {len(order)} strengths, got {len(strengths)}")
    if len(set(order)) < 2 or len(set(strengths)) < 2:
        return None
    # The quotient of perfect agreement can miss 1 by a rounding error.
    return round(float(kendalltau(order, strengths, variant="b").statistic), 12)
