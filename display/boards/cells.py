"""Where the cells of a board are in its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from state_manager import StateManager

ROW_HEIGHT = math.sqrt(3) / 2
"""From one line of a diamond to the next: its cells are regular hexagons."""
_REACH = 0.6
"""The corner of a hexagon is this far from its centre, and a little less."""
_AREA_WIDTH, _CAPTION_HEIGHT, _LARGEST_CELL = 6.8, 0.5, 0.62


@dataclass(frozen=True)
class RowLayout:
    """How a row is broken into lines; cells are 1 apart, the first one begins at (0, 0).

    Attributes:
        lines: The cells of each line from the top.
        centers: `[C, 2]`, the middle of each cell.
        pitch: From one line to the next.
        cell: The size of a cell in inches.
        caption: The y of the middle of the caption below the cells.
        inches: Width and height of everything, the caption included.
    """

    lines: list[list[int]]
    centers: NDArray[np.float64]
    pitch: float
    cell: float
    caption: float
    inches: tuple[float, float]


def row_layout(kind: str, cells: int) -> RowLayout:
    """Return how a heap that begins with n stones, or a ledge of n cells, is drawn.

    Lines are as few as can be, and differ by one cell at most; those of a heap are centred.
    """
    heap = kind == "heap"
    widest = max(10, math.ceil(math.sqrt(3 * cells))) if heap else 20
    pitch, margin = (1.0, 0.0) if heap else (1.75, 0.6)
    lines = [line.tolist() for line in np.array_split(np.arange(cells), -(-cells // widest))]
    columns = len(lines[0])
    cell = min(_LARGEST_CELL, _AREA_WIDTH / (columns + 2 * margin))
    centers = [
        ((columns - len(line)) / 2 * heap + place + 0.5, -pitch * number - 0.5)
        for number, line in enumerate(lines)
        for place in range(len(line))
    ]
    height = len(lines) * pitch * cell + _CAPTION_HEIGHT
    caption = -len(lines) * pitch - _CAPTION_HEIGHT / cell / 2
    return RowLayout(lines, np.array(centers), pitch, cell, caption, (_AREA_WIDTH, height))


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
    return row_layout(game.drawing, len(column)).centers


def cell_at(game: StateManager, x: float, y: float) -> int | None:
    """Return the cell at a point of the picture, if there is one."""
    distances = np.hypot(*(cell_centers(game) - (x, y)).T)
    nearest = int(np.argmin(distances))
    within = _REACH if game.drawing == "diamond" else np.sqrt(0.5)
    return nearest if distances[nearest] < within else None
