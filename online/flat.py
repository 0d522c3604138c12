"""The tournament's flat form of states, and its coordinates; all conversions are here.

Letter: K cells a side. A flat state is ``1 + K*K`` integers: the player to move (1 or 2), then the
cells row by row, 0 empty, 1 or 2 a stone. Player 1 joins the rows, from the first to the last;
player 2 joins the columns; either may have started. A Hex ``State`` begins in the same way, so
boards are never turned or mirrored. Functions raise ``FlatError`` unless stated otherwise.
"""

import math
from collections.abc import Sequence

from state_manager import GameError, State, StateManager


class FlatError(ValueError):
    """The values are no state, or no cell, of the current board."""


def size_of(flat: Sequence[int]) -> int:
    """Return K."""
    size = math.isqrt(max(len(flat) - 1, 0))
    if size < 1 or len(flat) != 1 + size * size:
        raise FlatError(f"expected the player to move and a square board, got {len(flat)} numbers")
    return size


def state_from_flat(game: StateManager, flat: Sequence[int]) -> State:
    """Return the game's state, its private memory rebuilt."""
    try:
        return game.from_flat(list(flat))
    except (GameError, TypeError, OverflowError) as error:
        raise FlatError(str(error)) from error


def coordinates(game: StateManager, action: int) -> tuple[int, int]:
    """Return the row and the column of an action, as plain integers from 0."""
    row, column = divmod(int(action), game.board_shape[1])
    return row, column


def action_at(game: StateManager, answer: object) -> int:
    """Return the action of an untrusted pair of integers; its cell may be taken."""
    rows, columns = game.board_shape
    match answer:
        case [int(row), int(column)] if bool not in map(type, answer):
            if 0 <= row < rows and 0 <= column < columns:
                return row * columns + column
    raise FlatError(f"expected (row, column) from (0, 0) to {(rows - 1, columns - 1)}")
