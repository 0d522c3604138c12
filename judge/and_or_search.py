"""The solver of Hex positions: depth-first and/or search with must-play regions and a table.

A result is a winner and a *carrier*: the winner needs only these empty cells, and would win even if
the loser had all others. If a move is refuted with a carrier, so is every move outside it; so the
mover tries only moves in the intersection of all carriers so far, the must-play region (van
Rijswijck 2002). It starts from the opponent's semi connections of its borders.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from judge.connections import (
    TABLE,
    Connections,
    add_distances,
    add_neighbours,
    extend,
    find_places,
    new_connections,
)
from judge.inferior import dead_neighbourhoods, fill_in
from state_manager.rules import INDICES, Indices, copy_state

MOST_BITS = 62
"""Limit of empty cells: a set of them is one int64 that is never negative."""
FLAG = 1 << MOST_BITS

POSITION = np.dtype(
    [
        ("mover", np.int64),
        ("must", np.int64),  # the must-play region, without refuted moves
        ("proof", np.int64),  # the union of the carriers so far, the carrier if the mover loses
        ("move", np.int64),  # the current move, as the number of its bit
        ("winner", np.int64),
        ("carrier", np.int64),
        ("tried", np.int64),  # the number of moves tried
        ("began", np.int64),  # the number of nodes searched on entry
    ],
)
"""A position on the current line."""
RESULT = np.dtype(
    [
        ("red", np.int64),  # the stones of player 1, and ``FLAG`` if player 2 is the mover
        ("black", np.int64),
        ("carrier", np.int64),  # and ``FLAG`` if player 2 wins
        ("work", np.int64),  # the number of nodes that it took
    ],
)
COUNTERS = np.dtype([("depth", np.int64), ("nodes", np.int64)])


class AndOrSearch(NamedTuple):
    """The whole state of the search; it can stop and resume at any node."""

    boards: NDArray[np.int8]  # [D, cells with rim], the positions on the current line
    line: Any  # [D], a record array of ``POSITION``
    captured: NDArray[np.int64]  # [D, 3], scratch, then the cells that player 1 and 2 capture
    moves: NDArray[np.int64]  # [D, MOST_BITS + 1], moves of each in order of trial, then -1
    counters: Any  # [1], a record array of ``COUNTERS``
    # [T], a record array of ``RESULT``; a position has two rows, and the first keeps the result
    # that took more work
    table: Any
    zobrist: NDArray[np.int64]  # [2, MOST_BITS], random numbers below T for the rows
    bit_of: Indices  # [cells with rim], the number of each cell's bit; 0 for stones without one
    cell_of: Indices  # [bits], the cell of each bit
    dead: NDArray[np.bool_]  # see ``dead_neighbourhoods``
    mine: Connections  # memory for the mover's connections
    theirs: Connections  # memory for the opponent's
    scores: Indices  # [MOST_BITS], scratch memory of ``sort_moves``
    sizes: Indices  # [MOST_BITS], scratch memory of ``expand``


def new_search(size: int, cell_of: Indices, table_size: int) -> AndOrSearch:
    """Return memory for boards of ``size`` rows, with T = ``table_size``, a power of two."""
    places = (size + 2) ** 2
    bit_of = np.zeros(places, np.int64)
    bit_of[cell_of] = np.arange(len(cell_of))
    depth = len(cell_of) + 1
    return AndOrSearch(
        np.zeros((depth, places), np.int8),
        np.zeros(depth, POSITION).view(np.recarray),
        np.zeros((depth, 3), np.int64),
        np.full((depth, MOST_BITS + 1), -1, np.int64),
        np.zeros(1, COUNTERS).view(np.recarray),
        np.full((table_size, 4), -1, np.int64).view(RESULT)[:, 0].view(np.recarray),
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
def key_of(search: AndOrSearch, depth: int) -> tuple[int, int, int, int]:
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
    if search.line[depth].mover == 2:
        red |= FLAG
    return red, black, row, is_turned


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def look_up(search: AndOrSearch, depth: int) -> bool:
    """Copy a position's result from the table, if it has one; return whether it has."""
    red, black, first, is_turned = key_of(search, depth)
    for row in range(first, first + 2):
        result = search.table[row]
        if result.red == red and result.black == black:
            carrier = result.carrier & ~FLAG
            if is_turned:
                carrier = turned(carrier, len(search.cell_of))
            search.line[depth].winner = 2 if result.carrier & FLAG else 1
            search.line[depth].carrier = carrier
            return True
    return False


@kernel(types.void(SEARCH, types.int64), inner=True)
def store(search: AndOrSearch, depth: int) -> None:
    """Put a result into the table: in the first row if it took no less work than the one there."""
    line = search.line[depth]
    red, black, row, is_turned = key_of(search, depth)
    work, carrier = search.counters[0].nodes - line.began, line.carrier
    if work < search.table[row].work:
        row += 1
    if is_turned:
        carrier = turned(carrier, len(search.cell_of))
    result = search.table[row]
    result.red, result.black, result.work = red, black, work
    result.carrier = carrier | (FLAG if line.winner == 2 else 0)


@kernel(types.int64(types.int64), inlined=True, inner=True)
def size_of(cells: int) -> int:
    """Return the number of cells in a set."""
    count = 0
    while cells != 0:
        cells &= cells - 1
        count += 1
    return count


@kernel(types.int64(TABLE, INDICES), inner=True)
def smallest(carriers: NDArray[np.int64], counts: Indices) -> int:
    """Return the carrier of the borders with the fewest cells."""
    best, fewest = 0, 99
    for i in range(counts[0]):
        cells = size_of(carriers[0, i])
        if cells < fewest:
            best, fewest = carriers[0, i], cells
    return best


