"""What whoever made a move thought of it, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.moves import Coordinates, cells_of_move
from display.boards.palette import board_of, percent, player_name

if TYPE_CHECKING:
    from mcts import Thought
    from state_manager import StateManager

_OTHERS = 3
_LEAST = 0.005
"""Shares below half a percent are not shown."""


@dataclass(frozen=True)
class Insight:
    """What was thought before a move.

    Attributes:
        game: The game.
        before: `[S]` int8, the state before the move.
        action: The move.
        thought: What was thought; ``None`` if nobody says.
    """

    game: StateManager
    before: NDArray[np.int8]
    action: int
    thought: Thought | None

    def shares(self) -> Mapping[int, float]:
        """Return how much of the distribution each cell has that is still empty, if it has some.

        Where moves are not pieces set on cells there is nothing to show on the board.
        """
        if self.thought is None:
            return {}
        shares = {}
        for action in self.game.legal_actions(self.before).tolist():
            cells = cells_of_move(self.game, self.before, action)
            if len(cells) != 1 or board_of(self.game, self.before).flat[cells[0]]:
                return {}
            shares[cells[0]] = float(self.thought.distribution[action])
        made = cells_of_move(self.game, self.before, self.action)[0]
        return {c: share for c, share in shares.items() if share >= _LEAST and c != made}

    def words(self, coordinates: Coordinates) -> str:
        """Return what is said after the name of the move."""
        thought = self.thought
        if thought is None:
            return ": not searched"
        shares = thought.distribution
        words = f": {'D' if thought.is_search else 'policy'} {percent(shares[self.action])} %"
        if thought.value is not None:
            mover = int(self.before[0])
            value = thought.value if mover == 1 else -thought.value
            words += f", value {value:+.2f} for {player_name(self.game, mover)}"
        ranked = sorted(range(len(shares)), key=lambda action: -shares[action])
        others = [
            f"{coordinates.move(action)} {percent(shares[action])} %"
            for action in ranked[: _OTHERS + 1]
            if action != self.action and shares[action] >= _LEAST
        ]
        return words + (f"; others {', '.join(others[:_OTHERS])}" if others else "")
