"""Statistics of strength: intervals, Elo ratings, rank correlation.

A draw counts as half a win for each side throughout. Letters: P players.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

ELO_PER_NATURAL_LOG = 400.0 / math.log(10.0)  # a difference of 400 Elo points is odds of 10 to 1

_Z = NormalDist().inv_cdf(0.975)  # half-width of a 95 % interval, in standard errors
_TOLERANCE = 1e-9
_MAX_ITERATIONS = 100_000


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a win rate; without games, all of [0, 1].

    It stays within [0, 1] and is honest near both ends: 50 wins of 50 give 0.929 to 1 (Wilson 1927;
    Brown, Cai and DasGupta 2001, section 3.1.1). A draw is half a win, unlike in SciPy's.
    """
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    shrink = 1 + _Z * _Z / games
    centre = (rate + _Z * _Z / (2 * games)) / shrink
    spread = _Z / shrink * math.sqrt(rate * (1 - rate) / games + _Z * _Z / (4 * games * games))
    low = 0.0 if wins == 0 else max(0.0, centre - spread)
    high = 1.0 if wins == games else min(1.0, centre + spread)
    return low, high


def elo_ratings(wins: ArrayLike) -> NDArray[np.float64]:
    """Return the Elo ratings that make these results most likely, with their 95 % intervals.

    The Bradley-Terry model: player i beats j with probability s_i / (s_i + s_j). Its maximum is
    found by the MM algorithm (Hunter 2004, "MM algorithms for generalized Bradley-Terry models",
    section 2). One drawn game is added for each pair that met, so that a player with wins only, or
    with none, has a finite rating.

    The curvature of the likelihood at the maximum (the Fisher information) gives the standard
    errors of the log strengths (Agresti 2013, "Categorical Data Analysis", section 11.6). Drawn
    games count as uncertain as decided ones, so that intervals are too wide with draws.

    ``wins`` are `[P, P]`, of the row's player over the column's, plus half of their draws. Return
    `[P, 3]`, each player's rating in Elo points relative to the first player, which has 0, and the
    ends of the difference's interval; nan for players not connected to it by games.
    """
    from scipy.sparse.csgraph import connected_components

    won = np.array(wins, np.float64)
    ratings = np.full((len(won), 3), np.nan)
    if not len(won):
        return ratings
    _, component = connected_components(won + won.T > 0)
    rated = np.flatnonzero(component == component[0])
    won = won[np.ix_(rated, rated)]
    won += 0.5 * (won + won.T > 0)
    logs = np.log(_strengths(won))
    elo = ELO_PER_NATURAL_LOG * (logs - logs[0])
    strengths = 10.0 ** (elo / 400.0)
    chances = strengths[:, None] / (strengths[:, None] + strengths[None, :])
    information = -(won + won.T) * chances * chances.T
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    # Strengths are determined up to a factor; the first player's is fixed.
    variances = np.diag(np.linalg.inv(information[1:, 1:]))
    reach = _Z * (ELO_PER_NATURAL_LOG * np.sqrt([0.0, *variances]))
    ratings[rated] = np.stack([elo, elo - reach, elo + reach], axis=1)
    return ratings


def _strengths(won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `[P]` strengths whose expected wins equal the actual wins."""
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
    """Return the rank correlation of two orders, Kendall's tau-b.

    ``order`` has a place for each player, such as the training episode of a net, and ``strengths``
    its win rate. 1 if all pairs are in the same order, -1 if all are reversed; ``None`` for fewer
    than two players, or if all are equal in one order.
    """
    if len(set(order)) < 2 or len(set(strengths)) < 2:
        return None
    # For each two players 1, -1, or 0 where they are equal; SciPy would take a second to load.
    one, other = (np.sign(np.subtract.outer(each, each)) for each in (order, strengths))
    tau = (one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum())
    # The quotient of perfect agreement can miss 1 by a rounding error.
    return round(float(tau), 12)
