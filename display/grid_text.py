"""A plain grid as lines of text: a letter for each piece, rows and columns numbered."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.diamond import Glyphs, Segment, mark_of
from display.palette import look_of

if TYPE_CHECKING:
    from state_manager import StateManager


def grid_lines(
    game: StateManager,
    board: NDArray[np.int8],
    last: int | None,
    path: Collection[int],
    glyphs: Glyphs,
) -> list[list[Segment]]:
    """Lay a board out, each cell three columns wide.

    Args:
        game: Says the letters and the colours of the pieces.
        board: `[rows, columns]` int8, 0 empty, 1 or 2 a piece.
        last: The cell of the piece that was moved last, row by row, if there is one.
        path: The cells of the winning path.
        glyphs: The sign of an empty cell.

    Returns:
        A line for each row and one with the numbers of the columns, as pieces with roles.
    """
    rows, columns = board.shape
    width = len(str(rows - 1))
    lines: list[list[Segment]] = []
    for row in range(rows):
        cells: list[Segment] = []
        for cell in range(row * columns, (row + 1) * columns):
            player = int(board.flat[cell])
            if player == 0:
                cells.append((f" {glyphs.stones[0]} ", "empty"))
                continue
            kind = "path" if cell in path else "stone"
            letter = game.pieces[player - 1]
            role = f"{kind}{look_of(game, player).role}"
            cells.append((letter.join(mark_of(cell, last, path)), role))
        lines.append([(f"  {row:>{width}} ", "label"), *cells])
    numbers = "".join(f"{column:^3}" for column in range(columns))
    lines.append([(" " * (width + 3) + numbers.rstrip(), "label")])
    return lines
