"""Hex with the swap: the second move may take over the first stone, mirrored (the pie rule).

A state has one number more than in ``hex_rules.py``, after the cells: the moves until the swap is
over, 2 on the empty board, 1 where it is legal. Action k * k swaps: the first stone moves to its
mirror image on the long diagonal and changes its colour.
"""

from functools import cached_property

import numpy as np

from base.storage import excerpt
from state_manager.chains import proven_winner as winner_by_chains
from state_manager.errors import StateError
from state_manager.hex import Hex
from state_manager.hex_rules import legal_actions as empty_cells
from state_manager.hex_rules import play as put_stone
from state_manager.hex_rules import rim_place
from state_manager.hex_rules import uniform_rollout as fill_board
from state_manager.rules import GOES_ON, Indices, State, piece_features, rule


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the empty cells; then the swap, if it is offered."""
    cells = int(state[-1]) ** 2
    count = empty_cells(state, actions_out)
    if state[1 + cells] == 1:
        actions_out[count] = cells
        count += 1
    return count


@rule
def play(state: State, action: int) -> int:
    """Put the mover's stone on cell ``action``, or swap."""
    size = int(state[-1])
    cells = size * size
    if action == cells:
        first = 0
        while state[1 + first] == 0:
            first += 1
        state[1 + first] = 0
        state[rim_place(state, first)] = 0
        action = first % size * size + first // size
    state[1 + cells] = max(0, int(state[1 + cells]) - 1)
    return put_stone(state, action)


@rule
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input of Hex, and one if the swap is offered."""
    cells = int(state[-1]) ** 2
    count = piece_features(state, cells, indices_out)
    if state[1 + cells] == 1:
        indices_out[count] = 2 + 2 * cells
        count += 1
    return count


@rule
def uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Play until the swap is over; then see ``hex_rules``."""
    cells = int(state[-1]) ** 2
    while state[1 + cells] > 0:
        action = int(rng.random() * cells)
        # While the swap is offered, it takes the place of the one cell with a stone.
        play(state, cells if state[1 + action] != 0 else action)
    return fill_board(state, rng)


@rule
def proven_winner(state: State) -> int:
    """Return the winner by chains, if any, once the swap is over."""
    return GOES_ON if state[1 + int(state[-1]) ** 2] > 0 else winner_by_chains(state)


class SwapHex(Hex):
    """Hex whose second move may take over the first stone; the methods are those of ``Hex``."""

    only_adds = False
    rules = Hex.rules._replace(
        legal_actions=legal_actions,
        play=play,
        active_features=active_features,
        uniform_rollout=uniform_rollout,
        proven_winner=proven_winner,
    )

    def __init__(self, size: int, swap: bool = True) -> None:
        """Add the swap, its action and its feature to a board."""
        super().__init__(size, swap)
        self.swap_action = self.cells
        self.num_actions = self.max_plies = self.cells + 1
        self.num_features += 1

    def first_state(self) -> State:
        """Offer the swap after one move."""
        state = super().first_state()
        state[1 + self.cells] = 2
        return state

    def _set_up(self, flat: State) -> State:
        """Check the moves until the swap is over: 0, or those by the number of stones."""
        stones, theirs = (flat[:, 1:-1] != 0).sum(axis=1), 3 - flat[:, :1]
        most = np.where(stones == 0, 2, (stones == 1) & (flat[:, 1:-1] == theirs).any(axis=1))
        wrong = (flat[:, -1] != most) & ((stones == 0) | (flat[:, -1] != 0))
        for row in np.flatnonzero(wrong)[:1]:
            expected = f"expected {most[row]} as the last number, which is about the swap"
            raise StateError(f"{expected}, got {flat[row, -1]} in {excerpt(flat[row].tolist())}")
        states = super()._set_up(flat)
        states[:, 1 + self.cells] = flat[:, -1]
        return states

    @cached_property
    def without_swap(self) -> Hex:
        """Hex on the same board."""
        return Hex(self.size)

    def states_without_swap(self, states: State) -> State:
        """Drop the number of the swap."""
        return np.delete(states, 1 + self.cells, axis=-1)

    def landing_cell(self, state: State, action: int) -> int | None:
        """Return the cell of the only stone after the swap."""
        return int(np.argmax(state[1:] != 0)) if action == self.cells else int(action)

    def action_name(self, action: int) -> str:
        """Name the swap."""
        return "swap" if action == self.cells else super().action_name(action)

    def parse_action(self, text: str) -> int:
        """Read ``swap``, too."""
        is_swap = text.strip().lower() in ("swap", "swap-pieces")
        return self.cells if is_swap else super().parse_action(text)
