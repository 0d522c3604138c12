"""The picture of a diamond or of a grid: its cells, its pieces, the names of rows and columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.patches import Circle, FancyBboxPatch, Polygon
from numpy.typing import NDArray

from display.boards.cells import ROW_HEIGHT, cell_centers
from display.boards.palette import (
    BLACK,
    CELL_EDGE,
    FAINT,
    GOLD,
    INK,
    PLAYER_COLOURS,
    RED,
    Look,
    board_of,
    look_of,
)

if TYPE_CHECKING:
    from display.boards.moves import Coordinates
    from state_manager import StateManager

HEXAGON = np.array(
    [
        (math.cos(math.radians(angle)) / math.sqrt(3), math.sin(math.radians(angle)) / math.sqrt(3))
        for angle in range(30, 390, 60)
    ]
)
BAND = 0.36
"""How much of a diamond's sides is seen."""
_TIP = 1 / math.sqrt(3) + 0.14
"""How far above the top cell's centre the sides end: a little over the cell, where both are cut."""
_LABELS = 1.05
"""How far above it the words end that say where rows and columns run."""
_GLINT = "#ffffff38"
_ARM = 0.25
_WORDS: dict[str, Any] = {"color": INK, "ha": "center", "va": "center"}

State = NDArray[np.int8]


def diamond_span(size: int, *, named: bool) -> tuple[float, float]:
    """Return the lowest and the highest y of a diamond with its sides, and with its names."""
    bottom = -(2 * size - 2) * ROW_HEIGHT - _TIP
    return bottom, _LABELS if named else _TIP


def draw_diamond(
    axes: Axes,
    game: StateManager,
    state: State,
    faces: Sequence[Any],
    last: int | None,
    path: Sequence[int] = (),
    pen: float = 1.0,
) -> None:
    """Draw a diamond's sides, cells and stones: a white ring on the last one, the path in gold.

    Args:
        axes: Where to draw; see ``cell_centers``.
        game: The game.
        state: `[S]` int8.
        faces: The colour of each cell, row by row.
        last: The cell of the last move, if there is one.
        path: The cells of the winning path in order, or none.
        pen: Factor on the width of all lines, for boards that are drawn small.
    """
    board = board_of(game, state)
    centers = cell_centers(game)
    _draw_sides(axes, len(board))
    axes.add_collection(
        PolyCollection(
            [HEXAGON + center for center in centers],
            facecolors=faces,
            edgecolors=CELL_EDGE,
            linewidths=0.9 * pen,
        )
    )
    if path:
        width = 44 / len(board)
        axes.plot(*centers[path].T, color=GOLD, linewidth=width, solid_capstyle="round", zorder=2)
    stones = np.flatnonzero(board).tolist()
    axes.add_collection(
        PatchCollection(
            [Circle(centers[cell], 0.38) for cell in stones],
            facecolors=[PLAYER_COLOURS[int(board.flat[cell])] for cell in stones],
            edgecolors=[GOLD if cell in path else "#00000055" for cell in stones],
            linewidths=[pen * (2.2 if cell in path else 0.8) for cell in stones],
            zorder=3,
        )
    )
    glints = [Circle(centers[cell] + (-0.12, 0.13), 0.09) for cell in stones]
    axes.add_collection(PatchCollection(glints, facecolors=_GLINT, edgecolors="none", zorder=4))
    if last is not None:
        ring = {"facecolor": "none", "edgecolor": "white", "linewidth": 1.8 * pen, "zorder": 5}
        axes.add_patch(Circle(centers[last], 0.19, **ring))


