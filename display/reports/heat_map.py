"""A policy drawn on its board: the darker a cell, the likelier the move.

Boards whose actions are places show them in the cells, boards on which pieces move show arrows,
and games on a row get a bar for each action. Everything is sized for print: an inch is an inch of
the page, and no letter is smaller than 5 points; labels that would be are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Patch, Polygon
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from display.boards.board_picture import (
    BAND,
    HEXAGON,
    cell_box,
    diamond_span,
    draw_diamond,
    draw_grid,
    write,
    write_names,
)
from display.boards.cells import cell_centers
from display.boards.heat import (
    HEAT,
    POINTS,
    SCALE,
    SMALLEST_LETTERS,
    HeatMap,
    ink_on,
    mark_first_choice,
    write_shares,
)
from display.boards.moves import Coordinates, cells_of_move
from display.boards.palette import FAINT, INK, percent
from display.reports.heat_bars import draw_bars

if TYPE_CHECKING:
    from state_manager import StateManager

_BAR_INCHES = 0.155
_LARGEST_LETTERS = 8.0
_FAINTEST_ARROW = 0.12
"""An arrow has at least the colour of this probability, to be seen at all."""


def marks_in_words(*, dots: bool, narrow: bool = False) -> str:
    """Say what a golden edge means, and a dot if there may be some, in few words if need be."""
    if narrow:
        return "gold edge: first choice" + (", dot: best" if dots else "")
    edge = "gold edge: first choice (the likeliest move)"
    return f"{edge}, dot: best under perfect play" if dots else edge


def has_bars(game: StateManager) -> bool:
    """Tell whether a game's actions are drawn as bars, for want of a board to draw them on."""
    return game.drawing in ("heap", "ledge")


def heat_map_height(game: StateManager, width: float, bars: int, *, named: bool) -> float:
    """Return the height in inches of a heat map; for the arguments see ``draw_heat_map``."""
    if has_bars(game):
        return _BAR_INCHES * bars
    left, right, low, high = _board_extent(game, named=named)
    return width * (high - low) / (right - left)


def draw_heat_map(axes: Axes, heat_map: HeatMap, width: float, bars: int, *, named: bool) -> None:
    """Draw a policy; the first choice has a golden edge, each move that is known to be best a dot.

    Args:
        axes: Where to draw, of the height that ``heat_map_height`` says.
        heat_map: What to draw.
        width: The width of the axes in inches.
        bars: For how many bars there is to be room, if there are bars.
        named: Whether rows and columns have their numbers.
    """
    if has_bars(heat_map.game):
        draw_bars(axes, heat_map, bars)
    else:
        _draw_board(axes, heat_map, width, named)


def _board_extent(game: StateManager, *, named: bool) -> tuple[float, float, float, float]:
    """The left, right, lower and upper end of a board with its edge, and with its names."""
    rows, columns = game.board_shape
    if game.drawing == "diamond":
        half = rows / 2 + BAND + (0.55 if named else 0.05)
        return -half, half, *diamond_span(rows, named=named)
    margin = 0.5 if named else 0.05
    return -margin, columns + 0.05, -rows - margin, 0.05


def _draw_board(axes: Axes, heat_map: HeatMap, width: float, named: bool) -> None:
    """Draw a policy on a diamond or on a grid."""
    game, state, policy = heat_map.game, heat_map.state, heat_map.policy
    diamond = game.drawing == "diamond"
    left, right, low, high = _board_extent(game, named=named)
    cell = width / (right - left)
    moves = {
        action: list(cells_of_move(game, state, action))
        for action in game.legal_actions(state).tolist()
    }
    set_on_cells = all(len(cells) == 1 for cells in moves.values())
    heat = np.zeros(game.board_shape).ravel()
    if set_on_cells:
        for action, (place,) in moves.items():
            heat[place] += policy[action]
    last = heat_map.last_action
    last_cell = None if last is None else game.landing_cell(state, last)
    centers = cell_centers(game)
    axes.set_axis_off()
    axes.set_aspect("equal")
    if diamond:
        pen = min(1.0, 2.6 * cell)
        draw_diamond(axes, game, state, HEAT(SCALE(heat)), last_cell, pen=pen)
    else:
        draw_grid(axes, game, state, HEAT(SCALE(heat)), cell)
        if last_cell is not None:
            axes.add_patch(cell_box(centers[last_cell], edgecolor=FAINT, linewidth=1.2, fill=False))
    if set_on_cells:
        first = centers[moves[heat_map.first_choice][0]]
        if diamond:
            edge: Patch = Polygon(0.9 * HEXAGON + first, fill=False, zorder=6)
        else:
            edge = cell_box(first, fill=False, zorder=6)
        mark_first_choice(axes.add_patch(edge), max(0.9, (6 if diamond else 5) * cell))
        letters = min(_LARGEST_LETTERS, (0.36 if diamond else 0.4) * cell * POINTS)
        if letters >= SMALLEST_LETTERS:
            shown = {n: share for n, share in enumerate(heat.tolist()) if share >= 0.005}
            write_shares(axes, shown, centers, letters)
        for action in heat_map.best_actions or ():
            place = moves[action][0]
            x, y = centers[place] - (0.0, 0.33)
            size = max(2.4, 14 * cell)
            axes.plot(x, y, ".", color=ink_on(heat[place]), markersize=size, mew=0, zorder=8)
    else:
        for action in sorted(moves, key=lambda action: policy[action]):
            _draw_arrow(axes, heat_map, action, centers[moves[action]], cell)
    if named:
        letters = (26 if diamond else 18) * cell
        write_names(axes, Coordinates(game), min(7.0, max(SMALLEST_LETTERS, letters)))
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)


def _draw_arrow(
    axes: Axes, heat_map: HeatMap, action: int, ends: NDArray[np.float64], cell: float
) -> None:
    """Draw the move of a piece from cell to cell, with its percentage in the middle."""
    share = float(heat_map.policy[action])
    inch = cell * POINTS
    tail, tip = (tuple(end.tolist()) for end in (ends[0], ends[-1]))
    arrow = axes.add_patch(
        FancyArrowPatch(
            tail,
            tip,
            arrowstyle=f"simple,head_length=0.24,head_width=0.34,tail_width={0.05 + 0.13 * share}",
            mutation_scale=inch,
            shrinkA=0.2 * inch,
            shrinkB=0.06 * inch,
            facecolor=HEAT(SCALE(max(share, _FAINTEST_ARROW))),
            edgecolor="white",
            linewidth=0.4,
            zorder=7 + share,
        )
    )
    if action == heat_map.first_choice:
        mark_first_choice(arrow, 1.2)
    x, y = ends.mean(axis=0)
    letters = min(_LARGEST_LETTERS, max(SMALLEST_LETTERS, 17 * cell))
    outline = [withStroke(linewidth=1.8, foreground="white")]
    write(axes, x, y, percent(share), letters, zorder=9, path_effects=outline)
    if heat_map.is_best(action):
        axes.plot(
            x, y - 0.2, ".", color=INK, markersize=max(2.4, 12 * cell),
            markeredgecolor="white", mew=0.4, zorder=9,
        )  # fmt: skip
