"""Ledge (Old Gold): a row of cells with copper coins and one gold coin; cell 0 is the ledge.

A player picks up the coin on the ledge, or moves a coin any distance to the left without passing
another. The player that picks up the gold coin wins.

Layout of a state of L cells::

    0          the player to move, 1 or 2
    1 .. L     the cells: 0 empty, 1 copper, 2 gold
"""

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from base.params import Section
from base.storage import excerpt
from state_manager.errors import IllegalActionError, StateError
from state_manager.rules import GOES_ON, Indices, Rules, State, active_features, rule
from state_manager.state_manager import Drawing, StateManager

COPPER, GOLD = 1, 2
PICK_UP = 0


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the actions: 0 picks up; 1 + j(j-1)/2 + i moves the coin on cell j to cell i < j."""
    count = 0
    if state[1] != 0:
        actions_out[0] = PICK_UP
        count = 1
    nearest = -1
    for cell in range(len(state) - 1):
        if state[1 + cell] != 0:
            for target in range(nearest + 1, cell):
                actions_out[count] = 1 + cell * (cell - 1) // 2 + target
                count += 1
            nearest = cell
    return count


@rule
def play(state: State, action: int) -> int:
    """Pick up the coin on the ledge, or move a coin."""
    player = int(state[0])
    state[0] = 3 - player
    if action == PICK_UP:
        coin = int(state[1])
        state[1] = 0
        return player if coin == GOLD else GOES_ON
    cell, below = 1, 0
    while below + cell < action:
        below += cell
        cell += 1
    target = action - 1 - below
    state[1 + target] = state[1 + cell]
    state[1 + cell] = 0
    return GOES_ON


@rule
def winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """List the pick-up if the gold coin is on the ledge; it cannot leave the ledge otherwise."""
    actions_out[0] = PICK_UP
    return int(state[1] == GOLD)


class Ledge(StateManager):
    """Ledge from a given initial row of cells: 0 empty, 1 copper, 2 gold."""

    class Params(Section):
        """The parameters of Ledge."""

        board: Annotated[
            tuple[Annotated[int, Field(ge=0, le=2)], ...], Field(min_length=1, max_length=60)
        ] = Field(
            (0, 1, 0, 1, 1, 0, 2, 0, 0, 1),
            description="B_init: 0 empty, 1 copper, 2 gold; the ledge is on the left",
        )

        @model_validator(mode="after")
        def _one_gold_coin(self) -> Self:
            if (coins := self.board.count(GOLD)) != 1:
                raise ValueError(f"board: expected exactly one gold coin (2), got {coins}")
            return self

    name: ClassVar[str] = "ledge"
    rules = Rules(legal_actions, play, active_features, winning_actions=winning_actions)
    drawing = Drawing("ledge")

    def __init__(self, board: Sequence[int]) -> None:
        """Manage Ledge from the initial ``board`` (B_init), with exactly one gold coin."""
        self.board = tuple(board)
        length = len(self.board)
        self.num_actions = 1 + length * (length - 1) // 2
        self.num_features = 2 + 2 * length
        self.state_length = 1 + length
        self.board_shape = (1, length)
        # Longest: each coin moves one cell at a time to the ledge, and is then picked up.
        self.max_plies = length * (length + 1) // 2

    def first_state(self) -> State:
        """Return the initial row of cells."""
        return np.array((0, *self.board), np.int8)

    def _set_up(self, flat: State) -> State:
        """Accept at most one gold coin."""
        coins = np.sum(flat[:, 1:] == GOLD, axis=1)
        for row in np.flatnonzero(coins > 1)[:1]:
            got = f"{coins[row]} in {excerpt(flat[row].tolist())}"
            raise StateError(f"expected one gold coin at most, got {got}")
        return flat

    def winner(self, state: State) -> int:
        """Return the player that picked up the gold coin, else 0."""
        state = self.checked(state)
        return GOES_ON if GOLD in state[1:] else 3 - int(state[0])

    def action_name(self, action: int) -> str:
        """Return ``pick up``, or ``5 to 3`` for a coin that moves from cell 5 to cell 3."""
        if action == PICK_UP:
            return "pick up"
        cell = next(j for j in range(1, len(self.board)) if 1 + j * (j + 1) // 2 > action)
        return f"{cell} to {int(action) - 1 - cell * (cell - 1) // 2}"

    def parse_action(self, text: str) -> int:
        """Read ``pick up``, or two cells such as ``5 to 3``, ``5 3`` or ``5-3``."""
        words = text.strip().lower()
        if words in ("pick up", "pick", "p"):
            return PICK_UP
        found = re.fullmatch(r"(\d{1,3})(?:\s*to\s*|\s*-\s*|[\s,]+)(\d{1,3})", words)
        if found and 0 <= int(found[2]) < int(found[1]) < len(self.board):
            cell, target = int(found[1]), int(found[2])
            return 1 + cell * (cell - 1) // 2 + target
        raise IllegalActionError(
            f"expected 'pick up', or two cells such as '5 to 3' from 0 to {len(self.board) - 1}, "
            f"got {excerpt(text)}"
        )

    def text(self, state: State) -> str:
        """Return the row: the ledge at the left, c copper, G gold."""
        cells = np.asarray(state)[1 : 1 + len(self.board)].tolist()
        return "|" + " ".join(".cG"[cell] if 0 <= cell <= GOLD else "?" for cell in cells)
