"""A player's view of a move. This module loads no compiled code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Thought:
    """The mover's evaluation of the state before its move, for displays. A: actions.

    Attributes:
        distribution: `[A]` float64: D after a search, else the policy of a net.
        value: Of the played move, in [-1, 1], seen from player 1; ``None`` where unknown.
        is_search: Whether the distribution is D, the result of a search.
        outcome: The exact judge's: the winner, 1 or 2; 3 for a draw; 0 if unknown or not judged.
        q_values: `[A]` float64, Q of each action tried, in [-1, 1], seen from player 1.
        visit_counts: `[A]` int64; like ``q_values``, ``None`` without a search.
    """

    distribution: NDArray[np.float64]
    value: float | None
    is_search: bool = True
    outcome: int = 0
    q_values: NDArray[np.float64] | None = None
    visit_counts: NDArray[np.int64] | None = None
