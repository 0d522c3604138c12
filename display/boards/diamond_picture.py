"""The picture of a diamond: regular hexagons, stones, and the sides of both players."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.patches import Circle, Polygon
from numpy.typing import NDArray

from display.boards.diamond import cells_on_line, hexagon_center
from display.boards.heat import HEAT, SCALE, write_shares
from display.boards.palette import (
    BLACK,
    CELL,
    CELL_EDGE,
    CELL_ON_PATH,
    FAINT,
    GOLD,
    PLAYER_COLOURS,
    RED,
)

if TYPE_CHECKING:
    from display.boards.coordinates import Coordinates

_ROW_HEIGHT = math.sqrt(3) / 2
HEXAGON = np.array(
    [
        (math.cos(math.radians(angle)) / math.sqrt(3), math.sin(math.radians(angle)) / math.sqrt(3))
        for angle in range(30, 390, 60)
    ]
)
BAND = 0.36
_TIP = 1 / math.sqrt(3) + 0.14
"""How far above the top cell's centre the sides end: a little over the cell, where both are cut."""
LABELS = 1.05
"""How far above it the words end that say where rows and columns run."""
_MARGIN, _AREA = 1.0, (4.6, 6.08)
_STONE_RADIUS = 0.38


def diamond_span(size: int, *, numbered: bool) -> tuple[float, float]:
    """Return the lowest and the highest y of a diamond with its sides, and with its numbers."""
    bottom = -(2 * size - 2) * _ROW_HEIGHT - _TIP
    return bottom, LABELS if numbered else _TIP


def diamond_inches(size: int) -> tuple[float, float]:
    """Return the width and the height of a numbered diamond, in inches."""
    bottom, top = diamond_span(size, numbered=True)
    width, highest = _AREA
    return width, min(highest, width / (size + 2 * _MARGIN) * (top - bottom))


def draw_diamond(
    axes: Axes,
    board: NDArray[np.int8],
    last: int | None,
    path: Sequence[int],
    shares: Mapping[int, float],
    coordinates: Coordinates,
) -> None:
    """Draw the two players' sides, the cells with their numbers, the stones, and the path.

    Args:
        axes: Where to draw; the centres of neighbouring cells are 1 apart.
        board: `[k, k]` int8, 0 empty, 1 or 2 a stone.
        last: The cell of the last move, row by row, if there is one.
        path: The cells of the winning path in order, or none.
        shares: What share of a distribution cells have, which they show by their colour.
        coordinates: What rows and columns are called.
    """
    size = len(board)
    cells = [cell for line in range(2 * size - 1) for cell in cells_on_line(size, line)]
    numbers = [r * size + c for r, c in cells]
    faces = [
        CELL_ON_PATH if n in path else HEAT(SCALE(shares[n])) if n in shares else CELL
        for n in numbers
    ]
    draw_sides(axes, size)
    axes.add_collection(
        PolyCollection(
            [HEXAGON + hexagon_center(cell) for cell in cells],
            facecolors=faces,
            edgecolors=CELL_EDGE,
            linewidths=0.9,
        )
    )
    if path:
        centers = np.array([hexagon_center(divmod(cell, size)) for cell in path])
        axes.plot(*centers.T, color=GOLD, linewidth=44 / size, solid_capstyle="round", zorder=2)
    draw_stones(axes, board, last, path)
    write_shares(axes, shares, {n: hexagon_center(divmod(n, size)) for n in shares}, 60 / size)
    fontsize = max(7.0, 13 - size / 2.5)
    draw_numbers(axes, size, fontsize, (coordinates.rows, coordinates.columns))
    axes.set_xlim(-size / 2 - _MARGIN, size / 2 + _MARGIN)
    axes.set_ylim(diamond_span(size, numbered=True))


def draw_sides(axes: Axes, size: int) -> None:
    """Draw a coloured quarter under each side of the diamond, of which a band stays visible.

    The quarters of a true diamond would meet in long, empty tips; these are cut off.
    """
    reach = size / 2 + BAND
    middle = -(size - 1) * _ROW_HEIGHT
    cut = _TIP - middle
    for up, right, colour in ((1, 1, RED), (-1, -1, RED), (1, -1, BLACK), (-1, 1, BLACK)):
        corners = [(0.0, 0.0), (0.0, cut), (reach - cut / math.sqrt(3), cut), (reach, 0.0)]
        quarter = [(right * x, middle + up * y) for x, y in corners]
        axes.add_patch(Polygon(quarter, facecolor=colour, edgecolor="none"))


def draw_stones(
    axes: Axes,
    board: NDArray[np.int8],
    last: int | None,
    path: Sequence[int] = (),
    pen: float = 1.0,
) -> None:
    """Draw all stones: a golden rim on the winning path, a white ring on the last one.

    Args:
        axes: As for ``draw_diamond``, and the next three.
        board: `[k, k]` int8.
        last: The cell of the last move.
        path: The cells of the winning path.
        pen: Factor on the width of all lines, for boards that are drawn small.
    """
    size = len(board)
    stones = np.flatnonzero(board).tolist()
    centers = [hexagon_center(divmod(cell, size)) for cell in stones]
    axes.add_collection(
        PatchCollection(
            [Circle(center, _STONE_RADIUS) for center in centers],
            facecolors=[PLAYER_COLOURS[int(board.flat[cell])] for cell in stones],
            edgecolors=[GOLD if cell in path else "#00000055" for cell in stones],
            linewidths=[pen * (2.2 if cell in path else 0.8) for cell in stones],
            zorder=3,
        )
    )
    axes.add_collection(
        PatchCollection(
            [Circle((x - 0.12, y + 0.13), 0.09) for x, y in centers],
            facecolors="#ffffff38",
            edgecolors="none",
            zorder=4,
        )
    )
    if last is not None:
        center = hexagon_center(divmod(last, size))
        ring = Circle(
            center, 0.19, facecolor="none", edgecolor="white", linewidth=1.8 * pen, zorder=5
        )
        axes.add_patch(ring)


def draw_numbers(
    axes: Axes, size: int, fontsize: float, labels: tuple[Sequence[str], Sequence[str]]
) -> None:
    """Name the rows on the north-west side and the columns on the north-east side."""
    for words, way, side in (("rows ↘", -1, "right"), ("↙ columns", 1, "left")):
        axes.text(way * 0.85, 0.8, words, color=FAINT, fontsize=fontsize, ha=side, va="center")
    for number in range(size):
        for cell, way, side, names in (
            ((number, 0), -1, "right", labels[0]),
            ((0, number), 1, "left", labels[1]),
        ):
            x, y = hexagon_center(cell)
            axes.text(
                x + way * 1.0,
                y,
                names[number],
                color=FAINT,
                fontsize=fontsize,
                ha=side,
                va="center_baseline",
            )
