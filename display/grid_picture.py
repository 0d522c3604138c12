"""The picture of a board that is nothing more special: rows of square cells."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch
from numpy.typing import NDArray

from display.palette import CELL, CELL_EDGE, FAINT, PLAYER_COLOURS


def draw_grid(axes: Axes, board: NDArray[np.int8]) -> None:
    """Draw cells with the players' discs in them.

    Args:
        axes: Where to draw.
        board: `[rows, columns]` int8, 0 empty, 1 or 2 a disc of that player.
    """
    rows, columns = board.shape
    for (row, column), piece in np.ndenumerate(board):
        axes.add_patch(
            FancyBboxPatch(
                (column + 0.06, -row + 0.06),
                0.88,
                0.88,
                boxstyle="round,pad=0,rounding_size=0.12",
                facecolor=CELL,
                edgecolor=CELL_EDGE,
                linewidth=0.9,
            )
        )
        if piece:
            colour = PLAYER_COLOURS.get(int(piece), FAINT)
            center = (column + 0.5, -row + 0.5)
            axes.add_patch(Circle(center, 0.33, facecolor=colour, edgecolor="#00000055"))
    axes.set_xlim(-0.3, columns + 0.3)
    axes.set_ylim(-rows + 0.7, 1.3)
