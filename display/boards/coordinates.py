"""What cells are called: ``(2, 3)``, or ``d3`` as Hex players write it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from state_manager import StateManager

_CELL = re.compile(r"\((\d+), (\d+)\)")


@dataclass(frozen=True)
class Coordinates:
    """The names of rows, columns and moves of a game.

    Games whose moves are no cells, such as ``take 2``, keep their numbers.

    Attributes:
        game: The game.
        letters: Whether columns are letters and rows are counted from 1: a1 is row 0, column 0,
            or as in chess, where the game counts its rows from below.
    """

    game: StateManager
    letters: bool = False

    @property
    def rows(self) -> list[str]:
        """The name of each row, from the top."""
        return [self._row(row) for row in range(self.game.board_shape[0])]

    @property
    def columns(self) -> list[str]:
        """The name of each column, from the left."""
        return [self._column(column) for column in range(self.game.board_shape[1])]

    def move(self, action: int) -> str:
        """Return the name of a move."""
        name = self.game.action_name(action)
        if not self.letters:
            return name
        return _CELL.sub(lambda cell: self._column(int(cell[2])) + self._row(int(cell[1])), name)

    def _row(self, row: int) -> str:
        if not self._lettered:
            return str(row)
        return str(self.game.board_shape[0] - row if self.game.counts_rows_from_below else row + 1)

    def _column(self, column: int) -> str:
        return ascii_lowercase[column] if self._lettered else str(column)

    @property
    def _lettered(self) -> bool:
        return self.letters and has_cells(self.game)


def has_cells(game: StateManager) -> bool:
    """Tell whether a game's moves are called by cells, so that letters can name them."""
    return bool(_CELL.search(game.action_name(0)))
