"""Plain grids, and rows of coins on a ledge, as lines of text with numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from display.boards.coordinates import Coordinates
from display.boards.diamond import Glyphs, Segment, empty_cell, mark_of
from display.boards.palette import look_of

_CELL_WIDTH = 3
_EDGE = "  |"
_LETTERS = {1: ("c", "copper"), 2: ("G", "gold")}


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


def ledge_lines(board: NDArray[np.int8], width: int, glyphs: Glyphs) -> list[list[Segment]]:
    """Lay a row of coins out: the ledge at the left, and under each cell its number.

    Args:
        board: `[1, L]` int8, 0 empty, 1 copper, 2 gold.
        width: Columns of a line; a long row is broken.
        glyphs: The characters to use.

    Returns:
        Two lines for each line of cells, and one that explains them, as pieces with roles.
    """
    cells = board.ravel().tolist()
    per_line = max(1, (width - len(_EDGE)) // _CELL_WIDTH)
    lines: list[list[Segment]] = []
    for first in range(0, len(cells), per_line):
        numbers = range(first, min(first + per_line, len(cells)))
        edge = _EDGE if first == 0 else " " * len(_EDGE)
        lines.append([(edge, "label"), *(_coin(cells[number], glyphs) for number in numbers)])
        below = "".join(f"{number:>2} " for number in numbers)
        lines.append([(" " * len(_EDGE) + below.rstrip(), "label")])
    return lines


def ledge_legend() -> list[list[Segment]]:
    """Return what the signs of a row of coins mean."""
    coins = [[(f" {letter} ", role), (f" {role}", "label")] for letter, role in _LETTERS.values()]
    return [*coins, [("| the ledge", "label")]]


def _coin(coin: int, glyphs: Glyphs) -> Segment:
    """One cell of three columns."""
    letter, role = _LETTERS.get(coin, (glyphs.stones[0], "empty"))
    return f" {letter} ", role
