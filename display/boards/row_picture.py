"""Pictures of boards that are one row: a heap of stones, and coins on a ledge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Polygon
from numpy.typing import NDArray

from display.boards.palette import CELL, CELL_EDGE, COPPER, FAINT, GOLD, INK, PEBBLE, WOOD

_AREA_WIDTH = 6.8
_LARGEST_CELL = 0.62
_CAPTION_HEIGHT = 0.5
_STONES_ON_A_LINE = 10
_CELLS_ON_A_LINE = 20
_COINS = {1: ("copper", COPPER, "#6f3a16"), 2: ("gold", GOLD, "#93650a")}


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
    """Return how a heap of so many stones at first, or a ledge of so many cells, is drawn."""
    if kind == "ledge":
        return RowLayout(_balanced(cells, _CELLS_ON_A_LINE), pitch=1.75, margin=0.6, centred=False)
    widest = max(_STONES_ON_A_LINE, math.ceil(math.sqrt(3 * cells)))
    return RowLayout(_balanced(cells, widest), pitch=1.0, margin=0.0, centred=True)


def draw_heap(axes: Axes, board: NDArray[np.int8]) -> None:
    """Draw the stones that are left in rows, a ring for each one taken, and how many are left.

    Args:
        axes: Where to draw.
        board: `[1, N]` int8, 1 for each stone that is left.
    """
    layout = row_layout("heap", board.size)
    for stone in range(board.size):
        x, y = layout.center(stone)
        if board.flat[stone]:
            axes.add_patch(Circle((x, y), 0.4, facecolor=PEBBLE, edgecolor="#00000055"))
            axes.add_patch(
                Circle((x - 0.13, y + 0.14), 0.09, facecolor="#ffffff50", edgecolor="none")
            )
        else:
            axes.add_patch(Circle((x, y), 0.4, facecolor="none", edgecolor=CELL_EDGE))
    axes.text(
        layout.columns / 2,
        layout.caption,
        f"{np.count_nonzero(board)} left",
        color=INK,
        fontsize=13,
        fontweight="bold",
        ha="center",
        va="center",
    )
    layout.frame(axes)


def draw_ledge(axes: Axes, board: NDArray[np.int8]) -> None:
    """Draw the cells with their coins and numbers on a shelf, whose edge is at the left.

    Args:
        axes: Where to draw.
        board: `[1, L]` int8, 0 empty, 1 copper, 2 gold.
    """
    layout = row_layout("ledge", board.size)
    for line, cells in enumerate(layout.lines):
        shelf = -layout.pitch * line - 1.0
        _draw_shelf(axes, shelf, len(cells), edge=line == 0)
        for place, cell in enumerate(cells):
            _draw_cell(axes, place, shelf)
            if coin := int(board.flat[cell]):
                _draw_coin(axes, place + 0.5, shelf + 0.5, 0.36, coin)
            axes.text(
                place + 0.5,
                shelf - 0.4,
                str(cell),
                color=FAINT,
                fontsize=13 * layout.cell + 3,
                ha="center",
                va="center",
            )
    inch = 1 / layout.cell
    for coin, (name, _, _) in _COINS.items():
        x = layout.columns / 2 + (coin - 1.9) * inch
        _draw_coin(axes, x, layout.caption, 0.11 * inch, coin)
        axes.text(
            x + 0.2 * inch,
            layout.caption,
            name,
            color=INK,
            fontsize=10,
            ha="left",
            va="center_baseline",
        )
    layout.frame(axes)


def _draw_shelf(axes: Axes, top: float, cells: int, *, edge: bool) -> None:
    """Draw the board under a line of cells; at the left of the first line it ends and drops."""
    left, under = (-0.2 if edge else 0.0), top - 0.13
    shelf = [(cells, under), (cells, top), (left, top)]
    drop = [(left, top - 0.6), (0.0, top - 0.6), (0.0, under)] if edge else [(left, under)]
    axes.add_patch(Polygon([*shelf, *drop], facecolor=WOOD, edgecolor="none"))
    if edge:
        where = (-0.3, top - 0.1)
        axes.text(*where, "edge", color=FAINT, fontsize=9, rotation=90, ha="right", va="center")


def _draw_cell(axes: Axes, left: float, bottom: float) -> None:
    """Draw an empty cell on the shelf."""
    axes.add_patch(
        FancyBboxPatch(
            (left + 0.05, bottom + 0.05),
            0.9,
            0.9,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor=CELL,
            edgecolor=CELL_EDGE,
            linewidth=0.9,
        )
    )


def _draw_coin(axes: Axes, x: float, y: float, radius: float, coin: int) -> None:
    """Draw a coin with a raised rim."""
    _, face, rim = _COINS[coin]
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=rim, linewidth=1.3))
    axes.add_patch(Circle((x, y), 0.72 * radius, facecolor="none", edgecolor=rim, linewidth=0.8))


def _balanced(count: int, widest: int) -> list[list[int]]:
    """Break the numbers from 0 into as few lines as can be, which differ by one at most."""
    lines = np.array_split(np.arange(count), -(-count // widest))
    return [line.tolist() for line in lines]
