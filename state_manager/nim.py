"""NIM with one heap of N stones: a player takes 1 to K of them, and the last stone wins.

Layout of a state::

    0          the player to move, 1 or 2
    1 .. N     a row of N cells, the remaining stones marked 1, from the left
    N+1        K
"""

import re
from typing import ClassVar, Self

import numpy as np
from numba import types
from pydantic import Field, model_validator

from base.jit import kernel
from base.params import Section
from base.storage import excerpt
from state_manager.errors import IllegalActionError, StateError
from state_manager.rules import GOES_ON, STATE, Indices, Rules, State, rule
from state_manager.state_manager import Drawing, StateManager


@kernel(types.int64(STATE))
def stones_left(state: State) -> int:
    """Return the number of remaining stones."""
    stones = 0
    while stones < len(state) - 2 and state[1 + stones] == 1:
        stones += 1
    return stones


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the actions; action a takes a + 1 stones."""
    count = min(int(state[-1]), stones_left(state))
    for action in range(count):
        actions_out[action] = action
    return count


@rule
def play(state: State, action: int) -> int:
    """Take ``action`` + 1 stones from the right."""
    player = int(state[0])
    stones = stones_left(state)
    for cell in range(stones - action - 1, stones):
        state[1 + cell] = 0
    state[0] = 3 - player
    return player if action + 1 == stones else GOES_ON


@rule
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), the remaining stones (N)."""
    stones = stones_left(state)
    indices_out[0] = int(state[0]) - 1
    for stone in range(stones):
        indices_out[1 + stone] = 2 + stone
    return 1 + stones


class Nim(StateManager):
    """NIM with N stones; a player takes 1 to K of them."""

    class Params(Section):
        """The parameters of NIM."""

        stones: int = Field(10, ge=1, le=120, description="N, stones at the start")
        max_take: int = Field(3, ge=1, le=120, description="K, stones of a move at most")

        @model_validator(mode="after")
        def _can_be_taken(self) -> Self:
            if self.max_take > self.stones:
                raise ValueError(
                    f"max_take: expected at most stones ({self.stones}), got {self.max_take}"
                )
            return self

    name: ClassVar[str] = "nim"
    rules = Rules(legal_actions, play, active_features)
    drawing = Drawing("heap")
    highest_cell = 1

    def __init__(self, stones: int, max_take: int) -> None:
        """Manage NIM with N = ``stones`` (1 to 120) and K = ``max_take`` (1 to N)."""
        self.stones = stones
        self.max_take = max_take
        self.num_actions = max_take
        self.num_features = 2 + stones
        self.state_length = 2 + stones
        self.board_shape = (1, stones)
        self.max_plies = stones

    def first_state(self) -> State:
        """Return the state with all N stones."""
        state = np.ones(self.state_length, np.int8)
        state[-1] = self.max_take
        return state

    def _set_up(self, flat: State) -> State:
        """Accept stones without a gap from the left."""
        for row in np.flatnonzero((np.diff(flat[:, 1:], axis=1) > 0).any(axis=1))[:1]:
            got = excerpt(flat[row].tolist())
            raise StateError(f"expected the stones that are left at the left, got {got}")
        return np.insert(flat, flat.shape[1], self.max_take, axis=1)

    def winner(self, state: State) -> int:
        """Return the player that took the last stone, else 0."""
        state = self.checked(state)
        return GOES_ON if stones_left(state) else 3 - int(state[0])

    def action_name(self, action: int) -> str:
        """Return ``take 2`` and the like."""
        return f"take {int(action) + 1}"

    def parse_action(self, text: str) -> int:
        """Read a number of stones, with or without the word ``take``."""
        found = re.fullmatch(r"(?:take\s+)?(\d{1,3})", text.strip().lower())
        if found and 1 <= int(found[1]) <= self.max_take:
            return int(found[1]) - 1
        raise IllegalActionError(
            f"expected a number of stones from 1 to {self.max_take}, got {excerpt(text)}"
        )

    def text(self, state: State) -> str:
        """Return the remaining stones and their number."""
        cells = np.asarray(state)[1 : 1 + self.stones].tolist()
        return f"{''.join('o' if cell else '.' for cell in cells)}  {sum(cells)} left"
