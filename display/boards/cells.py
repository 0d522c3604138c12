"""Where the cells of a board are in its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from state_manager import StateManager

ROW_HEIGHT = math.sqrt(3) / 2
"""From one line of a diamond to the next: its cells are regular hexagons."""
_REACH = 0.6
"""The corner of a hexagon is this far from its centre, and a little less."""


_AREA_WIDTH = 6.8
_LARGEST_CELL = 0.62
_CAPTION_HEIGHT = 0.5
_STONES_ON_A_LINE = 10
_CELLS_ON_A_LINE = 20


@dataclass(frozen=True)
class RowLayout:
    """How a row is broken into lines; cells are 1 apart, and the first one begins at x = 0.

    Attributes:
        lines: The cells of each line from the top.
        pitch: From one line to the next.
        margin: At the left and at the right.
        centred: Whether a short line stands in the middle.
    """

    lines: list[list[int]]
    pitch: float
    margin: float
    centred: bool

    @property
    def columns(self) -> int:
        """Cells of the longest line."""
        return len(self.lines[0])

    @property
    def cell(self) -> float:
        """The size of a cell in inches."""
        return min(_LARGEST_CELL, _AREA_WIDTH / (self.columns + 2 * self.margin))

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height of everything, the caption below the cells included."""
        return _AREA_WIDTH, len(self.lines) * self.pitch * self.cell + _CAPTION_HEIGHT

    @property
    def caption(self) -> float:
        """The y of the caption's middle; the top of the first line is 0."""
        return -len(self.lines) * self.pitch - _CAPTION_HEIGHT / self.cell / 2

    def center(self, cell: int) -> tuple[float, float]:
        """Return the middle of a cell."""
        line = next(n for n, cells in enumerate(self.lines) if cell in cells)
        cells = self.lines[line]
        left = (self.columns - len(cells)) / 2 if self.centred else 0.0
        return left + cells.index(cell) + 0.5, -self.pitch * line - 0.5

    def frame(self, axes: Axes) -> None:
        """Let axes show just this, in the middle."""
        half = _AREA_WIDTH / self.cell / 2
        axes.set_xlim(self.columns / 2 - half, self.columns / 2 + half)
        axes.set_ylim(-self.inches[1] / self.cell, 0)


def row_layout(kind: Literal["heap", "ledge"], cells: int) -> RowLayout:
    """Return how a heap that begins with n stones, or a ledge of n cells, is drawn."""
    if kind == "ledge":
        return RowLayout(_balanced(cells, _CELLS_ON_A_LINE), pitch=1.75, margin=0.6, centred=False)
    widest = max(_STONES_ON_A_LINE, math.ceil(math.sqrt(3 * cells)))
    return RowLayout(_balanced(cells, widest), pitch=1.0, margin=0.0, centred=True)


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


def _balanced(count: int, widest: int) -> list[list[int]]:
    """Break the numbers from 0 into as few lines as can be, which differ by one at most."""
    lines = np.array_split(np.arange(count), -(-count // widest))
    return [line.tolist() for line in lines]
