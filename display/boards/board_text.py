r"""Boards as lines of text: diamonds, plain grids, and rows of coins on a ledge.

A diamond is a square grid turned 45 degrees clockwise, one cell on top.

Cell (r, c) lies on line r + c, counted from the top, at offset c - r from the middle, so:

=====================  ================  ==========================================
side of the diamond    cells             belongs to
=====================  ================  ==========================================
north-east, ``\``      row 0             player 1 (red), joins it to the south-west
south-west, ``\``      row k - 1         player 1 (red)
north-west, ``/``      column 0          player 2 (black), joins it to the south-east
south-east, ``/``      column k - 1      player 2 (black)
=====================  ================  ==========================================

A row runs from its number on the north-west side down to the right, a column from its number on
the north-east side down to the left. Letters: k, the size; boards are ``[k, k]``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from display.boards.cells import Coordinates, percent
from display.boards.palette import look_of, player_name

if TYPE_CHECKING:
    from agents.first_stones import FirstStones

Segment = tuple[str, str]
"""A piece of text and its role: blank, label, title1, title2, side1, side2, corner, cell, empty,
stone1, stone2, path1 or path2, where 1 is red and 2 black, and on a plain grid 3 white; share1 to
share4, ever larger ones; in a row of coins copper or gold."""
_SHADES = (0.05, 0.15, 0.4)
_CELL_WIDTH = 3
_EDGE = "  |"
_LETTERS = {1: ("c", "copper"), 2: ("G", "gold")}
LEDGE_LEGEND: list[list[Segment]] = [
    *([(f" {letter} ", role), (f" {role}", "label")] for letter, role in _LETTERS.values()),
    [("| the ledge", "label")],
]
"""The legend of a row of coins."""


class Glyphs(NamedTuple):
    """The characters of a text diamond, each one column wide."""

    stones: tuple[str, str, str]  # an empty cell, a stone of player 1, a stone of player 2
    red_side: str  # north-east and south-west
    black_side: str  # north-west and south-east
    arrows: tuple[str, str]  # the directions of rows and of columns


UNICODE = Glyphs(
    stones=("·", "●", "■"),
    red_side="\N{BOX DRAWINGS LIGHT DIAGONAL UPPER LEFT TO LOWER RIGHT}",
    black_side="\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}",
    arrows=("↘", "↙"),
)
ASCII = Glyphs((".", "X", "O"), "\\", "/", ("\\", "/"))


class Cells(NamedTuple):
    """The cells of a board, each three columns wide.

    That leaves room for brackets: square around the last move, round around the pieces of the
    winning path, curly around a last move on that path.
    """

    coordinates: Coordinates
    board: NDArray[np.int8]  # `[rows, columns]` int8, 0 empty, 1 or 2 a piece
    last: int | None  # the cell of the last move, counted row by row
    path: Collection[int]  # the cells of the winning path
    shares: Mapping[int, float]  # of empty cells, 0 to 1, written in percent
    glyphs: Glyphs

    def segment(self, index: int, sign: str, player: int) -> Segment:
        """Return a cell: a piece with its mark, or a share in percent if it has one."""
        if player:
            role = f"path{player}" if index in self.path else f"stone{player}"
            return sign.join(mark_of(index, self.last, self.path)), role
        share = self.shares.get(index, 0.0)
        if share == 0:
            return f" {sign} ", "empty"
        return f"{percent(share):>2} "[:3], f"share{1 + sum(share >= each for each in _SHADES)}"


def diamond_lines(shown: Cells) -> list[list[Segment]]:
    """Return 2k lines of a diamond; the first one has the directions of rows and columns."""
    board, glyphs = shown.board, shown.glyphs
    size, row_labels, column_labels = len(board), shown.coordinates.rows, shown.coordinates.columns
    upper_title = size // 2 - (size % 2 == 0)
    label_width = max(map(len, row_labels))
    indents = (2 * size, 2 * (upper_title + 1) + len("black  "))
    middle = max(indents) + label_width + 1
    rows, columns = f"rows {glyphs.arrows[0]}", f"{glyphs.arrows[1]} columns"
    lines = [[(" " * (middle - 1 - len(rows)), "blank"), (f"{rows}   {columns}", "label")]]
    for line in range(2 * size - 1):
        cells = [(line - column, column) for column in range(size) if 0 <= line - column < size]
        upper = line < size
        left = ("black", "title2") if upper else ("red", "title1")
        right = ("red", "title1") if upper else ("black", "title2")
        titled = line in (upper_title, 2 * size - 2 - upper_title)
        before = f"{row_labels[line]:>{label_width}} " if upper else ""
        title = f"{left[0]}  " if titled else ""
        indent = middle - 2 * len(cells) - len(before) - len(title)
        pieces = [(" " * indent, "blank"), (title, left[1]), (before, "label")]
        pieces.append(_edge(size, line, glyphs, left=True))
        for column, (r, c) in enumerate(cells):
            pieces += [(" ", "cell")] if column else []
            stone = int(board[r, c])
            pieces.append(shown.segment(r * size + c, glyphs.stones[stone], stone))
        pieces.append(_edge(size, line, glyphs, left=False))
        pieces.append((f" {column_labels[line]}" if upper else "", "label"))
        # Names of both sides end equally far from the diamond, with or without a label.
        if titled:
            pieces += [("  ", "blank"), right]
        lines.append([piece for piece in pieces if piece[0]])
    return lines


def mark_of(index: int, last: int | None, path: Collection[int]) -> str:
    """Return the two characters around a stone: the last move, the winning path, or both."""
    if index == last:
        return "{}" if index in path else "[]"
    return "()" if index in path else "  "


def _edge(size: int, line: int, glyphs: Glyphs, *, left: bool) -> Segment:
    if line == size - 1:
        return ("<" if left else ">", "corner")
    if (line < size) == left:
        return glyphs.black_side, "side2"
    return glyphs.red_side, "side1"


def grid_lines(shown: Cells) -> list[list[Segment]]:
    """Return a line for each row of a grid, and one with the names of the columns."""
    game, names = shown.coordinates.game, shown.coordinates.rows
    width = max(map(len, names))
    signs = shown.glyphs.stones[0], *game.drawing.pieces
    roles = 0, look_of(game, 1).role, look_of(game, 2).role
    lines: list[list[Segment]] = []
    for row, pieces in enumerate(shown.board.tolist()):
        first = row * len(pieces)
        cells = [shown.segment(first + n, signs[p], roles[p]) for n, p in enumerate(pieces)]
        lines.append([(f"  {names[row]:>{width}} ", "label"), *cells])
    numbers = "".join(f"{column:^3}" for column in shown.coordinates.columns)
    lines.append([(" " * (width + 3) + numbers.rstrip(), "label")])
    return lines


def ledge_lines(board: NDArray[np.int8], width: int, glyphs: Glyphs) -> list[list[Segment]]:
    """Return lines of at most ``width`` columns: the ledge, its coins, and the cells' numbers."""
    cells = board.ravel().tolist()
    per_line = max(1, (width - len(_EDGE)) // _CELL_WIDTH)
    lines: list[list[Segment]] = []
    for first in range(0, len(cells), per_line):
        numbers = range(first, min(first + per_line, len(cells)))
        edge = _EDGE if first == 0 else " " * len(_EDGE)
        coins = (_LETTERS.get(cells[number], (glyphs.stones[0], "empty")) for number in numbers)
        lines.append([(edge, "label"), *((f" {letter} ", role) for letter, role in coins)])
        below = "".join(f"{number:>2} " for number in numbers)
        lines.append([(" " * len(_EDGE) + below.rstrip(), "label")])
    return lines


def first_stones_text(names: Coordinates, stones: FirstStones, starter: int) -> str:
    """Return the chances after each first stone on a board of text; those to swap have a star."""
    first, width = player_name(names.game, starter), names.game.board_shape[0]
    lines = [
        f"The chances of {first} after its first stone, in percent; swap those with a *.",
        f"Known: {stones.known}. 0 and 100 are certain.",
        "    " + "".join(f"{name:>4}" for name in names.columns),
    ]
    for number, name in enumerate(names.rows):
        row = stones.percent[number * width :][:width].tolist()
        cells = "".join(f"{each:4}{'*' if each >= 50 else ' '}"[1:] for each in row)
        lines.append(f"{'  ' * number}{name:>3} {cells}".rstrip())
    return "\n".join(lines)
