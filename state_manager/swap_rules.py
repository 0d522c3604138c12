"""Hex with the swap: the compiled rules of ``hex_rules.py`` and one more action.

A state has one number more than in ``hex_rules.py``, after the cells: the moves until the swap is
over, 2 on the empty board, 1 where it is legal. Action k * k swaps: the first stone moves to its
mirror image on the long diagonal and changes its colour.
"""

import numpy as np

from state_manager.chains import proven_winner as winner_by_chains
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
