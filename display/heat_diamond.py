"""A policy on a diamond: each cell in the colour of its probability."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from display.coordinates import Coordinates
from display.diamond import cells_on_line, hexagon_center
from display.diamond_picture import (
    BAND,
    HEXAGON,
    diamond_span,
    draw_numbers,
    draw_sides,
    draw_stones,
)
from display.heat import (
    HEAT,
    SCALE,
    SMALLEST_LETTERS,
    HeatMap,
    mark_first_choice,
    write_percentages,
)
from display.palette import CELL_EDGE, board_of


def diamond_extent(size: int, numbered: bool) -> tuple[float, float]:
    """Return how many cells wide and high a diamond is with its sides, and with its numbers."""
    bottom, top = diamond_span(size, numbered=numbered)
    return size + 2 * BAND + (1.1 if numbered else 0.1), top - bottom


def draw_heat_diamond(axes: Axes, heat_map: HeatMap, width: float, numbered: bool) -> None:
    """Draw a policy on axes that are so many inches wide; see ``draw_heat_map``."""
    board = board_of(heat_map.game, heat_map.state)
    size = len(board)
    across = diamond_extent(size, numbered)[0]
    cell = width / across
    cells = [each for line in range(2 * size - 1) for each in cells_on_line(size, line)]
    heat = [
        0.0 if board[each] else float(heat_map.policy[each[0] * size + each[1]]) for each in cells
    ]
    draw_sides(axes, size)
    axes.add_collection(
        PolyCollection(
            [HEXAGON + hexagon_center(each) for each in cells],
            facecolors=HEAT(SCALE(heat)),
            edgecolors=CELL_EDGE,
            linewidths=min(0.7, 2.4 * cell),
        )
    )
    draw_stones(axes, board, heat_map.last_action, pen=min(1.0, 2.6 * cell))
    centers = {each[0] * size + each[1]: hexagon_center(each) for each in cells}
    first = PolyCollection(
        [0.9 * HEXAGON + np.asarray(centers[heat_map.first_choice])], facecolors="none", zorder=6
    )
    mark_first_choice(first, max(0.9, 6 * cell))
    axes.add_collection(first)
    write_percentages(axes, heat_map, centers, cell, 0.36)
    if numbered:
        names = Coordinates(heat_map.game)
        letters = min(7.0, max(SMALLEST_LETTERS, 26 * cell))
        draw_numbers(axes, size, letters, (names.rows, names.columns))
    axes.set_xlim(-across / 2, across / 2)
    axes.set_ylim(diamond_span(size, numbered=numbered))
