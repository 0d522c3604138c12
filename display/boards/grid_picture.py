"""The picture of a board that is nothing more special: rows of square cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch
from numpy.typing import NDArray

from display.boards.coordinates import Coordinates
from display.boards.heat import HEAT, SCALE, write_shares
from display.boards.palette import CELL, CELL_EDGE, CELL_ON_PATH, FAINT, GOLD, INK, Look, look_of

_AREA_WIDTH = 4.6
_LARGEST_CELL = 1.1
_MARGIN = 0.5
"""Cells at the left and below the board, for the numbers, and as much at the right."""
_RADIUS = 0.33
_ARM = 0.25


def grid_inches(shape: tuple[int, int]) -> tuple[float, float]:
    """Return the width and the height of a board of so many rows and columns, in inches."""
    rows, columns = shape
    return _AREA_WIDTH, (rows + _MARGIN) * _cell_size(columns)


def draw_grid(
    axes: Axes,
    board: NDArray[np.int8],
    last: int | None,
    path: Collection[int],
    shares: Mapping[int, float],
    coordinates: Coordinates,
) -> None:
    """Draw numbered cells with the players' pieces in them.

    Args:
        axes: Where to draw; cells are 1 apart, the corner at the top left is the origin.
        board: `[rows, columns]` int8, 0 empty, 1 or 2 a piece of that player.
        last: The cell of the piece that was moved last, row by row, if there is one.
        path: The cells of the winning path.
        shares: What share of a distribution cells have, which they show by their colour.
        coordinates: What rows and columns are called; its game says how pieces look.
    """
    rows, columns = board.shape
    looks = look_of(coordinates.game, 1), look_of(coordinates.game, 2)
    for (row, column), piece in np.ndenumerate(board):
        cell = row * columns + column
        empty = HEAT(SCALE(shares[cell])) if cell in shares else CELL
        axes.add_patch(
            FancyBboxPatch(
                (column + 0.05, -row - 0.95),
                0.9,
                0.9,
                boxstyle="round,pad=0,rounding_size=0.1",
                facecolor=CELL_ON_PATH if cell in path else empty,
                edgecolor=INK if cell == last else GOLD if cell in path else CELL_EDGE,
                linewidth=2.0 if cell == last or cell in path else 0.9,
            )
        )
        if piece:
            draw_piece(axes, column + 0.5, -row - 0.5, looks[int(piece) - 1], _cell_size(columns))
    centers = {cell: (cell % columns + 0.5, -(cell // columns) - 0.5) for cell in shares}
    write_shares(axes, shares, centers, 15 * _cell_size(columns))
    size = min(13.0, max(7.0, 15 * _cell_size(columns)))
    for row, name in enumerate(coordinates.rows):
        _name(axes, -0.25, -row - 0.5, name, size)
    for column, name in enumerate(coordinates.columns):
        _name(axes, column + 0.5, -rows - 0.25, name, size)
    half = _AREA_WIDTH / _cell_size(columns) / 2
    axes.set_xlim(columns / 2 - half, columns / 2 + half)
    axes.set_ylim(-rows - _MARGIN, 0)


def _cell_size(columns: int) -> float:
    """Return the size of a cell in inches."""
    return min(_LARGEST_CELL, _AREA_WIDTH / (columns + 2 * _MARGIN))


def draw_piece(axes: Axes, x: float, y: float, look: Look, cell: float) -> None:
    """Draw a disc with a glint on it, or a cross or a ring as if with a thick pen.

    Args:
        axes: Where to draw.
        x: The middle of the cell.
        y: The middle of the cell.
        look: How the piece looks.
        cell: The size of a cell in inches.
    """
    if look.shape == "disc":
        axes.add_patch(Circle((x, y), _RADIUS, facecolor=look.colour, edgecolor=INK, linewidth=0.8))
        glint = (x - 0.11, y + 0.12)
        axes.add_patch(Circle(glint, 0.08, facecolor="#ffffff38", edgecolor="none"))
        return
    pen = 9.0 * cell
    if look.shape == "ring":
        ring = Circle((x, y), 0.27, facecolor="none", edgecolor=look.colour, linewidth=pen)
        axes.add_patch(ring)
        return
    for rise in (-_ARM, _ARM):
        axes.plot(
            (x - _ARM, x + _ARM),
            (y - rise, y + rise),
            color=look.colour,
            linewidth=pen,
            solid_capstyle="round",
        )


def _name(axes: Axes, x: float, y: float, name: str, size: float) -> None:
    """Write the name of a row or of a column."""
    axes.text(x, y, name, color=FAINT, fontsize=size, ha="center", va="center_baseline")
