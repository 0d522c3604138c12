"""Moves as cells of the board: which cells one changes, and which move a click means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.palette import board_of

if TYPE_CHECKING:
    from state_manager import StateManager

State = NDArray[np.int8]


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
