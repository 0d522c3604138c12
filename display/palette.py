"""What every display says about a game: colours, names, and the cells of its board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from state_manager import StateManager

RED = "#c9342c"
BLACK = "#23262b"
BLACK_ON_TERMINAL = "#8b8f96"
"""What stands for black outside the board: it shows on dark and on light terminals."""
PAPER = "#fbf8f1"
CELL = "#f0e6d0"
CELL_EDGE = "#b8a782"
CELL_ON_PATH = "#fbe3a1"
INK = "#3a352b"
FAINT = "#8a8069"
GOLD = "#f2b01e"
COPPER = "#b5652f"
PEBBLE = "#77808c"
WOOD = "#7d5c3c"

PLAYER_COLOURS = {1: RED, 2: BLACK}

Kind = Literal["diamond", "heap", "ledge", "grid"]


def has_diamond(game: StateManager) -> bool:
    """Tell whether a game is drawn as a diamond.

    Such a game has ``has_diamond = True``, a square board, and one action for each cell, numbered
    like the cells.
    """
    return bool(getattr(game, "has_diamond", False))


def kind_of(game: StateManager) -> Kind:
    """Return how a game's board is drawn, which its start tells.

    A single row that starts full of the same pieces is a heap, of which only the number counts; one
    with a single piece of another kind, the gold coin, is a ledge. All others are grids.
    """
    if has_diamond(game):
        return "diamond"
    board = board_of(game, game.initial_state())
    if len(board) > 1:
        return "grid"
    if np.all(board == 1):
        return "heap"
    return "ledge" if np.count_nonzero(board == 2) == 1 else "grid"


def player_name(game: StateManager, player: int) -> str:
    """Return what a player is called: ``red`` or ``black`` on a diamond, else ``player 1``."""
    return ("red", "black")[player - 1] if has_diamond(game) else f"player {player}"


def board_of(game: StateManager, state: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the cells of a state, `[rows, columns]` int8, without its private memory."""
    rows, columns = game.board_shape
    return np.asarray(state[1 : 1 + rows * columns]).reshape(rows, columns)
