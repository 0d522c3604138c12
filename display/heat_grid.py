"""A policy on a grid: cells in the colours of their probabilities, or an arrow for each move."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle
from matplotlib.patheffects import withStroke

from display.grid_picture import draw_piece
from display.heat import (
    HEAT,
    LARGEST_LETTERS,
    SCALE,
    SMALLEST_LETTERS,
    HeatMap,
    mark_first_choice,
    write_percentages,
)
from display.moves import cells_of_move
from display.palette import CELL_EDGE, FAINT, INK, board_of, look_of
from display.words import percent

_FAINTEST_ARROW = 0.12
"""An arrow has at least the colour of this probability, to be seen at all."""


def grid_extent(shape: tuple[int, int], numbered: bool) -> tuple[float, float]:
    """Return how many cells wide and high a grid is with its edge, and with its numbers."""
    rows, columns = shape
    margin = _margin(numbered) + 0.05
    return columns + margin, rows + margin


def draw_heat_grid(axes: Axes, heat_map: HeatMap, width: float, numbered: bool) -> None:
    """Draw a policy on axes that are so many inches wide; see ``draw_heat_map``."""
    game, policy = heat_map.game, heat_map.policy
    board = board_of(game, heat_map.state)
    rows, columns = board.shape
    cell = width / grid_extent(game.board_shape, numbered)[0]
    legal = game.legal_actions(heat_map.state).tolist()
    moves = {action: _cells_of(heat_map, action) for action in legal}
    placed = all(start is None for start, _ in moves.values())
    heat = np.zeros(board.size)
    for action, (_, target) in moves.items():
        heat[target] += policy[action] if placed else 0.0
    _draw_cells(axes, heat_map, heat, cell)
    if placed:
        x, y = _middle(moves[heat_map.first_choice][1], columns)
        mark_first_choice(_outline(axes, x, y, 0.42), max(0.9, 5 * cell))
        centers = {action: _middle(target, columns) for action, (_, target) in moves.items()}
        write_percentages(axes, heat_map, centers, cell, 0.4)
    else:
        for action in sorted(moves, key=lambda action: policy[action]):
            _draw_arrow(axes, heat_map, action, moves[action], cell)
    if numbered:
        letters = min(7.0, max(SMALLEST_LETTERS, 18 * cell))
        for row in range(rows):
            _number(axes, -0.25, -row - 0.5, row, letters)
        for column in range(columns):
            _number(axes, column + 0.5, -rows - 0.25, column, letters)
    axes.set_xlim(-_margin(numbered), columns + 0.05)
    axes.set_ylim(-rows - _margin(numbered), 0.05)


def _margin(numbered: bool) -> float:
    """Return how many cells the numbers take, and the edge of the board."""
    return 0.5 if numbered else 0.05


def _draw_cells(axes: Axes, heat_map: HeatMap, heat: np.ndarray, cell: float) -> None:
    """Draw all cells with their pieces, and a line around the piece that was moved last."""
    game = heat_map.game
    board = board_of(game, heat_map.state)
    looks = look_of(game, 1), look_of(game, 2)
    last = heat_map.last_action
    last_cell = None if last is None else game.landing_cell(heat_map.state, last)
    for index, piece in enumerate(board.flat):
        x, y = _middle(index, board.shape[1])
        axes.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                1,
                1,
                facecolor=HEAT(SCALE(heat[index])),
                edgecolor=CELL_EDGE,
                linewidth=0.7,
            )
        )
        if piece:
            draw_piece(axes, x, y, looks[int(piece) - 1], cell)
        if index == last_cell:
            _outline(axes, x, y, 0.43).set(edgecolor=FAINT, linewidth=0.8)


def _draw_arrow(
    axes: Axes, heat_map: HeatMap, action: int, move: tuple[int | None, int], cell: float
) -> None:
    """Draw the move of a piece, with its percentage in the middle."""
    columns = heat_map.game.board_shape[1]
    share = float(heat_map.policy[action])
    start, target = move
    tail, tip = (_middle(target if at is None else at, columns) for at in (start, target))
    inch = cell * 72
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
    x, y = (0.5 * one + 0.5 * other for one, other in zip(tail, tip, strict=True))
    axes.text(
        x,
        y,
        percent(share),
        fontsize=min(LARGEST_LETTERS, max(SMALLEST_LETTERS, 17 * cell)),
        color=INK,
        ha="center",
        va="center",
        zorder=9,
        path_effects=[withStroke(linewidth=1.8, foreground="white")],
    )
    if heat_map.is_best(action):
        axes.plot(
            x,
            y - 0.2,
            ".",
            color=INK,
            markersize=max(2.4, 12 * cell),
            markeredgecolor="white",
            mew=0.4,
            zorder=9,
        )


def _cells_of(heat_map: HeatMap, action: int) -> tuple[int | None, int]:
    """Return the cell that a piece leaves, if it is on the board already, and its new cell."""
    *start, target = cells_of_move(heat_map.game, heat_map.state, action)
    return (start[0] if start else None), target


def _middle(index: int, columns: int) -> tuple[float, float]:
    """Return the middle of a cell; cells are 1 apart, the first row is on top."""
    row, column = divmod(index, columns)
    return column + 0.5, -row - 0.5


def _outline(axes: Axes, x: float, y: float, reach: float) -> Patch:
    """Draw a square line inside a cell."""
    corner, side = (x - reach, y - reach), 2 * reach
    return axes.add_patch(Rectangle(corner, side, side, facecolor="none", zorder=6))


def _number(axes: Axes, x: float, y: float, number: int, size: float) -> None:
    """Write the number of a row or of a column."""
    axes.text(x, y, str(number), color=FAINT, fontsize=size, ha="center", va="center_baseline")
