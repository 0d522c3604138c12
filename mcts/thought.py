"""What a player thought of a move. Who needs only this needs nothing compiled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Thought:
    """What the player who made a move thought of the state before it, for displays. A: actions.

    Attributes:
        distribution: `[A]` float64: D after a search, the policy of a net that did not search.
        value: Of the move that was made, in [-1, 1], seen from player 1; ``None`` where unknown.
        is_search: Whether the distribution is D, what a search has found.
        outcome: What the exact judge says of the state: who wins, 3 for a draw, 0 if it was not
            asked or does not know.
        q_values: `[A]` float64, what a search thinks of each action that it tried, in [-1, 1], seen
            from player 1; ``None`` without a search.
        visit_counts: `[A]` int64, how often a search took each action; ``None`` without a search.
    """

    distribution: NDArray[np.float64]
    value: float | None
    is_search: bool = True
    outcome: int = 0
    q_values: NDArray[np.float64] | None = None
    visit_counts: NDArray[np.int64] | None = None
