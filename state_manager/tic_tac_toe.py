"""Tic-tac-toe: three stones in a row on a board of 3 x 3; a full board without one is a draw.

Layout of a state::

    0          the player to move, 1 or 2
    1 .. 9     the cells, row by row: 0 empty, 1 X, 2 O

The rules look at a player's stones as bits, bit c for cell c.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
from numba import types

from base.jit import kernel
from base.params import Section
from state_manager.errors import TwoWinnersError
from state_manager.grid import (
    board_text,
    cell_name,
    full_line,
    parse_cell,
    piece_features,
    straight_lines,
)
from state_manager.rules import (
    ACTIVE_FEATURES,
    DRAW,
    GOES_ON,
    LEGAL_ACTIONS,
    PLAY,
    STATE,
    UNIFORM_ROLLOUT,
    Indices,
    Rules,
    State,
)
from state_manager.state_manager import StateManager, check_starting_player
from state_manager.symmetry import Symmetry, piece_symmetry

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
    """Tell whether stones fill a line."""
    found = False
    for line in LINE_BITS:
        found |= stones & line == line
    return found


@kernel(LEGAL_ACTIONS)
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the empty cells; action ``row * 3 + column`` puts a stone there."""
    count = 0
    for cell in range(CELLS):
        if state[1 + cell] == 0:
            actions_out[count] = cell
            count += 1
    return count


@kernel(PLAY)
def play(state: State, action: int) -> int:
    """Put the mover's stone on cell ``action``."""
    player = int(state[0])
    state[0] = 3 - player
    state[1 + action] = player
    stones = stones_of(state, player)
    if has_line(stones):
        return player
    return DRAW if stones | stones_of(state, 3 - player) == ALL_BITS else GOES_ON


@kernel(ACTIVE_FEATURES)
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), X's stones (9), O's stones (9)."""
    return piece_features(state, CELLS, indices_out)


@kernel(UNIFORM_ROLLOUT)
def uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Return the outcome of uniformly random play, all of it in bits."""
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


class TicTacToeParams(Section):
    """Tic-tac-toe has no parameters."""


class TicTacToe(StateManager):
    """Tic-tac-toe; player 1 has the stones X, player 2 the stones O.

    Action ``row * 3 + column`` puts a stone on cell (row, column).
    """

    name: ClassVar[str] = "tic_tac_toe"
    Params = TicTacToeParams
    rules = Rules(legal_actions, play, active_features, uniform_rollout)
    num_actions = CELLS
    num_features = 2 + 2 * CELLS
    state_length = 1 + CELLS
    board_shape = (SIZE, SIZE)
    max_plies = CELLS
    player_names = pieces = ("X", "O")
    has_piece_planes = True

    @property
    def params(self) -> dict[str, object]:
        """See the base class."""
        return {}

    def initial_state(self, starting_player: int = 1) -> State:
        """Return the empty board."""
        check_starting_player(starting_player)
        state = np.zeros(self.state_length, np.int8)
        state[0] = starting_player
        return state

    def from_flat(self, flat: Sequence[int]) -> State:
        """Return the state of a flat form; any stones are accepted, to set positions up."""
        return self._checked_flat(flat, highest=2)

    def winner(self, state: State) -> int:
        """Return who has three in a row, 3 if the board is full without, or 0."""
        state = self.checked(state)
        winners = [player for player in (1, 2) if has_line(stones_of(state, player))]
        if len(winners) > 1:
            raise TwoWinnersError(f"expected one winner at most, got both in\n{self.text(state)}")
        if winners:
            return winners[0]
        return DRAW if np.all(state[1:]) else GOES_ON

    def winning_path(self, state: State) -> list[int]:
        """Return the cells of a full line, in order."""
        winner = self.winner(state)
        if winner not in (1, 2):
            return []
        return list(full_line(self.checked(state)[1:], winner, LINES))

    def landing_cell(self, state: State, action: int) -> int | None:
        """See the base class."""
        return int(action)

    def action_name(self, action: int) -> str:
        """Return ``(row, column)``, counted from 0."""
        return cell_name(action, SIZE)

    def parse_action(self, text: str) -> int:
        """Read ``row column``, ``row,column``, ``(row, column)``, or ``c2`` for ``(1, 2)``."""
        return parse_cell(text, SIZE)

    def text(self, state: State) -> str:
        """Return the board with its rows and columns numbered: X, O or a dot."""
        return board_text(state, self.board_shape, self.pieces, number_rows=True)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The eight turns and reflections of the board, each with and without the swap."""
        grid = np.arange(CELLS).reshape(self.board_shape)
        turned = [np.rot90(side, turns) for side in (grid, grid.T) for turns in range(4)]
        return tuple(
            piece_symmetry(cells.reshape(-1), cells.reshape(-1), swaps_players=swaps_players)
            for swaps_players in (False, True)
            for cells in turned
            if swaps_players or cells is not turned[0]
        )
