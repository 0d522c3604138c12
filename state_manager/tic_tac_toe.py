"""Tic-tac-toe: three stones in a row on a board of 3 x 3; a full board without one is a draw.

Layout of a state::

    0          the player to move, 1 or 2
    1 .. 9     the cells, row by row: 0 empty, 1 X, 2 O
"""

from typing import ClassVar

import numpy as np
from numba import types

from base.jit import kernel
from state_manager.grid import GridGame, straight_lines
from state_manager.rules import DRAW, GOES_ON, STATE, Indices, Rules, State, active_features, rule
from state_manager.state_manager import Drawing

SIZE = 3
CELLS = SIZE * SIZE
LINES = tuple(straight_lines(SIZE, SIZE, SIZE))


@kernel(types.boolean(STATE, types.int64, types.int64), inner=True)
def completes_line(state: State, player: int, cell: int) -> bool:
    """Return whether a stone of a player on a cell fills a line."""
    for line in LINES:
        is_on_line, others = False, 0
        for place in line:
            is_on_line |= place == cell
            others += place != cell and int(state[1 + place]) == player
        if is_on_line and others == SIZE - 1:
            return True
    return False


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the empty cells; action ``row * 3 + column`` puts a stone there."""
    count = 0
    for cell in range(CELLS):
        if state[1 + cell] == 0:
            actions_out[count] = cell
            count += 1
    return count


@rule
def play(state: State, action: int) -> int:
    """Put the mover's stone on cell ``action``."""
    player = int(state[0])
    state[0] = 3 - player
    state[1 + action] = player
    if completes_line(state, player, action):
        return player
    for cell in range(CELLS):
        if state[1 + cell] == 0:
            return GOES_ON
    return DRAW


@rule
def winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """List the empty cells that fill a line of the player's."""
    count = 0
    for cell in range(CELLS):
        actions_out[count] = cell
        count += state[1 + cell] == 0 and completes_line(state, player, cell)
    return count


class TicTacToe(GridGame):
    """Tic-tac-toe; player 1 has the stones X, player 2 O; an action is a cell, row by row."""

    name: ClassVar[str] = "tic_tac_toe"
    rules = Rules(legal_actions, play, active_features, winning_actions=winning_actions)
    only_adds = True
    player_names = ("X", "O")
    drawing = Drawing(pieces=player_names)
    lines = LINES
    may_be_drawn = True

    def __init__(self) -> None:
        """Manage tic-tac-toe."""
        super().__init__(SIZE, SIZE)

    def winners(self, states: State) -> State:
        """See the base class."""
        return self.lines_held(states)

    def turned_boards(self) -> list[tuple[Indices, bool]]:
        """Return the eight turns and reflections, each with and without the swap."""
        turned = [np.rot90(side, turns) for side in (self.grid, self.grid.T) for turns in range(4)]
        return [(board, swaps) for swaps in (False, True) for board in turned][1:]
