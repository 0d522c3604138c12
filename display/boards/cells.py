"""Where the cells of a board are in its picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.row_picture import row_layout

if TYPE_CHECKING:
    from state_manager import StateManager

ROW_HEIGHT = math.sqrt(3) / 2
"""From one line of a diamond to the next: its cells are regular hexagons."""
_REACH = 0.6
"""The corner of a hexagon is this far from its centre, and a little less."""


def cell_centers(game: StateManager) -> NDArray[np.float64]:
    """Return the centre of each cell, row by row, `[C, 2]`, in the coordinates of its picture.

    The y axis points upwards, and neighbours are 1 apart. The origin is the centre of the top cell
    of a diamond, elsewhere the corner at the top left.
    """
    row, column = (each.ravel() for each in np.indices(game.board_shape))
    if game.drawing == "diamond":
        return np.stack([(column - row) / 2, -(row + column) * ROW_HEIGHT], axis=1)
    if game.drawing == "grid":
        return np.stack([column + 0.5, -row - 0.5], axis=1)
    layout = row_layout(game.drawing, len(column))
    return np.array([layout.center(cell) for cell in range(len(column))])


def cell_at(game: StateManager, x: float, y: float) -> int | None:
    """Return the cell at a point of the picture, if there is one."""
    distances = np.hypot(*(cell_centers(game) - (x, y)).T)
    nearest = int(np.argmin(distances))
    within = _REACH if game.drawing == "diamond" else np.sqrt(0.5)
    return nearest if distances[nearest] < within else None
