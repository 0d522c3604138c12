"""The parts of pictures of boards: cells, pieces, sides, names, probabilities, stones, coins."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.patches import Circle, FancyBboxPatch, Patch, Polygon
from numpy.typing import ArrayLike, NDArray

from display.boards.cells import ROW_HEIGHT, Coordinates, RowLayout, board_of, cell_centers, percent
from display.boards.palette import CELL, CELL_EDGE, COPPER, FAINT, GOLD, INK, PEBBLE, Look, look_of
from state_manager import State, StateManager

HEAT = LinearSegmentedColormap.from_list(
    "heat", ["#f7f3e9", "#d3e3df", "#93c3cd", "#4a93b5", "#1f5f92", "#12305f"]
)
"""From paper to dark blue, ever darker: readable in grey, without a player's colour."""
SCALE = PowerNorm(0.5, vmin=0.0, vmax=1.0)
"""Colours go with the square root of a probability, so that small ones can be seen. The scale is
the same in all pictures."""
_DARK = 0.55  # above this value of the scale, letters are white
_ANGLES = np.radians(np.arange(30, 390, 60))
_HEXAGON = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1) / math.sqrt(3)
_BAND = 0.36  # visible width of a diamond's sides
_TIP = 1 / math.sqrt(3) + 0.14
"""Distance from the top cell's centre to the cut end of the sides, just above the cell."""
_LABELS = 1.05  # distance from it to the upper end of the words for rows and columns
_GLINT, _WOOD = "#ffffff38", "#7d5c3c"
_ARM = 0.25
_COINS = {1: ("copper", COPPER, "#6f3a16"), 2: ("gold", GOLD, "#93650a")}


def board_extent(game: StateManager, *, named: bool) -> tuple[float, float, float, float]:
    """Return the left, right, lower and upper end of a board with its edge, and with its names."""
    rows, columns = game.board_shape
    if game.drawing.is_hexagonal:
        half = rows / 2 + _BAND + (0.55 if named else 0.05)
        bottom = -(2 * rows - 2) * ROW_HEIGHT - _TIP
        return -half, half, bottom, _LABELS if named else _TIP
    margin = 0.5 if named else 0.05
    return -margin, columns + 0.05, -rows - margin, 0.05


def draw_cells(
    axes: Axes,
    game: StateManager,
    state: State,
    faces: Sequence[Any],
    cell: float,
    last: int | None = None,
    path: Sequence[int] = (),
    pen: float = 1.0,
) -> None:
    """Draw a diamond or a grid, in the coordinates of ``cell_centers``, with its pieces.

    The cell ``last`` is marked, the ``path`` is golden. ``faces`` are the cells' colours, row by
    row; ``cell`` is a cell's width in inches, which sets the strokes of a grid's pieces; ``pen`` is
    a factor on the width of a diamond's lines, for boards that are drawn small.
    """
    board, centers = board_of(game, state), cell_centers(game)
    if game.drawing.kind == "grid":
        for place, (center, face) in enumerate(zip(centers, faces, strict=True)):
            edge = INK if place == last else GOLD if place in path else CELL_EDGE
            width = 0.9 if edge == CELL_EDGE else 2.0
            axes.add_patch(cell_box(center, facecolor=face, edgecolor=edge, linewidth=width))
            if piece := int(board.flat[place]):
                _draw_piece(axes, center, look_of(game, piece), 9.0 * cell)
        return
    # A coloured quarter under each side of the diamond, its long, empty tip cut off.
    size = len(board)
    reach, middle = size / 2 + _BAND, -(size - 1) * ROW_HEIGHT
    cut = _TIP - middle
    for up, right, player in ((1, 1, 1), (-1, -1, 1), (1, -1, 2), (-1, 1, 2)):
        corners = [(0.0, 0.0), (0.0, cut), (reach - cut / math.sqrt(3), cut), (reach, 0.0)]
        quarter = [(right * x, middle + up * y) for x, y in corners]
        axes.add_patch(Polygon(quarter, facecolor=look_of(game, player).colour, edgecolor="none"))
    cells = [_HEXAGON + center for center in centers]
    drawn = PolyCollection(cells, facecolors=faces, edgecolors=CELL_EDGE, linewidths=0.9 * pen)
    axes.add_collection(drawn)
    if path:
        width = 44 / len(board)
        axes.plot(*centers[path].T, color=GOLD, linewidth=width, solid_capstyle="round", zorder=2)
    stones = np.flatnonzero(board).tolist()
    discs = PatchCollection(
        [Circle(centers[cell], 0.38) for cell in stones],
        facecolors=[look_of(game, int(board.flat[cell])).colour for cell in stones],
        edgecolors=[GOLD if cell in path else "#00000055" for cell in stones],
        linewidths=[pen * (2.2 if cell in path else 0.8) for cell in stones],
        zorder=3,
    )
    axes.add_collection(discs)
    glints = [Circle(centers[cell] + (-0.12, 0.13), 0.09) for cell in stones]
    axes.add_collection(PatchCollection(glints, facecolors=_GLINT, edgecolors="none", zorder=4))
    if last is not None:
        _circle(axes, centers[last], 0.19, "none", "white", linewidth=1.8 * pen, zorder=5)


def draw_heap(axes: Axes, layout: RowLayout, board: NDArray[np.int8]) -> None:
    """Draw the stones of a board `[1, N]`, a ring for each one taken, and the remaining number."""
    for left, center in zip(board.flat, layout.centers, strict=True):
        _circle(axes, center, 0.4, *((PEBBLE, "#00000055") if left else ("none", CELL_EDGE)))
        if left:
            _circle(axes, np.add(center, (-0.13, 0.14)), 0.09, "#ffffff50", "none")
    words = f"{np.count_nonzero(board)} left"
    write(axes, len(layout.lines[0]) / 2, layout.caption, words, 13, fontweight="bold")


