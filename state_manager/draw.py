"""A random choice by weights, at a temperature: for agents, self-play and games of a policy."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel


@kernel(types.int64(types.float64[::1], types.int64, types.float64, types.float64))
def draw(weights: NDArray[np.float64], count: int, temperature: float, number: float) -> int:
    """Draw one of the first ``count`` places in proportion to weight ** (1 / temperature).

    The weights are at least 0, and not all are 0. Temperature 0 takes the first of the highest.
    ``number`` is a random number in [0, 1).
    """
    best = 0
    for place in range(1, count):
        if weights[place] > weights[best]:
            best = place
    if temperature == 0.0:
        return best
    total = 0.0
    for place in range(count):
        total += _power(weights[place] / weights[best], temperature)
    left = number * total
    for place in range(count):
        left -= _power(weights[place] / weights[best], temperature)
        if left < 0.0:
            return place
    return best  # only after a rounding error


@kernel(types.float64(types.float64, types.float64), inner=True)
def _power(share: float, temperature: float) -> float:
    """Return share ** (1 / temperature); shares of 0 are never drawn."""
    if temperature == 1.0 or share == 0.0:
        return share
    return math.exp(math.log(share) / temperature)
