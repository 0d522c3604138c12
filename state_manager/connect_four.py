"""Connect four: stones fall down a column; four of a player in a row, any way, win.

Layout of a state on a board of R rows and K columns, with C = R * K cells::

    0              the player to move, 1 or 2
    1 .. C         the cells, row by row from the top: 0 empty, 1 or 2 a stone
    C+1 .. C+K     the number of stones in each column
    C+K+1          the outcome: 0 goes on, 1 or 2 has won, 3 a draw
    C+K+2          R
    C+K+3          K

A stone can complete only lines through its cell, so a move checks only these.
"""

import re
from typing import ClassVar

import numpy as np
from numba import types
from pydantic import Field

from base.jit import kernel
from base.params import Section
from base.storage import excerpt
from state_manager.errors import IllegalActionError, StateError
from state_manager.grid import GridGame, straight_lines
from state_manager.rules import DRAW, GOES_ON, STATE, Indices, Rules, State, piece_features, rule
from state_manager.state_manager import Drawing

IN_A_ROW = 4
OUTCOME, ROWS, COLUMNS = -3, -2, -1
"""Their indices in a state."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the columns that are not full; action c drops a stone into column c."""
    rows, columns = int(state[ROWS]), int(state[COLUMNS])
    heights = 1 + rows * columns
    count = 0
    for column in range(columns):
        actions_out[count] = column
        count += int(state[heights + column]) < rows
    return count


@kernel(types.boolean(STATE, types.int64, types.int64, types.int64), inner=True)
def completes_four(state: State, player: int, row: int, column: int) -> bool:
    """Return whether a stone of a player on (row, column) makes four in a row."""
    rows, columns = int(state[ROWS]), int(state[COLUMNS])
    for down, right in DIRECTIONS:
        run = 1
        for sign in (1, -1):
            for step in range(1, IN_A_ROW):
                line, place = row + sign * step * down, column + sign * step * right
                if line < 0 or line >= rows or place < 0 or place >= columns:
                    break
                if int(state[1 + line * columns + place]) != player:
                    break
                run += 1
        if run >= IN_A_ROW:
            return True
    return False


@rule
def play(state: State, action: int) -> int:
    """Drop the mover's stone into column ``action``."""
    rows, columns = int(state[ROWS]), int(state[COLUMNS])
    heights = 1 + rows * columns
    player = int(state[0])
    state[0] = 3 - player
    height = int(state[heights + action])
    row = rows - 1 - height
    state[1 + row * columns + action] = player
    state[heights + action] = height + 1
    if completes_four(state, player, row, action):
        state[OUTCOME] = player
        return player
    for column in range(columns):
        if int(state[heights + column]) < rows:
            return GOES_ON
    state[OUTCOME] = DRAW
    return DRAW


@rule
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), red stones (C), black stones (C)."""
    return piece_features(state, int(state[ROWS]) * int(state[COLUMNS]), indices_out)


@rule
def winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """List the columns in which a stone of the player makes four in a row."""
    rows, columns = int(state[ROWS]), int(state[COLUMNS])
    heights = 1 + rows * columns
    count = 0
    for column in range(columns):
        row = rows - 1 - int(state[heights + column])
        if row >= 0 and completes_four(state, player, row, column):
            actions_out[count] = column
            count += 1
    return count


class ConnectFour(GridGame):
    """Connect four on any board from 4 x 4 to 10 x 10; a full board without a four is a draw.

    Red, X, is player 1, black, O, player 2. An action is a column, counted from 0 at the left.
    """

    class Params(Section):
        """The parameters of connect four."""

        rows: int = Field(6, ge=4, le=10, description="cells of a column")
        columns: int = Field(7, ge=4, le=10, description="cells of a row")

    name: ClassVar[str] = "connect_four"
    rules = Rules(legal_actions, play, active_features, winning_actions=winning_actions)
    player_names = ("red", "black")
    drawing = Drawing(pieces=("X", "O"))
    may_be_drawn = True
    numbers_rows = False

    def __init__(self, rows: int, columns: int) -> None:
        """Manage connect four on a board of ``rows`` x ``columns`` cells, each 4 to 10."""
        super().__init__(rows, columns, memory=columns + 3)
        self.rows, self.columns = rows, columns
        self.num_actions = columns
        self.lines = tuple(straight_lines(rows, columns, IN_A_ROW))

    def first_state(self) -> State:
        """See the base class."""
        state = super().first_state()
        state[ROWS], state[COLUMNS] = self.board_shape
        return state

    def _set_up(self, flat: State) -> State:
        """Compute the heights of the columns and the outcome of any stones that do not float."""
        boards = flat[:, 1:].reshape(-1, *self.board_shape)
        floating = np.argwhere((boards[:, :-1] != 0) & (boards[:, 1:] == 0))
        for number, row, column in floating[:1].tolist():
            raise StateError(
                f"expected a stone below that at ({row}, {column}), "
                f"got {excerpt(flat[number].tolist())}"
            )
        states = self.first_state()[np.newaxis].repeat(len(flat), axis=0)
        states[:, : 1 + self.cells] = flat
        states[:, 1 + self.cells : OUTCOME] = np.count_nonzero(boards, axis=1)
        states[:, OUTCOME] = self.lines_held(states)
        return states

    def winners(self, states: State) -> State:
        """Return the players with four in a row, 3 for full boards without, else 0."""
        return states[:, OUTCOME]

    def landing_cell(self, state: State, action: int) -> int | None:
        """Return the cell of the topmost stone of the column."""
        height = int(self.checked(state)[1 + self.cells + action])
        return (self.rows - height) * self.columns + int(action)

    def action_name(self, action: int) -> str:
        """Return ``column 3`` and the like."""
        return f"column {int(action)}"

    def parse_action(self, text: str) -> int:
        """Read the number of a column, with or without the word ``column``."""
        found = re.fullmatch(r"(?:column\s+)?(\d{1,3})", text.strip().lower())
        if found and int(found[1]) < self.columns:
            return int(found[1])
        raise IllegalActionError(
            f"expected a column from 0 to {self.columns - 1}, got {excerpt(text)}"
        )

    def turned_boards(self) -> list[tuple[Indices, bool]]:
        """Return the mirror image; the swap of the players; and both."""
        mirrored = self.grid[:, ::-1]
        return [(mirrored, False), (self.grid, True), (mirrored, True)]

    def moved_actions(self, cells: Indices) -> Indices:
        """Return the new number of each column, taken from the cells of the first row."""
        return cells[: self.columns]
