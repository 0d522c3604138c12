"""The numbers that steer a search, in one float64 vector that every process gets."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numba import types
from numpy.typing import NDArray

Settings = NDArray[np.float64]
SETTINGS = types.float64[::1]

EXPLORATION = 0
"""c, the weight of u(s,a) in the tree policy; at least 0."""
ROLLOUT_PROBABILITY = 1
"""sigma, the probability that a leaf is evaluated by a rollout and not by the critic; 0 to 1."""
PRIOR_WEIGHT = 2
"""gamma, the weight of the apprentice's policy in N-MCTS; at least 0."""
RAVE_CONSTANT = 3
"""The constant of RAVE's schedule: b of ``uct_rave``, f of ``uct_rave_ratio``; at least 0."""

ROLLOUTS = 4
"""How many rollouts a leaf is evaluated by, their mean; at least 1."""
LENGTH_DISCOUNT = 5
"""Factor on a rollout's value for each of its moves; at most 1."""
BONUS_WEIGHT = 6
"""a, how much a simulation's length may add to its reward; at least 0."""
BONUS_STEEPNESS = 7
"""k, how fast that bonus grows with the deviation from the usual length; at least 0."""
MAX_DEPTH = 8
"""How many edges tree search follows at most; at least 1."""
LOOK_AHEAD = 9
"""1 if a new node is solved where a player can win at once (``node_expansion.threats``); else 0."""

CONSIDERED = 10
"""How many actions a Gumbel root begins with; at least 1."""
Q_OFFSET = 11
"""A Gumbel root's c_visit: visits that every Q is worth from the beginning; at least 0."""
Q_SCALE = 12
"""A Gumbel root's c_scale: the weight of Q against log priors; at least 0."""
FIRST_PLAY_REDUCTION = 13
"""How much worse than its node an action below a Gumbel root is taken to be before its first visit,
times the root of the share of priors that have been visited; at least 0."""
BUDGET = 14
"""M of the search that runs; ``MCTS`` sets it."""

_PLACES = {
    "exploration": (EXPLORATION, 1.0),
    "rollout_probability": (ROLLOUT_PROBABILITY, 1.0),
    "prior_weight": (PRIOR_WEIGHT, 40.0),
    "rave_constant": (RAVE_CONSTANT, 0.1),
    "rollouts": (ROLLOUTS, 1.0),
    "length_discount": (LENGTH_DISCOUNT, 1.0),
    "bonus_weight": (BONUS_WEIGHT, 0.25),
    "bonus_steepness": (BONUS_STEEPNESS, 1.4),
    "max_depth": (MAX_DEPTH, 1e9),
    "look_ahead": (LOOK_AHEAD, 0.0),
    "considered": (CONSIDERED, 8.0),
    "q_offset": (Q_OFFSET, 50.0),
    "q_scale": (Q_SCALE, 0.2),
    "first_play_reduction": (FIRST_PLAY_REDUCTION, 0.2),
    "budget": (BUDGET, 1.0),
}
"""Place and default of each number by name."""


def new_settings(given: Mapping[str, float]) -> Settings:
    """Return the vector with the numbers that are given by name, and defaults for the others.

    Raises:
        ValueError: If a number is unknown, negative or not finite.
    """
    settings = np.empty(len(_PLACES))
    for place, default in _PLACES.values():
        settings[place] = default
    for name, value in given.items():
        if name not in _PLACES:
            raise ValueError(f"expected a setting ({', '.join(_PLACES)}), got {name!r}")
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name}: expected a number of at least 0, got {value}")
        settings[_PLACES[name][0]] = value
    return settings
