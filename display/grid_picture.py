"""The picture of a board that is no diamond: rows of square cells."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch
from numpy.typing import NDArray

from display.palette import BLACK, CELL, CELL_EDGE, FAINT, GOLD

_PIECE_COLOURS = {1: "#b5652f", 2: GOLD}
_CELLS_PER_LINE = 20


def draw_grid(axes: Axes, board: NDArray[np.int8]) -> None:
    """Draw cells with discs in them; a board of one long row is broken into lines.

    Args:
        axes: Where to draw.
        board: `[rows, columns]` int8, 0 empty, 1 or 2 a piece, whose number is written on it.
    """
    rows, columns = board.shape
    width = min(columns, _CELLS_PER_LINE) if rows == 1 else columns
    lines = -(-board.size // width)
    size = max(5.0, 14 - width / 2.5)
    for index, piece in enumerate(board.ravel().tolist()):
        line, place = divmod(index, width)
        axes.add_patch(
            FancyBboxPatch(
                (place + 0.06, -line * 1.25 + 0.06),
                0.88,
                0.88,
                boxstyle="round,pad=0,rounding_size=0.12",
                facecolor=CELL,
                edgecolor=CELL_EDGE,
                linewidth=0.9,
            )
        )
        center = (place + 0.5, -line * 1.25 + 0.5)
        if piece:
            colour = _PIECE_COLOURS.get(piece, FAINT)
            axes.add_patch(Circle(center, 0.33, facecolor=colour, edgecolor="#00000055"))
            axes.text(*center, str(piece), color=BLACK, fontsize=size, ha="center", va="center")
        if rows == 1:
            axes.text(
                center[0],
                center[1] - 0.6,
                str(index),
                color=FAINT,
                fontsize=0.7 * size,
                ha="center",
                va="center",
            )
    axes.set_xlim(-0.3, width + 0.3)
    axes.set_ylim(-(lines - 1) * 1.25 - 0.45, 1.3)
