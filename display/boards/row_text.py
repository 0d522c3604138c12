"""A row of coins on a ledge as lines of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from display.boards.diamond import Glyphs, Segment

_CELL_WIDTH = 3
_EDGE = "  |"
_LETTERS = {1: ("c", "copper"), 2: ("G", "gold")}


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
