"""The base class of games with pieces on a grid. Cells are numbered row by row, from the top.

Letters: C cells, F features.
"""

import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.storage import excerpt
from state_manager.errors import IllegalActionError
from state_manager.rules import DRAW, GOES_ON, Indices, State, Symmetry
from state_manager.state_manager import StateManager


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


def cell_name(cell: int, columns: int) -> str:
    """Return ``(row, column)``, counted from 0."""
    row, column = divmod(int(cell), columns)
    return f"({row}, {column})"


class GridGame(StateManager):
    """A game with pieces on a grid of R x K cells.

    By default action ``row * K + column`` puts a piece on cell (row, column), a state is the mover
    and the cells alone, and ``piece_features`` lists the net's input.

    Attributes:
        cells: C.
        grid: `[R, K]` int64, the numbers of the cells.
        lines: Cells in a row; a player with pieces on all cells of a line has won.
        numbers_rows: Whether a text board shows the numbers of the rows.
    """

    has_piece_planes = True
    lines: tuple[tuple[int, ...], ...] = ()
    numbers_rows = True

    def __init__(self, rows: int, columns: int, memory: int = 0) -> None:
        """Make a board; ``memory`` is the length of the game's own part of a state, at its end."""
        self.board_shape = (rows, columns)
        self.cells = self.num_actions = self.max_plies = rows * columns
        self.grid = np.arange(self.cells).reshape(rows, columns)
        self.num_features = 2 + 2 * self.cells
        self.state_length = 1 + self.cells + memory

    def _set_up(self, flat: State) -> State:
        """Accept any pieces, so that positions can be set up."""
        return flat

    def observations(self, states: ArrayLike) -> NDArray[np.float32]:
        """See the base class; this takes two thirds of the time for many large boards."""
        if not self.has_piece_planes or self.num_features > 2 + 2 * self.cells:
            return super().observations(states)
        states = self._checked_batch(states)
        mover, cells = states[:, :1], states[:, 1 : 1 + self.cells]
        planes = [values == player for values in (mover, cells) for player in (1, 2)]
        return np.concatenate(planes, axis=1, dtype=np.float32)

    def winner(self, state: State) -> int:
        """See the base class; a game has its own, or its own ``winners``."""
        return int(self.winners(self.checked(state)[np.newaxis])[0])

    def winning_path(self, state: State) -> list[int]:
        """Return the cells of a full line, in order."""
        winner, cells = self.winner(state), self.checked(state)[1 : 1 + self.cells].tolist()
        held = (line for line in self.lines if all(cells[cell] == winner for cell in line))
        return list(next(held, ())) if winner in (1, 2) else []

    def lines_held(self, states: State) -> State:
        """Return the player with a line in each state, 3 if the board is full without, else 0."""
        cells = states[:, 1 : 1 + self.cells]
        lines = np.array(self.lines)
        one, two = ((cells == player)[:, lines].all(axis=2).any(axis=1) for player in (1, 2))
        for row in np.flatnonzero(one & two)[:1]:
            self._one_winner((1, 2), states[row])
        full = cells.all(axis=1)
        return np.select([one, two, full], [1, 2, DRAW], GOES_ON).astype(np.int8)

    def landing_cell(self, state: State, action: int) -> int | None:
        """See the base class."""
        return int(action)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """See the base class; ``turned_boards`` lists them."""
        symmetries = []
        for board, swaps_players in self.turned_boards():
            cells = board.reshape(-1)
            players = np.array((1, 0) if swaps_players else (0, 1))
            pieces = 2 + players[:, np.newaxis] * self.cells + cells
            rest = np.arange(2 + 2 * self.cells, self.num_features)
            features = np.concatenate([players, pieces.reshape(-1), rest])
            symmetries.append(Symmetry(features, self.moved_actions(cells), swaps_players))
        return tuple(symmetries)

    def turned_boards(self) -> list[tuple[Indices, bool]]:
        """Return each symmetry but the identity: the moved ``grid``, and whether players swap."""
        return [(self.grid, True)]

    def moved_actions(self, cells: Indices) -> Indices:
        """Return the image of each action, `[A]`, if a piece on cell c moves to ``cells[c]``."""
        return np.append(cells, np.arange(self.cells, self.num_actions))

    def action_name(self, action: int) -> str:
        """Return ``(row, column)``, counted from 0."""
        return cell_name(action, self.board_shape[1])

    def parse_action(self, text: str) -> int:
        """Read ``row column``, ``row,column``, ``(row, column)``, or ``c2`` for ``(1, 2)``.

        If rows are counted from below, as in chess, ``c2`` is in the last row but one.
        """
        rows, columns = self.board_shape
        words = text.strip().lower()
        row = column = -1
        if found := re.fullmatch(r"\(?\s*(\d{1,3})[\s,]+(\d{1,3})\s*\)?", words):
            row, column = int(found[1]), int(found[2])
        elif found := re.fullmatch(r"([a-z])([1-9]\d?)", words):
            row, column = int(found[2]) - 1, ord(found[1]) - ord("a")
            row = rows - 1 - row if self.drawing.rows_from_below else row
        if 0 <= row < rows and 0 <= column < columns:
            return row * columns + column
        row_range = "" if rows == columns else f" from 0 to {rows - 1}"
        swap = "" if self.swap_action is None else ", or 'swap'"
        raise IllegalActionError(
            f"expected a cell such as 'c2', or a row{row_range} and a column from 0 to "
            f"{columns - 1}, such as '1 2'{swap}, got {excerpt(text)}"
        )

    def text(self, state: State) -> str:
        """Return the board above the numbers of its columns: letters of pieces, or a dot.

        Any integers are accepted, as error messages show invalid states too.
        """
        rows, columns = self.board_shape
        cells = np.asarray(state)[1 : 1 + self.cells].reshape(rows, columns).tolist()
        signs = (".", *self.drawing.pieces)
        table = [[signs[value] if 0 <= value <= 2 else "?" for value in line] for line in cells]
        table.append([str(column) for column in range(columns)])
        if self.numbers_rows:
            labels = [*map(str, range(rows)), ""]
            table = [[label, *line] for label, line in zip(labels, table, strict=True)]
        width = len(str(max(rows, columns) - 1))
        return "\n".join(" ".join(word.rjust(width) for word in line) for line in table)
