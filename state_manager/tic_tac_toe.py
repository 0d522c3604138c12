"""Tic-tac-toe: three stones in a row on a board of 3 x 3; a full board without one is a draw.

Layout of a state::

    0          the player to move, 1 or 2
    1 .. 9     the cells, row by row: 0 empty, 1 X, 2 O

The rules represent a player's stones as bits, bit c for cell c.
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
LINE_BITS = tuple(sum(1 << cell for cell in line) for line in LINES)
ALL_BITS = (1 << CELLS) - 1


@kernel(types.int64(STATE, types.int64))
def stones_of(state: State, player: int) -> int:
    """Return a player's stones as bits."""
    stones = 0
    for cell in range(CELLS):
        if int(state[1 + cell]) == player:
            stones |= 1 << cell
    return stones


@kernel(types.boolean(types.int64))
def has_line(stones: int) -> bool:
    """Return whether stones fill a line."""
    found = False
    for line in LINE_BITS:
        found |= stones & line == line
    return found


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
    stones = stones_of(state, player)
    if has_line(stones):
        return player
    return DRAW if stones | stones_of(state, 3 - player) == ALL_BITS else GOES_ON


@rule
def winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """List the empty cells that fill a line of the player's."""
    stones = stones_of(state, player)
    count = 0
    for cell in range(CELLS):
        actions_out[count] = cell
        count += (state[1 + cell] == 0) & has_line(stones | 1 << cell)
    return count


@rule
def uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Return the outcome of uniformly random play, with stones as bits."""
    player = int(state[0])
    own, other = stones_of(state, player), stones_of(state, 3 - player)
    empty_count = 0
    for cell in range(CELLS):
        empty_count += state[1 + cell] == 0
    while True:
        empty = ALL_BITS & ~(own | other)
        for _ in range(int(rng.random() * empty_count)):
            empty &= empty - 1
        own |= empty & -empty
        if has_line(own):
            return player
        empty_count -= 1
        if empty_count == 0:
            return DRAW
        own, other = other, own
        player = 3 - player


class TicTacToe(GridGame):
    """Tic-tac-toe; player 1 has the stones X, player 2 O; an action is a cell, row by row."""

    name: ClassVar[str] = "tic_tac_toe"
    rules = Rules(legal_actions, play, active_features, uniform_rollout, winning_actions)
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
