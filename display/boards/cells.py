"""Where the cells of a board are in its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.diamond import hexagon_center
from display.boards.palette import kind_of
from display.boards.row_picture import heap_layout, ledge_layout

if TYPE_CHECKING:
    from state_manager import StateManager

_REACH = 0.6
"""The corner of a hexagon is this far from its centre, and a little less."""


def cell_centers(game: StateManager) -> NDArray[np.float64]:
    """Return the centre of each cell, row by row, `[C, 2]`, in the coordinates of its picture."""
    rows, columns = game.board_shape
    kind = kind_of(game)
    if kind in ("heap", "ledge"):
        layout = heap_layout(columns) if kind == "heap" else ledge_layout(columns)
        return np.array([layout.center(cell) for cell in range(columns)])
    cells = [divmod(cell, columns) for cell in range(rows * columns)]
    if kind == "diamond":
        return np.array([hexagon_center(cell) for cell in cells])
    return np.array([(column + 0.5, -row - 0.5) for row, column in cells])


def cell_at(game: StateManager, x: float, y: float) -> int | None:
    """Return the cell at a point of the picture, if there is one."""
    distances = np.hypot(*(cell_centers(game) - (x, y)).T)
    nearest = int(np.argmin(distances))
    within = _REACH if kind_of(game) == "diamond" else np.sqrt(0.5)
    return nearest if distances[nearest] < within else None
