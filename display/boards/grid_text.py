"""A plain grid as lines of text: a letter for each piece, rows and columns numbered."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from display.boards.coordinates import Coordinates
from display.boards.diamond import Glyphs, Segment, empty_cell, mark_of
from display.boards.palette import look_of


def grid_lines(
    coordinates: Coordinates,
    board: NDArray[np.int8],
    last: int | None,
    path: Collection[int],
    glyphs: Glyphs,
    shares: Mapping[int, float] | None = None,
) -> list[list[Segment]]:
    """Lay a board out, each cell three columns wide.

    Args:
        coordinates: The names of rows and columns; its game says the pieces' letters and colours.
        board: `[rows, columns]` int8, 0 empty, 1 or 2 a piece.
        last: The cell of the piece that was moved last, row by row, if there is one.
        path: The cells of the winning path.
        glyphs: The sign of an empty cell.
        shares: Shares of empty cells, from 0 to 1, which are written there in percent.

    Returns:
        A line for each row and one with the names of the columns, as pieces with roles.
    """
    rows, columns = board.shape
    game, names = coordinates.game, coordinates.rows
    width = max(map(len, names))
    lines: list[list[Segment]] = []
    for row in range(rows):
        cells: list[Segment] = []
        for cell in range(row * columns, (row + 1) * columns):
            player = int(board.flat[cell])
            if player == 0:
                cells.append(empty_cell((shares or {}).get(cell, 0.0), glyphs))
                continue
            kind = "path" if cell in path else "stone"
            letter = game.pieces[player - 1]
            role = f"{kind}{look_of(game, player).role}"
            cells.append((letter.join(mark_of(cell, last, path)), role))
        lines.append([(f"  {names[row]:>{width}} ", "label"), *cells])
    numbers = "".join(f"{column:^3}" for column in coordinates.columns)
    lines.append([(" " * (width + 3) + numbers.rstrip(), "label")])
    return lines
