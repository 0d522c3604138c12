"""Hex: the state manager of the compiled rules in ``hex_rules.py``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from base.params import Section
from state_manager import hex_rules
from state_manager.chains import proven_winner
from state_manager.grid import GridGame
from state_manager.rules import GOES_ON, Indices, Rules, State
from state_manager.state_manager import Drawing

_BOTH_BORDERS = (hex_rules.BOTH_BORDERS, hex_rules.BOTH_BORDERS << 2)
"""The border bits of a winning group of each player."""


class Hex(GridGame):
    """Hex on a k x k board.

    Player 1 (red) joins the first row to the last, on the diamond the north-east side to the
    south-west one; player 2 (black) the first column to the last, north-west to south-east. Action
    ``row * k + column`` puts a stone on cell (row, column). Draws are impossible.
    """

    class Params(Section):
        """The parameters of Hex."""

        size: int = Field(5, ge=3, le=19, description="k, cells a side (assignment: to 10)")
        swap: bool = Field(
            False,
            description="the second move may take over the first stone, mirrored (the pie rule)",
        )

    name: ClassVar[str] = "hex"
    rules = Rules(
        hex_rules.legal_actions,
        hex_rules.play,
        hex_rules.active_features,
        hex_rules.uniform_rollout,
        hex_rules.winning_actions,
        proven_winner,
    )
    edge_owners = (1, 1, 2, 2)
    only_adds = True
    player_names = ("red", "black")
    drawing = Drawing(
        "diamond", sides=("joins north-east and south-west", "joins north-west and south-east")
    )
    has_hex_formats = True

    def __init__(self, size: int, swap: bool = False) -> None:
        """Manage Hex on a board of ``size`` x ``size`` cells, 3 to 19; the swap has a subclass."""
        super().__init__(size, size, memory=(size + 2) ** 2 + 1 + swap)
        self.size, self.swap = size, swap

    def first_state(self) -> State:
        """See the base class."""
        state = super().first_state()
        state[-1] = self.size
        rim = state[self.flat_length : -1].reshape(self.size + 2, self.size + 2)
        rim[0, :] |= hex_rules.FIRST_BORDER
        rim[-1, :] |= hex_rules.LAST_BORDER
        rim[:, 0] |= hex_rules.FIRST_BORDER << 2
        rim[:, -1] |= hex_rules.LAST_BORDER << 2
        return state

    def _set_up(self, flat: State) -> State:
        """Compute the borders that each group touches, for any numbers of stones."""
        states = self.first_state()[np.newaxis].repeat(len(flat), axis=0)
        hex_rules.set_up(np.ascontiguousarray(flat[:, : 1 + self.cells]), states)
        return states

    def winners(self, states: State) -> State:
        """Return the player that has joined both borders of each board, else 0."""
        codes = states[:, self.flat_length : -1]  # a rim cell has one border of a player at most
        red, black = ((codes & both == both).any(axis=1) for both in _BOTH_BORDERS)
        for row in np.flatnonzero(red & black)[:1]:
            self._one_winner((1, 2), states[row])
        return red + 2 * black.astype(np.int8)

    def winning_path(self, state: State) -> list[int]:
        """Return the cells of a shortest chain between the winner's borders, in order."""
        player = self.winner(state)
        if player == GOES_ON:
            return []
        cells = self.checked(state)[1 : 1 + self.cells].tolist()
        place = [divmod(cell, self.size)[player - 1] for cell in range(self.cells)]
        chains = deque([c] for c in range(self.cells) if cells[c] == player and place[c] == 0)
        seen = {chain[0] for chain in chains}
        while place[chains[0][-1]] < self.size - 1:
            chain = chains.popleft()
            for near in self.neighbours(chain[-1]):
                if cells[near] == player and near not in seen:
                    seen.add(near)
                    chains.append([*chain, near])
        return chains[0]

    def neighbours(self, cell: int) -> Iterator[int]:
        """Yield the cells that touch a cell, clockwise from the row above."""
        row, column = divmod(cell, self.size)
        for row_step, column_step in ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)):
            near_row, near_column = row + row_step, column + column_step
            if 0 <= near_row < self.size and 0 <= near_column < self.size:
                yield near_row * self.size + near_column

    def text(self, state: State) -> str:
        """Return the board row by row, each row half a cell further right: 1, 2 or a dot."""
        cells = np.asarray(state)[1 : 1 + self.cells].reshape(self.board_shape)
        return "\n".join(
            " " * row + " ".join(".12"[v] if 0 <= v <= 2 else "?" for v in line)
            for row, line in enumerate(cells.tolist())
        )

    def turned_boards(self) -> list[tuple[Indices, bool]]:
        """Return the half-turn; transposition with the colours swapped; and both."""
        half_turn = self.grid[::-1, ::-1]
        return [(half_turn, False), (self.grid.T, True), (half_turn.T, True)]