def draw_ledge(axes: Axes, layout: RowLayout, board: NDArray[np.int8]) -> None:
    """Draw a board `[1, L]` of coins on a shelf, whose edge is at the left, with numbers below."""
    for line, cells in enumerate(layout.lines):
        shelf = -layout.pitch * line - 1.0
        left, under = (-0.2 if line == 0 else 0.0), shelf - 0.13
        corners = [(len(cells), under), (len(cells), shelf), (left, shelf)]
        drop = [(left, shelf - 0.6), (0.0, shelf - 0.6), (0.0, under)]
        corners += drop if line == 0 else [(left, under)]
        axes.add_patch(Polygon(corners, facecolor=_WOOD, edgecolor="none"))
        if line == 0:
            write(axes, -0.3, shelf - 0.1, "edge", 9, color=FAINT, rotation=90, ha="right")
        for cell in cells:
            center = layout.centers[cell]
            axes.add_patch(cell_box(center, facecolor=CELL, edgecolor=CELL_EDGE, linewidth=0.9))
            if coin := int(board.flat[cell]):
                _draw_coin(axes, center, 0.36, coin)
            write(axes, center[0], shelf - 0.4, str(cell), 13 * layout.cell + 3, color=FAINT)
    inch = 1 / layout.cell
    for coin, (name, _, _) in _COINS.items():
        x = len(layout.lines[0]) / 2 + (coin - 1.9) * inch
        _draw_coin(axes, (x, layout.caption), 0.11 * inch, coin)
        style = {"ha": "left", "va": "center_baseline"}
        write(axes, x + 0.2 * inch, layout.caption, name, 10, **style)


def ink_on(share: float) -> str:
    """Return the colour of letters in a cell of this probability."""
    return "white" if SCALE(share) > _DARK else INK


def write(axes: Axes, x: float, y: float, words: str, fontsize: float, **style: Any) -> None:
    """Write words around a point, in ink unless another style is given."""
    style = {"color": INK, "ha": "center", "va": "center", **style}
    axes.text(x, y, words, fontsize=fontsize, **style)


def write_shares(
    axes: Axes, shares: Mapping[int, float], centers: NDArray[np.float64], letters: float
) -> None:
    """Write shares in percent into their cells, in letters of at most this size in points."""
    for cell, share in shares.items():
        x, y = centers[cell]
        write(axes, x, y, percent(share), min(letters, 11.0), color=ink_on(share), zorder=8)


def cell_outline(game: StateManager, cell: int, size: float) -> Patch:
    """Return the outline of a cell of a grid, or of a diamond in a share of its size."""
    center = cell_centers(game)[cell]
    if game.drawing.is_hexagonal:
        return Polygon(size * _HEXAGON + center, fill=False, zorder=6)
    return cell_box(center, fill=False, zorder=6)


def cell_box(center: NDArray[np.float64], **style: Any) -> FancyBboxPatch:
    """Return the square of a cell, with round corners."""
    rounded = "round,pad=0,rounding_size=0.1"
    left, bottom = (center - 0.45).tolist()
    return FancyBboxPatch((left, bottom), 0.9, 0.9, boxstyle=rounded, **style)


def write_names(axes: Axes, coordinates: Coordinates, fontsize: float) -> None:
    """Name rows and columns: at the upper sides of a diamond, at the left of a grid and below."""
    rows, columns = coordinates.rows, coordinates.columns
    centers = cell_centers(coordinates.game).reshape(len(rows), len(columns), 2)
    at_rows, at_columns, sides = centers[:, 0] - (0.75, 0), centers[-1] - (0, 0.75), ("center",) * 2
    style: dict[str, Any] = {"fontsize": fontsize, "color": FAINT}
    if coordinates.game.drawing.is_hexagonal:
        at_rows, at_columns, sides = centers[:, 0] - (1, 0), centers[0] + (1, 0), ("right", "left")
        write(axes, -0.85, 0.8, "rows ↘", ha="right", **style)
        write(axes, 0.85, 0.8, "↙ columns", ha="left", **style)
    for side, places, names in zip(sides, (at_rows, at_columns), (rows, columns), strict=True):
        for (x, y), name in zip(places, names, strict=True):
            write(axes, x, y, name, ha=side, va="center_baseline", **style)


def _circle(
    axes: Axes, center: ArrayLike, radius: float, face: str, edge: str, **style: Any
) -> None:
    x, y = np.asarray(center).tolist()
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=edge, **style))


def _draw_piece(axes: Axes, center: NDArray[np.float64], look: Look, pen: float) -> None:
    if look.shape == "disc":
        _circle(axes, center, 0.33, look.colour, INK, linewidth=0.8)
        _circle(axes, np.add(center, (-0.11, 0.12)), 0.08, _GLINT, "none")
    elif look.shape == "ring":
        _circle(axes, center, 0.27, "none", look.colour, linewidth=pen)
    else:
        for rise in (-_ARM, _ARM):
            ends = center + np.array([[-_ARM, -rise], [_ARM, rise]])
            axes.plot(*ends.T, color=look.colour, linewidth=pen, solid_capstyle="round")


def _draw_coin(axes: Axes, center: ArrayLike, radius: float, coin: int) -> None:
    _, face, rim = _COINS[coin]
    _circle(axes, center, radius, face, rim, linewidth=1.3)
    _circle(axes, center, 0.72 * radius, "none", rim, linewidth=0.8)
