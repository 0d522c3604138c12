"""Moves: what they are called, which cells they change, and which one a click means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.palette import board_of

if TYPE_CHECKING:
    from state_manager import StateManager

State = NDArray[np.int8]

_CELL = re.compile(r"\((\d+), (\d+)\)")


@dataclass(frozen=True)
class Coordinates:
    """The names of rows, columns and moves of a game.

    Games whose moves are no cells, such as ``take 2``, keep their numbers.

    Attributes:
        game: The game.
        letters: Whether columns are letters and rows are counted from 1: a1 is row 0, column 0,
            or as in chess, where the game counts its rows from below.
    """

    game: StateManager
    letters: bool = False

    @property
    def rows(self) -> list[str]:
        """The name of each row, from the top."""
        return [self._row(row) for row in range(self.game.board_shape[0])]

    @property
    def columns(self) -> list[str]:
        """The name of each column, from the left."""
        return [self._column(column) for column in range(self.game.board_shape[1])]

    def move(self, action: int) -> str:
        """Return the name of a move."""
        name = self.game.action_name(action)
        if not self.letters:
            return name
        return _CELL.sub(lambda cell: self._column(int(cell[2])) + self._row(int(cell[1])), name)

    def _row(self, row: int) -> str:
        if not self._lettered:
            return str(row)
        return str(self.game.board_shape[0] - row if self.game.counts_rows_from_below else row + 1)

    def _column(self, column: int) -> str:
        return ascii_lowercase[column] if self._lettered else str(column)

    @property
    def _lettered(self) -> bool:
        return self.letters and has_cells(self.game)


def has_cells(game: StateManager) -> bool:
    """Tell whether a game's moves are called by cells, so that letters can name them."""
    return bool(_CELL.search(game.action_name(0)))


def cells_of_move(game: StateManager, state: State, action: int) -> tuple[int, ...]:
    """Return the cells by which a legal move is known: where it takes, and then where it sets.

    A piece that is set has one cell, one that goes elsewhere two; stones that are taken from a
    heap have the first of them.
    """
    before = board_of(game, state).reshape(-1)
    after = board_of(game, game.child_state(state, action)).reshape(-1)
    left = np.flatnonzero((before != after) & (after == 0))
    new = np.flatnonzero((before != after) & (after != 0))
    return tuple([*left[:1].tolist(), *new.tolist()])


def clicked_move(game: StateManager, state: State, clicks: Sequence[int]) -> int | None:
    """Return the legal move that clicks on cells mean, if they mean one yet.

    Where pieces fall, any empty cell above the one on which it would come to rest will do.
    """
    legal: list[int] = game.legal_actions(state).tolist()
    moves = {cells_of_move(game, state, action): action for action in legal}
    if tuple(clicks) in moves:
        return moves[tuple(clicks)]
    rows, columns = game.board_shape
    if len(clicks) == 1 and rows > 1 and not board_of(game, state).flat[clicks[0]]:
        for below in range(clicks[0] + columns, rows * columns, columns):
            if board_of(game, state).flat[below]:
                break
            if (below,) in moves:
                return moves[(below,)]
    return None


def begins_a_move(game: StateManager, state: State, cell: int) -> bool:
    """Tell whether a click on a cell may be the first of two."""
    cells = (cells_of_move(game, state, a) for a in game.legal_actions(state).tolist())
    return any(len(each) > 1 and each[0] == cell for each in cells)