@kernel(types.void(SEARCH, types.int64, types.int64, types.int64), inner=True)
def sort_moves(search: AndOrSearch, depth: int, count_mine: int, count_theirs: int) -> None:
    """List the moves of the must-play region, first those with short paths for both players."""
    must = search.line[depth].must
    moves = search.moves[depth]
    scores = search.scores
    scores[:] = 0
    add_distances(search.mine, count_mine, scores)
    add_distances(search.theirs, count_theirs, scores)
    count = 0
    for move in range(len(search.cell_of)):
        if (must >> move) & 1:
            place = count
            while place > 0 and scores[moves[place - 1]] > scores[move]:
                moves[place] = moves[place - 1]
                place -= 1
            moves[place] = move
            count += 1
    for place in range(count, MOST_BITS):
        moves[place] = -1


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def enter(search: AndOrSearch, depth: int) -> bool:
    """Enter a position; return whether its winner is known, else list its moves."""
    line, board = search.line[depth], search.boards[depth]
    mover = line.mover
    search.counters[0].nodes += 1
    line.began = search.counters[0].nodes
    line.proof = line.tried = 0
    search.captured[depth] = 0
    fill_in(board, search.bit_of, search.dead, search.captured[depth])
    mine, theirs = search.mine, search.theirs
    count_mine = find_places(board, search.bit_of, mover, mine)
    count_theirs = find_places(board, search.bit_of, 3 - mover, theirs)
    if count_mine == 0 or count_theirs == 0:
        line.winner = mover if count_mine == 0 else 3 - mover
        line.carrier = 0
        return True
    if look_up(search, depth):
        return True
    add_neighbours(mine, board, mover, count_mine)
    extend(mine, count_mine, True)
    if mine.full_counts[0] > 0 or mine.semi_counts[0] > 0:
        line.winner = mover
        if mine.full_counts[0] > 0:
            line.carrier = smallest(mine.full, mine.full_counts)
        else:
            line.carrier = smallest(mine.semi, mine.semi_counts)
        return True
    add_neighbours(theirs, board, 3 - mover, count_theirs)
    extend(theirs, count_theirs, False)
    if theirs.full_counts[0] > 0:
        line.winner = 3 - mover
        line.carrier = smallest(theirs.full, theirs.full_counts)
        return True
    must = 0
    for place in range(2, count_mine):
        must |= mine.bits[place]
    for i in range(theirs.semi_counts[0]):
        carrier = theirs.semi[0, i]
        if must & ~carrier != 0:
            must &= carrier
            line.proof |= carrier
    line.must = must
    sort_moves(search, depth, count_mine, count_theirs)
    return False


@kernel(types.boolean(SEARCH, types.int64, types.int64), inner=True)
def try_move(search: AndOrSearch, depth: int, move: int) -> bool:
    """Enter the position after a move; return whether its winner is known."""
    line = search.line[depth]
    line.move = move
    copy_state(search.boards[depth], search.boards[depth + 1])
    search.boards[depth + 1, search.cell_of[move]] = line.mover
    search.line[depth + 1].mover = 3 - line.mover
    return enter(search, depth + 1)


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def learn(search: AndOrSearch, depth: int) -> bool:
    """Update a position from a child with a known winner; return whether its own is known now."""
    line, child = search.line[depth], search.line[depth + 1]
    winner = child.winner
    carrier = child.carrier | search.captured[depth + 1, winner]
    if winner == line.mover:
        line.winner = winner
        line.carrier = carrier | (1 << line.move)
        store(search, depth)
        return True
    line.proof |= carrier
    line.must &= carrier
    return False


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def expand(search: AndOrSearch, depth: int) -> bool:
    """Try all moves; return whether the winner is known. Small must-play regions come first."""
    line, moves, sizes = search.line[depth], search.moves[depth], search.sizes
    count = 0
    for i in range(MOST_BITS):
        move = moves[i]
        if move < 0:
            break
        if (line.must >> move) & 1 == 0:
            continue
        if try_move(search, depth, move):
            if learn(search, depth):
                return True
            continue
        size = size_of(search.line[depth + 1].must)
        place = count
        while place > 0 and sizes[place - 1] > size:
            moves[place] = moves[place - 1]
            sizes[place] = sizes[place - 1]
            place -= 1
        moves[place] = move
        sizes[place] = size
        count += 1
    for i in range(count, MOST_BITS):
        moves[i] = -1
    return False


@kernel(types.boolean(SEARCH, types.int64))
def advance(search: AndOrSearch, nodes: int) -> bool:
    """Search up to a number of nodes, from depth -1 on; return whether the winner is known."""
    counters = search.counters[0]
    depth = counters.depth
    if depth < 0:
        depth = 0
        known = enter(search, 0) or expand(search, 0)
    else:
        known = False
    while True:
        line = search.line[depth]
        if known:
            if depth == 0:
                line.carrier |= search.captured[0, line.winner]
                counters.depth = -1
                return True
            depth -= 1
            known = learn(search, depth)
            continue
        if counters.nodes >= nodes:
            counters.depth = depth
            return False
        move = search.moves[depth, line.tried]
        while move >= 0 and (line.must >> move) & 1 == 0:
            line.tried += 1
            move = search.moves[depth, line.tried]
        line.tried += 1
        if move < 0:
            line.winner = 3 - line.mover
            line.carrier = line.proof
            store(search, depth)
            known = True
            continue
        known = try_move(search, depth, move)
        depth += 1
        known = known or expand(search, depth)
