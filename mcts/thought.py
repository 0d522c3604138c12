"""A player's view of a move. This module loads no compiled code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Thought:
    """The mover's evaluation of the state before its move, for displays. A: actions."""

    distribution: NDArray[np.float64]  # [A], D after a search, else the policy of a net
    value: float | None  # of the played move, in [-1, 1], seen from player 1; if known
    is_search: bool = True  # whether the distribution is D
    outcome: int = 0  # the exact judge's: the winner; 3 for a draw; 0 if unknown or not judged
    # [A], Q of each action tried, in [-1, 1], seen from player 1; ``None`` without a search
    q_values: NDArray[np.float64] | None = None
    visit_counts: NDArray[np.int64] | None = None  # [A], likewise
