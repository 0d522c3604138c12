"""Memory of the judge's search of Hex: the current line, and a table of results."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.judge.connections import Connections, new_connections
from state_manager.judge.inferior import dead_neighbourhoods
from state_manager.rules import Indices

MOST_BITS = 62
"""Limit of empty cells: a set of them is one int64 that is never negative."""
MOVER, MUST, PROOF, MOVE, WINNER, CARRIER, NEXT, BEGAN, CAPTURED = range(9)
"""The fields of a position on the current line; see ``Search.line``.

MUST: the must-play region, without refuted moves. PROOF: the union of the carriers so far, the
carrier if the mover loses. MOVE: the current move, as the number of its bit. NEXT: the number of
moves tried. BEGAN: the number of nodes searched on entry. From CAPTURED on: scratch, then the cells
that player 1 and player 2 capture.
"""
DEPTH, NODES = range(2)
KEY_RED, KEY_BLACK, RESULT, WORK = range(4)
"""The columns of the table; the mover is a bit of KEY_RED, the winner one of RESULT."""
FLAG = 1 << MOST_BITS


class Search(NamedTuple):
    """The whole state of the search; it can stop and resume at any node."""

    boards: NDArray[np.int8]  # [D, cells with rim], the positions on the current line
    line: NDArray[np.int64]  # [D, CAPTURED + 3], the fields of each; see ``MOVER``
    moves: NDArray[np.int64]  # [D, MOST_BITS + 1], moves of each in order of trial, then -1
    counters: Indices  # [2], DEPTH and NODES
    # [T, 4], results; a position has two rows, and the first keeps the result that took more work
    table: NDArray[np.int64]
    zobrist: NDArray[np.int64]  # [2, MOST_BITS], random numbers below T for the rows
    bit_of: Indices  # [cells with rim], the number of each cell's bit; 0 for stones without one
    cell_of: Indices  # [bits], the cell of each bit
    dead: NDArray[np.bool_]  # see ``dead_neighbourhoods``
    mine: Connections  # memory for the mover's connections
    theirs: Connections  # memory for the opponent's
    scores: Indices  # [MOST_BITS], scratch memory of ``sort_moves``
    sizes: Indices  # [MOST_BITS], scratch memory of ``expand``


def new_search(size: int, cell_of: Indices, table_size: int) -> Search:
    """Return memory for boards of ``size`` rows, with T = ``table_size``, a power of two.

    Empty cells are among ``cell_of``, at most MOST_BITS cells of the board with rim.
    """
    places = (size + 2) ** 2
    bit_of = np.zeros(places, np.int64)
    bit_of[cell_of] = np.arange(len(cell_of))
    depth = len(cell_of) + 1
    table = np.full((table_size, 4), -1, np.int64)
    return Search(
        np.zeros((depth, places), np.int8),
        np.zeros((depth, CAPTURED + 3), np.int64),
        np.full((depth, MOST_BITS + 1), -1, np.int64),
        np.zeros(2, np.int64),
        table,
        np.random.default_rng(0).integers(0, table_size, (2, MOST_BITS)) & ~1,
        bit_of,
        cell_of,
        dead_neighbourhoods(),
        new_connections(size),
        new_connections(size),
        np.zeros(MOST_BITS, np.int64),
        np.zeros(MOST_BITS, np.int64),
    )


SEARCH = numba.typeof(new_search(1, np.array([4]), 2))


@kernel(types.int64(types.int64, types.int64), inner=True)
def turned(cells: int, count: int) -> int:
    """Return a set of cells after a half-turn of a board of ``count`` cells."""
    result = 0
    for _ in range(count):
        result = (result << 1) | (cells & 1)
        cells >>= 1
    return result


@kernel(types.UniTuple(types.int64, 4)(SEARCH, types.int64), inner=True)
def key_of(search: Search, depth: int) -> tuple[int, int, int, int]:
    """Return two masks of stones, the first row of the table, and 1 if the board is turned."""
    board = search.boards[depth]
    count = len(search.cell_of)
    red, black = 0, 0
    for i in range(count):
        colour = int(board[search.cell_of[i]])
        if colour == 1:
            red |= 1 << i
        elif colour == 2:
            black |= 1 << i
    is_turned = 0
    if count == (int(np.sqrt(len(board))) - 2) ** 2:
        red_turned, black_turned = turned(red, count), turned(black, count)
        if red_turned < red or (red_turned == red and black_turned < black):
            red, black, is_turned = red_turned, black_turned, 1
    row = 0
    for i in range(count):
        if (red >> i) & 1:
            row ^= search.zobrist[0, i]
        elif (black >> i) & 1:
            row ^= search.zobrist[1, i]
    if search.line[depth, MOVER] == 2:
        red |= FLAG
    return red, black, row, is_turned


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def look_up(search: Search, depth: int) -> bool:
    """Copy a position's result from the table, if it has one; return whether it has."""
    red, black, first, is_turned = key_of(search, depth)
    for row in range(first, first + 2):
        if search.table[row, KEY_RED] == red and search.table[row, KEY_BLACK] == black:
            result = search.table[row, RESULT]
            carrier = result & ~FLAG
            if is_turned:
                carrier = turned(carrier, len(search.cell_of))
            search.line[depth, WINNER] = 2 if result & FLAG else 1
            search.line[depth, CARRIER] = carrier
            return True
    return False


@kernel(types.void(SEARCH, types.int64), inner=True)
def store(search: Search, depth: int) -> None:
    """Put a result into the table: in the first row if it took no less work than the one there."""
    line = search.line[depth]
    red, black, row, is_turned = key_of(search, depth)
    work = search.counters[NODES] - line[BEGAN]
    table = search.table
    if work < table[row, WORK]:
        row += 1
    result = line[CARRIER]
    if is_turned:
        result = turned(result, len(search.cell_of))
    table[row, KEY_RED] = red
    table[row, KEY_BLACK] = black
    table[row, RESULT] = result | (FLAG if line[WINNER] == 2 else 0)
    table[row, WORK] = work
