"""A player's places and connections in one position of Hex.

Letters: V places of a player (its two borders, its groups, the empty cells), P pairs of places.
Sets of empty cells are bit masks.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.rules import INDICES, STATE, Indices, State

FIRST, LAST = 0, 1
"""The places that are the player's borders."""
FULL_KEPT, SEMI_KEPT = 10, 24
"""Limits of carriers per pair: more find little and cost much."""
QUEUE = 20_000


class Connections(NamedTuple):
    """The connections of one player in one position."""

    full_counts: Indices  # [P], the number of full connections of a pair
    full: NDArray[np.int64]  # [P, FULL_KEPT], their carriers, none within another
    semi_counts: Indices  # [P], the number of semi connections of a pair
    semi: NDArray[np.int64]  # [P, SEMI_KEPT], their carriers, none within another
    queue: NDArray[np.int64]  # [QUEUE, 3], full ones, as discovered: two places and the carrier
    queued: Indices  # [1], the number of connections in the queue
    bits: Indices  # [V], an empty cell's bit, 0 for stones and borders
    places: Indices  # [cells with rim], the place of each empty cell and stone of the player
    distances: NDArray[np.int64]  # [2, V], scratch memory of ``add_distances``


def new_connections(size: int) -> Connections:
    """Return memory for a board of ``size`` x ``size`` cells."""
    most = size * size + 2
    pairs = most * (most - 1) // 2
    shapes = (
        *(pairs, (pairs, FULL_KEPT), pairs, (pairs, SEMI_KEPT)),
        *((QUEUE, 3), 1, most, (size + 2) ** 2, (2, most)),
    )
    return Connections(*(np.zeros(shape, np.int64) for shape in shapes))


CONNECTIONS = numba.typeof(new_connections(1))
TABLE = types.int64[:, ::1]


@kernel(types.int64(types.int64, types.int64), inlined=True, inner=True)
def pair_of(u: int, v: int) -> int:
    """Return the number of a pair of places."""
    return u * (u - 1) // 2 + v if u > v else v * (v - 1) // 2 + u


@kernel(types.int64(types.int64, types.int64), inlined=True, inner=True)
def neighbour_step(direction: int, step: int) -> int:
    """Return the offset of one of six neighbours, clockwise, with rows ``step`` cells apart."""
    if direction == 0:
        return -step
    if direction == 1:
        return 1 - step
    if direction == 2:
        return 1
    if direction == 3:
        return step
    if direction == 4:
        return step - 1
    return -1


@kernel(types.void(STATE, INDICES, types.int64, types.int64, types.int64), inner=True)
def label_group(board: State, places: Indices, cell: int, step: int, place: int) -> None:
    """Assign a place to a stone and its group."""
    places[cell] = place
    for direction in range(6):
        near = cell + neighbour_step(direction, step)
        if board[near] == board[cell] and places[near] == -1:
            label_group(board, places, near, step, place)


@kernel(types.int64(STATE, INDICES, types.int64, CONNECTIONS), inner=True)
def find_places(board: State, bit_of: Indices, player: int, found: Connections) -> int:
    """Number a player's places, and clear the connections between them, in ``found``.

    ``board`` has its rim. Return V; 0 if the player has already joined the borders.
    """
    step = int(np.sqrt(len(board)))
    size = step - 2
    places = found.places
    # The rim stays 0, so that no group spreads over it.
    places[:] = 0
    for row in range(1, step - 1):
        for column in range(1, step - 1):
            places[row * step + column] = -1
    along, across = (1, step) if player == 1 else (step, 1)
    for border in range(2):
        line = across * (1 + border * (size - 1))
        for i in range(1, step - 1):
            cell = line + along * i
            if board[cell] == player:
                if places[cell] == -1:
                    label_group(board, places, cell, step, border)
                elif places[cell] != border:
                    return 0
    count = 2
    for row in range(1, step - 1):
        for column in range(1, step - 1):
            cell = row * step + column
            if board[cell] == player and places[cell] == -1:
                found.bits[count] = 0
                label_group(board, places, cell, step, count)
                count += 1
    for row in range(1, step - 1):
        for column in range(1, step - 1):
            cell = row * step + column
            if board[cell] == 0:
                found.bits[count] = 1 << bit_of[cell]
                places[cell] = count
                count += 1
    for pair in range(count * (count - 1) // 2):
        found.full_counts[pair] = 0
        found.semi_counts[pair] = 0
    found.queued[0] = 0
    return count
