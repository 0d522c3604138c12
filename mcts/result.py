"""What a search found out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SearchResult:
    """The statistics of the root's edges, spread over all actions. A: actions.

    Attributes:
        visit_counts: `[A]` int64, how often each action was taken at the root; counts kept from
            earlier moves are included.
        q_values: `[A]` float64, mean values in [-1, 1], seen from player 1; 0 where unvisited.
        distribution: `[A]` float64, the visit counts normalised to sum to 1: the target D. Where
            results are proven, it leaves out what need not be played: all but the wins if there is
            one, else the losses.
        simulations: How many new simulations were run.
        seconds: How long they took.
    """

    visit_counts: NDArray[np.int64]
    q_values: NDArray[np.float64]
    distribution: NDArray[np.float64]
    simulations: int
    seconds: float

    @property
    def best_action(self) -> int:
        """The most visited action, of those in D; ties go to the lowest."""
        return int(np.argmax(self.distribution))