def draw_grid(
    axes: Axes,
    game: StateManager,
    state: State,
    faces: Sequence[Any],
    cell: float,
    last: int | None = None,
    path: Collection[int] = (),
) -> None:
    """Draw a grid's cells with the pieces in them; cells of the path have an edge of gold.

    Args:
        axes: Where to draw; see ``cell_centers``.
        game: The game.
        state: `[S]` int8.
        faces: The colour of each cell, row by row.
        cell: The size of a cell in inches.
        last: The cell of the piece that was moved last, which has a dark edge.
        path: The cells of the winning path.
    """
    looks = look_of(game, 1), look_of(game, 2)
    pieces = board_of(game, state).flat
    for place, (center, face) in enumerate(zip(cell_centers(game), faces, strict=True)):
        axes.add_patch(
            cell_box(
                center,
                facecolor=face,
                edgecolor=INK if place == last else GOLD if place in path else CELL_EDGE,
                linewidth=2.0 if place == last or place in path else 0.9,
            )
        )
        if pieces[place]:
            _draw_piece(axes, center, looks[int(pieces[place]) - 1], cell)


def write(axes: Axes, x: float, y: float, words: str, fontsize: float, **style: Any) -> None:
    """Write words around a point, in ink unless another style is given."""
    axes.text(x, y, words, fontsize=fontsize, **{**_WORDS, **style})


def cell_box(center: NDArray[np.float64], **style: Any) -> FancyBboxPatch:
    """Return the square of a cell, with round corners."""
    rounded = "round,pad=0,rounding_size=0.1"
    left, bottom = (center - 0.45).tolist()
    return FancyBboxPatch((left, bottom), 0.9, 0.9, boxstyle=rounded, **style)


def write_names(axes: Axes, coordinates: Coordinates, fontsize: float) -> None:
    """Name rows and columns: at the upper sides of a diamond, at the left of a grid and below."""
    rows, columns = coordinates.rows, coordinates.columns
    centers = cell_centers(coordinates.game).reshape(len(rows), len(columns), 2)
    at_rows, at_columns = centers[:, 0] - (0.75, 0.0), centers[-1] - (0.0, 0.75)
    sides = ["center", "center"]
    style: dict[str, Any] = {"fontsize": fontsize, "color": FAINT}
    if coordinates.game.drawing == "diamond":
        at_rows, at_columns = centers[:, 0] - (1.0, 0.0), centers[0] + (1.0, 0.0)
        sides = ["right", "left"]
        write(axes, -0.85, 0.8, "rows ↘", ha="right", **style)
        write(axes, 0.85, 0.8, "↙ columns", ha="left", **style)
    named = [*zip(at_rows, rows, strict=True)], [*zip(at_columns, columns, strict=True)]
    for side, places in zip(sides, named, strict=True):
        for (x, y), name in places:
            write(axes, x, y, name, ha=side, va="center_baseline", **style)


def _draw_sides(axes: Axes, size: int) -> None:
    """Draw a coloured quarter under each side of the diamond, of which a band stays visible.

    The quarters of a true diamond would meet in long, empty tips; these are cut off.
    """
    reach = size / 2 + BAND
    middle = -(size - 1) * ROW_HEIGHT
    cut = _TIP - middle
    for up, right, colour in ((1, 1, RED), (-1, -1, RED), (1, -1, BLACK), (-1, 1, BLACK)):
        corners = [(0.0, 0.0), (0.0, cut), (reach - cut / math.sqrt(3), cut), (reach, 0.0)]
        quarter = [(right * x, middle + up * y) for x, y in corners]
        axes.add_patch(Polygon(quarter, facecolor=colour, edgecolor="none"))


def _draw_piece(axes: Axes, center: NDArray[np.float64], look: Look, cell: float) -> None:
    """Draw a disc with a glint on it, or a cross or a ring as if with a thick pen."""
    x, y = center.tolist()
    pen = 9.0 * cell
    if look.shape == "disc":
        axes.add_patch(Circle((x, y), 0.33, facecolor=look.colour, edgecolor=INK, linewidth=0.8))
        axes.add_patch(Circle((x - 0.11, y + 0.12), 0.08, facecolor=_GLINT, edgecolor="none"))
    elif look.shape == "ring":
        axes.add_patch(Circle((x, y), 0.27, facecolor="none", edgecolor=look.colour, linewidth=pen))
    else:
        for rise in (-_ARM, _ARM):
            ends = (x - _ARM, x + _ARM), (y - rise, y + rise)
            axes.plot(*ends, color=look.colour, linewidth=pen, solid_capstyle="round")
