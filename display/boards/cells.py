"""Cells of boards: their content and places, names of moves, and moves from clicks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from state_manager import State, StateManager

ROW_HEIGHT = math.sqrt(3) / 2
"""Distance between the lines of a diamond: its cells are regular hexagons."""
_REACH = 0.6  # radius of a click on a cell: slightly more than that of a hexagon's corners
_CELL = re.compile(r"\((\d+), (\d+)\)")
_MOST_NAMES = 8
_AREA_WIDTH, _CAPTION_HEIGHT, _LARGEST_CELL = 6.8, 0.5, 0.62


def board_of(game: StateManager, state: State) -> NDArray[np.int8]:
    """Return the cells of a state, `[rows, columns]` int8, without its private memory."""
    rows, columns = game.board_shape
    return np.asarray(state[1 : 1 + rows * columns]).reshape(rows, columns)


def percent(share: float) -> str:
    """Return a share in whole percent, without the sign; halves are rounded up."""
    return str(int(100 * share + 0.5))


@dataclass(frozen=True)
class RowLayout:
    """How a row is broken into lines; cells are 1 apart, the first one begins at (0, 0)."""

    lines: list[list[int]]  # the cells of each line from the top
    centers: NDArray[np.float64]  # `[C, 2]`, the middle of each cell
    pitch: float  # distance between two lines
    cell: float  # the size of a cell in inches
    caption: float  # the y of the middle of the caption below the cells
    inches: tuple[float, float]  # width and height, the caption included


def row_layout(kind: str, cells: int) -> RowLayout:
    """Return a heap at the start or a ledge, in the fewest lines of nearly equal lengths."""
    heap = kind == "heap"
    widest = max(10, math.ceil(math.sqrt(3 * cells))) if heap else 20
    pitch, margin = (1.0, 0.0) if heap else (1.75, 0.6)
    lines = [line.tolist() for line in np.array_split(np.arange(cells), -(-cells // widest))]
    columns = len(lines[0])
    cell = min(_LARGEST_CELL, _AREA_WIDTH / (columns + 2 * margin))
    centers = [
        ((columns - len(line)) / 2 * heap + place + 0.5, -pitch * number - 0.5)
        for number, line in enumerate(lines)
        for place in range(len(line))
    ]
    height = len(lines) * pitch * cell + _CAPTION_HEIGHT
    caption = -len(lines) * pitch - _CAPTION_HEIGHT / cell / 2
    return RowLayout(lines, np.array(centers), pitch, cell, caption, (_AREA_WIDTH, height))


def cell_centers(game: StateManager) -> NDArray[np.float64]:
    """Return the centre of each cell, row by row, `[C, 2]`, in the coordinates of its picture.

    The y axis points upwards, and neighbours are 1 apart. The origin is the centre of the top cell
    of a diamond, elsewhere the corner at the top left.
    """
    row, column = (each.ravel() for each in np.indices(game.board_shape))
    if game.drawing.is_hexagonal:
        return np.stack([(column - row) / 2, -(row + column) * ROW_HEIGHT], axis=1)
    if game.drawing.has_board:
        return np.stack([column + 0.5, -row - 0.5], axis=1)
    return row_layout(game.drawing.kind, len(column)).centers


def cell_at(game: StateManager, x: float, y: float) -> int | None:
    """Return the cell at a point of the picture, if any."""
    distances = np.hypot(*(cell_centers(game) - (x, y)).T)
    nearest = int(np.argmin(distances))
    within = _REACH if game.drawing.is_hexagonal else np.sqrt(0.5)
    return nearest if distances[nearest] < within else None


@dataclass(frozen=True)
class Coordinates:
    """The names of rows, columns and moves; with ``letters``, a1 is row 0, column 0.

    Or as in chess, where the game counts its rows from below. Games whose moves are no cells, such
    as ``take 2``, keep their numbers.
    """

    game: StateManager
    letters: bool = True

    @property
    def rows(self) -> list[str]:
        """The name of each row, from the top."""
        first = 1 if self._lettered else 0
        names = [str(first + row) for row in range(self.game.board_shape[0])]
        return names[::-1] if self._lettered and self.game.drawing.rows_from_below else names

    @property
    def columns(self) -> list[str]:
        """The name of each column, from the left."""
        columns = range(self.game.board_shape[1])
        return [ascii_lowercase[column] if self._lettered else str(column) for column in columns]

    def move(self, action: int) -> str:
        """Return the name of a move."""
        return self.renamed(self.game.action_name(action))

    def renamed(self, text: str) -> str:
        """Return a text in which cells have their names; the game writes ``(0, 0)``."""
        if not self._lettered:
            return text
        rows, columns = self.rows, self.columns
        return _CELL.sub(lambda cell: columns[int(cell[2])] + rows[int(cell[1])], text)

    def some(self, actions: Sequence[int]) -> list[str]:
        """Return the names of moves; of many the first ones, and the number of others."""
        names = [self.move(action) for action in actions[:_MOST_NAMES]]
        more = len(actions) - len(names)
        return [*names, f"{more} more"] if more else names

    def numbered(self, actions: Sequence[int], ply: int = 0) -> list[str]:
        """Return the names of successive moves, numbered from ``ply + 1``."""
        return [f"{ply + n}. {self.move(each)}" for n, each in enumerate(actions, start=1)]

    @property
    def _lettered(self) -> bool:
        return self.letters and has_cells(self.game)


def has_cells(game: StateManager) -> bool:
    """Return whether a game's moves are named by cells, so that letters can name them."""
    return bool(_CELL.search(game.action_name(0)))


def cells_of_move(game: StateManager, state: State, action: int) -> tuple[int, ...]:
    """Return a move's origin, if any, and target; of a swap the stone, of a heap the first."""
    before = board_of(game, state).reshape(-1)
    if action == game.swap_action:
        return (int(np.argmax(before != 0)),)
    after = board_of(game, game.child_state(state, action)).reshape(-1)
    left = np.flatnonzero((before != after) & (after == 0))
    new = np.flatnonzero((before != after) & (after != 0))
    return tuple([*left[:1].tolist(), *new.tolist()])


def board_data(game: StateManager, state: State, last_action: int | None) -> dict[str, Any]:
    """Return a position as JSON data: its cells, and what else changes with each move."""
    winner = game.winner(state)
    return {
        "cells": board_of(game, state).ravel().tolist(),
        "to_play": game.to_play(state),
        "winner": winner,
        "path": game.winning_path(state) if winner in (1, 2) else [],
        "last": None if last_action is None else game.landing_cell(state, last_action),
    }


def clicked_move(game: StateManager, state: State, clicks: Sequence[int]) -> int | None:
    """Return the legal move of clicked cells; where pieces fall, the cells above are valid, too."""
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
    """Return whether a click on a cell may be the first of two."""
    cells = (cells_of_move(game, state, a) for a in game.legal_actions(state).tolist())
    return any(len(each) > 1 and each[0] == cell for each in cells)
