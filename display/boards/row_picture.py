"""Pictures of boards that are one row: a heap of stones, and coins on a ledge."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon
from numpy.typing import NDArray

from display.boards.board_picture import cell_box, write
from display.boards.cells import row_layout
from display.boards.palette import CELL, CELL_EDGE, COPPER, FAINT, GOLD, PEBBLE, WOOD

_COINS = {1: ("copper", COPPER, "#6f3a16"), 2: ("gold", GOLD, "#93650a")}


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
            glint = Circle((x - 0.13, y + 0.14), 0.09, facecolor="#ffffff50", edgecolor="none")
            axes.add_patch(glint)
        else:
            axes.add_patch(Circle((x, y), 0.4, facecolor="none", edgecolor=CELL_EDGE))
    words = f"{np.count_nonzero(board)} left"
    write(axes, layout.columns / 2, layout.caption, words, 13, fontweight="bold")
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
            center = np.array(layout.center(cell))
            axes.add_patch(cell_box(center, facecolor=CELL, edgecolor=CELL_EDGE, linewidth=0.9))
            if coin := int(board.flat[cell]):
                _draw_coin(axes, place + 0.5, shelf + 0.5, 0.36, coin)
            letters = 13 * layout.cell + 3
            write(axes, place + 0.5, shelf - 0.4, str(cell), letters, color=FAINT)
    inch = 1 / layout.cell
    for coin, (name, _, _) in _COINS.items():
        x = layout.columns / 2 + (coin - 1.9) * inch
        _draw_coin(axes, x, layout.caption, 0.11 * inch, coin)
        style = {"ha": "left", "va": "center_baseline"}
        write(axes, x + 0.2 * inch, layout.caption, name, 10, **style)
    layout.frame(axes)


def _draw_shelf(axes: Axes, top: float, cells: int, *, edge: bool) -> None:
    """Draw the board under a line of cells; at the left of the first line it ends and drops."""
    left, under = (-0.2 if edge else 0.0), top - 0.13
    shelf = [(cells, under), (cells, top), (left, top)]
    drop = [(left, top - 0.6), (0.0, top - 0.6), (0.0, under)] if edge else [(left, under)]
    axes.add_patch(Polygon([*shelf, *drop], facecolor=WOOD, edgecolor="none"))
    if edge:
        write(axes, -0.3, top - 0.1, "edge", 9, color=FAINT, rotation=90, ha="right")


def _draw_coin(axes: Axes, x: float, y: float, radius: float, coin: int) -> None:
    """Draw a coin with a raised rim."""
    _, face, rim = _COINS[coin]
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=rim, linewidth=1.3))
    axes.add_patch(Circle((x, y), 0.72 * radius, facecolor="none", edgecolor=rim, linewidth=0.8))
