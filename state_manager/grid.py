"""What games with pieces on a grid of cells share. Cells are numbered row by row, from the top.

Letters: C cells, F features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from base.storage import excerpt
from state_manager.errors import IllegalActionError
from state_manager.rules import INDICES, STATE, Indices, State


@kernel(types.int64(STATE, types.int64, INDICES), inner=True)
def piece_features(state: State, cells: int, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), pieces of player 1 (C), of player 2 (C).

    Args:
        state: `[S]` int8.
        cells: C.
        indices_out: `[F]` int64, changed in place.

    Returns:
        How many there are.
    """
    indices_out[0] = int(state[0]) - 1
    count = 1
    for cell in range(cells):
        # Written always and counted only if there is a piece: no branch to guess at.
        piece = int(state[1 + cell])
        indices_out[count] = 2 + (piece - 1) * cells + cell
        count += piece != 0
    return count


def straight_lines(rows: int, columns: int, length: int) -> Iterator[tuple[int, ...]]:
    """Yield the cells of each straight line of ``length`` cells: across, down, both diagonals."""
    for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(rows):
            for column in range(columns):
                last_row = row + (length - 1) * row_step
                last_column = column + (length - 1) * column_step
                if last_row < rows and 0 <= last_column < columns:
                    step = row_step * columns + column_step
                    first = row * columns + column
                    yield tuple(first + place * step for place in range(length))


def full_line(
    cells: NDArray[np.int8], player: int, lines: Iterable[tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the first line that holds nothing but pieces of a player, or ``()``.

    Args:
        cells: `[C]` int8.
        player: 1 or 2.
        lines: See ``straight_lines``.
    """
    held = (cells == player).tolist()
    return next((line for line in lines if all(held[cell] for cell in line)), ())


def cell_name(cell: int, columns: int) -> str:
    """Return ``(row, column)``, counted from 0."""
    row, column = divmod(int(cell), columns)
    return f"({row}, {column})"


def parse_cell(text: str, size: int) -> int:
    """Read ``row column``, ``row,column`` or ``(row, column)`` on a board of size x size cells.

    Or a letter for the column and a number from 1 for the row: ``a1`` is row 0, column 0.

    Raises:
        IllegalActionError: If the text names no cell of the board.
    """
    words = text.strip().lower()
    row = column = size
    if found := re.fullmatch(r"\(?\s*(\d{1,3})[\s,]+(\d{1,3})\s*\)?", words):
        row, column = int(found[1]), int(found[2])
    elif found := re.fullmatch(r"([a-z])([1-9]\d?)", words):
        row, column = int(found[2]) - 1, ord(found[1]) - ord("a")
    if row < size and column < size:
        return row * size + column
    raise IllegalActionError(
        f"expected a row and a column from 0 to {size - 1}, such as '1 2', or 'c2', "
        f"got {excerpt(text)}"
    )


def board_text(
    state: State, shape: tuple[int, int], pieces: tuple[str, str], *, number_rows: bool
) -> str:
    """Return the board of a state as lines of text, the numbers of the columns below it.

    Args:
        state: `[S]`; any integers, as a message about a wrong state shows it too.
        shape: Rows and columns, 10 at most.
        pieces: The letter of each player's piece.
        number_rows: Whether the numbers of the rows stand at the left.
    """
    rows, columns = shape
    cells = np.asarray(state)[1 : 1 + rows * columns].reshape(shape).tolist()
    signs = (".", *pieces)
    lines = [
        (f"{row} " if number_rows else "")
        + " ".join(signs[value] if 0 <= value <= 2 else "?" for value in line)
        for row, line in enumerate(cells)
    ]
    numbers = " ".join(str(column) for column in range(columns))
    return "\n".join([*lines, ("  " if number_rows else "") + numbers])
