"""Virtual connections of Hex: stones and cells that a player can join against any defence.

H-search (Anshelevich 2002). A *full* connection of two places holds even if the opponent moves
first; a *semi* connection only if the player does. A carrier is the empty cells that it needs. Two
rules derive new connections:

- and: full connections u-v and v-w with disjoint carriers give u-w: full if v is a group, semi (by
  a move at v) if v is an empty cell;
- or: semi connections u-w give a full one if the intersection of all their carriers is empty; its
  carrier is their union.

Letters: V places of a player (its two borders, its groups, the empty cells), P pairs of places.
Sets of empty cells are bit masks.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.chains import neighbour_step
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


@kernel(types.boolean(INDICES, types.int64, types.int64), inlined=True, inner=True)
def has_smaller(known: Indices, count: int, carrier: int) -> bool:
    """Return whether one of the first `count` carriers lies within ``carrier``."""
    found = False
    for i in range(count):
        found |= known[i] & ~carrier == 0
    return found


@kernel(types.int64(INDICES, types.int64, types.int64), inlined=True, inner=True)
def drop_larger(known: Indices, count: int, carrier: int) -> int:
    """Drop the carriers that contain ``carrier`` from the first `count`; return the new count."""
    kept = 0
    for i in range(count):
        if carrier & ~known[i] != 0:
            known[kept] = known[i]
            kept += 1
    return kept


@kernel(types.void(CONNECTIONS, types.int64, types.int64, types.int64), inner=True)
def add_full(found: Connections, u: int, v: int, carrier: int) -> None:
    """Add a full connection unless a known carrier lies within its own; queue it for extension."""
    pair = pair_of(u, v)
    count = found.full_counts[pair]
    known = found.full[pair]
    if has_smaller(known, count, carrier):
        return
    kept = drop_larger(known, count, carrier)
    end = found.queued[0]
    if kept < FULL_KEPT and end < QUEUE:
        known[kept] = carrier
        kept += 1
        found.queue[end, 0], found.queue[end, 1], found.queue[end, 2] = u, v, carrier
        found.queued[0] = end + 1
    found.full_counts[pair] = kept


@kernel(types.void(CONNECTIONS, types.int64, types.int64, types.int64), inner=True)
def add_semi(found: Connections, u: int, v: int, carrier: int) -> None:
    """Add a semi connection unless a known carrier lies within its own; apply the or-rule to it."""
    pair = pair_of(u, v)
    if has_smaller(found.full[pair], found.full_counts[pair], carrier):
        return
    count = found.semi_counts[pair]
    known = found.semi[pair]
    if has_smaller(known, count, carrier):
        return
    kept = drop_larger(known, count, carrier)
    if kept < SEMI_KEPT:
        for i in range(kept):
            two = carrier & known[i]
            if two == 0:
                add_full(found, u, v, carrier | known[i])
            elif two != carrier:
                for j in range(i):
                    three = two & known[j]
                    if three == 0:
                        add_full(found, u, v, carrier | known[i] | known[j])
                    elif three != two:
                        for k in range(j):
                            if three & known[k] == 0:
                                union = carrier | known[i] | known[j] | known[k]
                                add_full(found, u, v, union)
        known[kept] = carrier
        kept += 1
    found.semi_counts[pair] = kept


@kernel(types.void(CONNECTIONS, STATE, types.int64, types.int64), inner=True)
def add_neighbours(found: Connections, board: State, player: int, count: int) -> None:
    """Add the full connections of adjacent places."""
    step = int(np.sqrt(len(board)))
    for row in range(1, step - 1):
        for column in range(1, step - 1):
            cell = row * step + column
            if board[cell] != 0:
                continue
            place = found.places[cell]
            line = row if player == 1 else column
            if line == 1:
                add_full(found, place, FIRST, 0)
            if line == step - 2:
                add_full(found, place, LAST, 0)
            for direction in range(6):
                near = cell + neighbour_step(direction, step)
                row_near, column_near = near // step, near % step
                if row_near == 0 or row_near == step - 1:
                    continue
                if column_near == 0 or column_near == step - 1:
                    continue
                if board[near] == player or (board[near] == 0 and near > cell):
                    add_full(found, place, found.places[near], 0)


@kernel(types.void(CONNECTIONS, types.int64, types.boolean), inner=True)
def extend(found: Connections, count: int, semi_is_enough: bool) -> None:
    """Apply both rules to V = ``count`` places until nothing is new or the borders are joined."""
    head = 0
    while head < found.queued[0]:
        carrier = found.queue[head, 2]
        for turn in range(2):
            middle, u = found.queue[head, turn], found.queue[head, 1 - turn]
            if middle < 2:
                continue
            bit_u, bit_middle = found.bits[u], found.bits[middle]
            for w in range(count):
                if w in (u, middle) or found.bits[w] & carrier != 0:
                    continue
                pair = pair_of(middle, w)
                for i in range(found.full_counts[pair]):
                    other = found.full[pair, i]
                    if other & (carrier | bit_u) == 0:
                        if bit_middle == 0:
                            add_full(found, u, w, other | carrier)
                        else:
                            add_semi(found, u, w, other | carrier | bit_middle)
        head += 1
        if found.full_counts[0] > 0 or (semi_is_enough and found.semi_counts[0] > 0):
            return


@kernel(types.void(CONNECTIONS, types.int64, INDICES), inner=True)
def add_distances(found: Connections, count: int, sums: Indices) -> None:
    """Add to each empty cell's sum the moves that the player needs to join it to both borders.

    Fully connected places count as joined. The sum counts 1000 per move, less the number of the
    cell's full connections. ``count`` is V; ``sums`` has a place for each bit.
    """
    for border in range(2):
        distances = found.distances[border]
        distances[:count] = 99
        distances[border] = 0
        changed = True
        while changed:
            changed = False
            for u in range(count):
                if distances[u] == 99 or u == 1 - border:
                    continue
                for w in range(2, count):
                    reached = distances[u] + (1 if found.bits[w] != 0 else 0)
                    if reached < distances[w] and found.full_counts[pair_of(u, w)] > 0:
                        distances[w] = reached
                        changed = True
    for w in range(2, count):
        bit = found.bits[w]
        if bit != 0:
            number = 0
            while bit > 1:
                bit >>= 1
                number += 1
            degree = 0
            for u in range(count):
                if u != w and found.full_counts[pair_of(u, w)] > 0:
                    degree += 1
            sums[number] += 1000 * (found.distances[0, w] + found.distances[1, w]) - degree
