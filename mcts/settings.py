"""The numbers that steer a search, in one float64 vector that every process gets."""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

Settings = NDArray[np.float64]
SETTINGS = types.float64[::1]

EXPLORATION = 0
"""c, the weight of u(s,a) in the tree policy; at least 0."""
ROLLOUT_PROBABILITY = 1
"""sigma, the probability that a leaf is evaluated by a rollout and not by the critic; 0 to 1."""

SETTINGS_LENGTH = 2


def new_settings(exploration: float, rollout_probability: float) -> Settings:
    """Return the vector, `[2]`."""
    settings = np.empty(SETTINGS_LENGTH)
    settings[EXPLORATION] = exploration
    settings[ROLLOUT_PROBABILITY] = rollout_probability
    return settings
