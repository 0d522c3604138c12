"""Cells of Hex that need no search: dead ones, whose colour never matters, and captured ones.

An empty cell is *dead* if its neighbours alone rule out that a shortest chain of either player
passes through it (Björnsson, Hayward, Johanson & van Rijswijck 2007). Two empty neighbours are
*captured* by a player if a stone on either kills the other: the player answers a move on one with
a move on the other, so both may be filled with the player's stones.
"""

import itertools

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.chains import neighbour_step
from state_manager.rules import INDICES, STATE, Indices, State

NEIGHBOURHOODS = 3**6


def _arcs(ring: tuple[int, ...], player: int) -> int:
    return sum(ring[i] == player and ring[i - 1] != player for i in range(6))


def dead_neighbourhoods() -> NDArray[np.bool_]:
    """Return `[NEIGHBOURHOODS]`: whether a cell with these neighbours is dead.

    A chain through a cell needs it only if it enters and leaves by different arcs of its ring.
    """
    dead = np.ones(NEIGHBOURHOODS, np.bool_)
    for ring in itertools.product(range(3), repeat=6):
        code = sum(colour * 3**i for i, colour in enumerate(ring))
        choices = [(1, 2) if colour == 0 else (colour,) for colour in ring]
        dead[code] = all(_arcs(full, 1) < 2 for full in itertools.product(*choices))
    return dead


@kernel(types.int64(STATE, types.int64, types.int64), inner=True)
def neighbourhood(board: State, cell: int, step: int) -> int:
    """Return a cell's neighbours as one number, the colour of the first as its lowest digit."""
    code = 0
    for direction in range(5, -1, -1):
        code = 3 * code + int(board[cell + neighbour_step(direction, step)])
    return code


@kernel(types.void(STATE, INDICES, types.boolean[::1], INDICES), inner=True)
def fill_in(board: State, bit_of: Indices, dead: NDArray[np.bool_], captured: Indices) -> None:
    """Fill dead and captured cells with stones; ``captured``, `[3]`, gets each player's."""
    step = int(np.sqrt(len(board)))
    changed = True
    while changed:
        changed = False
        for row in range(1, step - 1):
            for column in range(1, step - 1):
                cell = row * step + column
                if board[cell] != 0:
                    continue
                code = neighbourhood(board, cell, step)
                if dead[code]:
                    board[cell] = 1
                    changed = True
                    continue
                power = 1
                for direction in range(6):
                    near = cell + neighbour_step(direction, step)
                    # The first three directions reach each pair once.
                    if direction in (1, 2, 3) and board[near] == 0:
                        near_code = neighbourhood(board, near, step)
                        near_power = 3 ** ((direction + 3) % 6)
                        for player in range(1, 3):
                            if (
                                dead[code + player * power]
                                and dead[near_code + player * near_power]
                            ):
                                board[cell] = player
                                board[near] = player
                                captured[player] |= (1 << bit_of[cell]) | (1 << bit_of[near])
                                changed = True
                                break
                        if board[cell] != 0:
                            break
                    power *= 3
