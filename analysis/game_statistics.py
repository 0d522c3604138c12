"""Statistics over whole games: curves over the plies, a table by phase, and calibration.

Positions of one game are not independent, so intervals count games: at one ply each game has at
most one position, and in a bin of the calibration a game counts once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.match import wilson_interval
from analysis.comparison import Comparison

PHASES = ("all", "first third", "second third", "last third")
_BINS = 8
_FEWEST = 3
_SMALLEST_SHARE = 0.25
"""A curve shows a ply only if at least ``_FEWEST`` games, and this share of all, reach it."""


@dataclass(frozen=True)
class Curve:
    """The mean at each ply that enough games reach, its number of games and 95 % interval."""

    plies: tuple[int, ...]
    games: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Bin:
    """Positions with similar values, and their games' mean points of player 1: 0.5 for a draw."""

    positions: int
    games: int
    predicted: float  # the mean of (value + 1) / 2
    points: float
    low: float  # the ends of the 95 % interval
    high: float


@dataclass(frozen=True)
class Calibration:
    """A value against the outcomes of games."""

    bins: tuple[Bin, ...]  # by rising value; none is empty
    brier: float  # the mean squared error of (value + 1) / 2; 0.25 for a value that is always 0
    right_side: float | None  # the share of decided games' positions that favour the winner


@dataclass(frozen=True)
class GameStatistics:
    """All statistics of some games; ``positions`` counts those with a choice.

    Curves are by name, see ``MEASURES``; ``phases`` has their means in each of ``PHASES``, ``None``
    if unknown. The calibration is that of ``search`` and, with a critic, of ``net``.
    """

    games: int
    positions: int
    curves: dict[str, Curve]
    phases: dict[str, tuple[float | None, ...]]
    calibration: dict[str, Calibration]

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON data."""
        return {"phase_names": list(PHASES), **asdict(self)}


Measure = Callable[[Comparison], float | None]


def _best(action: int, comparison: Comparison) -> float | None:
    best = comparison.best_actions
    return None if best is None else float(action in best)


MEASURES: dict[str, tuple[float | None, Measure]] = {
    "net_entropy": (None, lambda each: each.of_net.entropy),
    "search_entropy": (None, lambda each: each.of_search.entropy),
    "uniform_entropy": (None, lambda each: math.log(each.of_net.actions)),
    "net_normalized_entropy": (1.0, lambda each: each.of_net.normalized_entropy),
    "search_normalized_entropy": (1.0, lambda each: each.of_search.normalized_entropy),
    "net_perplexity": (None, lambda each: each.of_net.perplexity),
    "search_perplexity": (None, lambda each: each.of_search.perplexity),
    "net_top_probability": (1.0, lambda each: each.of_net.top_probability),
    "search_top_probability": (1.0, lambda each: each.of_search.top_probability),
    "uniform_top_probability": (1.0, lambda each: 1 / each.of_net.actions),
    "same_first_choice": (1.0, lambda each: float(each.agree)),
    "overlap": (1.0, lambda each: 1.0 - each.total_variation),
    "kl_divergence": (None, lambda each: each.divergence),
    "net_plays_best": (1.0, lambda each: _best(each.of_net.top_action, each)),
    "search_plays_best": (1.0, lambda each: _best(each.of_search.top_action, each)),
}
"""For each measure its upper bound (``None`` if unbounded), and its function, which returns
``None`` for unknown values. The lower bound is always 0."""

_YES_OR_NO = {"same_first_choice", "net_plays_best", "search_plays_best"}


def game_statistics(comparisons: Sequence[Comparison]) -> GameStatistics:
    """Return the statistics of at least one position."""
    plies = np.array([each.position.ply for each in comparisons])
    thirds = 3 * plies // [each.position.plies for each in comparisons]
    games = len({each.position.game_number for each in comparisons})
    fewest = min(games, max(_FEWEST, round(_SMALLEST_SHARE * games)))
    curves, phases = {}, {}
    for name, (_, measure) in MEASURES.items():
        values = np.array([measure(each) for each in comparisons], np.float64)
        known = ~np.isnan(values)  # None, in an array
        parts = [values[known], *(values[known & (thirds == third)] for third in range(3))]
        phases[name] = tuple(float(part.mean()) if len(part) else None for part in parts)
        rows = []
        for ply in np.unique(plies).tolist():
            there = values[known & (plies == ply)]
            if len(there) >= fewest:
                rows.append((ply, len(there), float(there.mean()), *_interval(name, there)))
        if rows:
            curves[name] = Curve(*zip(*rows, strict=True))
    calibration = {"search": _calibration([(each, each.search_value) for each in comparisons])}
    criticized = [(each, each.net_value) for each in comparisons if each.net_value is not None]
    if criticized:
        calibration["net"] = _calibration(criticized)
    return GameStatistics(games, len(comparisons), curves, phases, calibration)


def _interval(name: str, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean: Wilson's for a share, else Student's, clipped."""
    from scipy.special import stdtrit

    mean, count, highest = float(values.mean()), len(values), MEASURES[name][0]
    if name in _YES_OR_NO:
        return wilson_interval(float(values.sum()), count)
    if count < 2:
        return mean, mean
    reach = float(stdtrit(count - 1, 0.975)) * float(values.std(ddof=1))
    low, high = mean - reach / math.sqrt(count), mean + reach / math.sqrt(count)
    return max(0.0, low), high if highest is None else min(highest, high)


def _calibration(valued: Sequence[tuple[Comparison, float]]) -> Calibration:
    """Return the calibration of values, seen from player 1, against the outcomes."""
    predicted = np.array([(value + 1) / 2 for _, value in valued])
    points = np.array([each.position.points for each, _ in valued])
    numbers = np.array([each.position.game_number for each, _ in valued])
    place = np.minimum((predicted * _BINS).astype(int), _BINS - 1)
    bins = []
    for index in np.unique(place):
        here = place == index
        games, mean = len(np.unique(numbers[here])), float(points[here].mean())
        low, high = wilson_interval(mean * games, games)
        bins.append(Bin(int(here.sum()), games, float(predicted[here].mean()), mean, low, high))
    decided = points != 0.5
    right = ((predicted > 0.5) == (points > 0.5))[decided]
    brier = float(np.mean((predicted - points) ** 2))
    return Calibration(tuple(bins), brier, float(right.mean()) if len(right) else None)
