"""The solver of Hex positions: depth-first and/or search with must-play regions.

A result is a winner and a *carrier*: the winner needs only these empty cells, and would win even if
the loser had all others. If a move is refuted with a carrier, so is every move outside it; so the
mover needs to try only moves in the intersection of the carriers known so far, the must-play
region (van Rijswijck 2002). It starts from the opponent's semi connections of its borders.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.judge.connections import TABLE, find_places
from state_manager.judge.h_search import add_distances, add_neighbours, extend
from state_manager.judge.inferior import fill_in
from state_manager.judge.table import (
    BEGAN,
    CAPTURED,
    CARRIER,
    DEPTH,
    MOST_BITS,
    MOVE,
    MOVER,
    MUST,
    NEXT,
    NODES,
    PROOF,
    SEARCH,
    WINNER,
    Search,
    look_up,
    store,
)
from state_manager.rules import INDICES, Indices, copy_state


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
def sort_moves(search: Search, depth: int, count_mine: int, count_theirs: int) -> None:
    """List the moves of the must-play region, first those with short paths for both players."""
    must = search.line[depth, MUST]
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
def enter(search: Search, depth: int) -> bool:
    """Enter a position; return whether its winner is known, else list its moves."""
    line, board = search.line[depth], search.boards[depth]
    mover = line[MOVER]
    search.counters[NODES] += 1
    line[BEGAN] = search.counters[NODES]
    line[CAPTURED:] = 0
    line[PROOF] = 0
    line[NEXT] = 0
    fill_in(board, search.bit_of, search.dead, line[CAPTURED:])
    mine, theirs = search.mine, search.theirs
    count_mine = find_places(board, search.bit_of, mover, mine)
    count_theirs = find_places(board, search.bit_of, 3 - mover, theirs)
    if count_mine == 0 or count_theirs == 0:
        line[WINNER] = mover if count_mine == 0 else 3 - mover
        line[CARRIER] = 0
        return True
    if look_up(search, depth):
        return True
    add_neighbours(mine, board, mover, count_mine)
    extend(mine, count_mine, True)
    if mine.full_counts[0] > 0 or mine.semi_counts[0] > 0:
        line[WINNER] = mover
        if mine.full_counts[0] > 0:
            line[CARRIER] = smallest(mine.full, mine.full_counts)
        else:
            line[CARRIER] = smallest(mine.semi, mine.semi_counts)
        return True
    add_neighbours(theirs, board, 3 - mover, count_theirs)
    extend(theirs, count_theirs, False)
    if theirs.full_counts[0] > 0:
        line[WINNER] = 3 - mover
        line[CARRIER] = smallest(theirs.full, theirs.full_counts)
        return True
    must = 0
    for place in range(2, count_mine):
        must |= mine.bits[place]
    for i in range(theirs.semi_counts[0]):
        carrier = theirs.semi[0, i]
        if must & ~carrier != 0:
            must &= carrier
            line[PROOF] |= carrier
    line[MUST] = must
    sort_moves(search, depth, count_mine, count_theirs)
    return False


@kernel(types.boolean(SEARCH, types.int64, types.int64), inner=True)
def try_move(search: Search, depth: int, move: int) -> bool:
    """Enter the position after a move; return whether its winner is known."""
    line = search.line[depth]
    line[MOVE] = move
    copy_state(search.boards[depth], search.boards[depth + 1])
    search.boards[depth + 1, search.cell_of[move]] = line[MOVER]
    search.line[depth + 1, MOVER] = 3 - line[MOVER]
    return enter(search, depth + 1)


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def learn(search: Search, depth: int) -> bool:
    """Update a position from a child with a known winner; return whether its own is known now."""
    line, child = search.line[depth], search.line[depth + 1]
    winner = child[WINNER]
    carrier = child[CARRIER] | child[CAPTURED + winner]
    if winner == line[MOVER]:
        line[WINNER] = winner
        line[CARRIER] = carrier | (1 << line[MOVE])
        store(search, depth)
        return True
    line[PROOF] |= carrier
    line[MUST] &= carrier
    return False


@kernel(types.boolean(SEARCH, types.int64), inner=True)
def expand(search: Search, depth: int) -> bool:
    """Try all moves; return whether the winner is known. Small must-play regions come first."""
    line, moves, sizes = search.line[depth], search.moves[depth], search.sizes
    count = 0
    for i in range(MOST_BITS):
        move = moves[i]
        if move < 0:
            break
        if (line[MUST] >> move) & 1 == 0:
            continue
        if try_move(search, depth, move):
            if learn(search, depth):
                return True
            continue
        size = size_of(search.line[depth + 1, MUST])
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
def advance(search: Search, nodes: int) -> bool:
    """Continue the search up to a total number of nodes; return whether the root's winner is known.

    It begins at depth -1, with the root's board and mover set.
    """
    counters = search.counters
    depth = counters[DEPTH]
    if depth < 0:
        depth = 0
        known = enter(search, 0) or expand(search, 0)
    else:
        known = False
    while True:
        line = search.line[depth]
        if known:
            if depth == 0:
                line[CARRIER] |= line[CAPTURED + line[WINNER]]
                counters[DEPTH] = -1
                return True
            depth -= 1
            known = learn(search, depth)
            continue
        if counters[NODES] >= nodes:
            counters[DEPTH] = depth
            return False
        move = search.moves[depth, line[NEXT]]
        while move >= 0 and (line[MUST] >> move) & 1 == 0:
            line[NEXT] += 1
            move = search.moves[depth, line[NEXT]]
        line[NEXT] += 1
        if move < 0:
            line[WINNER] = 3 - line[MOVER]
            line[CARRIER] = line[PROOF]
            store(search, depth)
            known = True
            continue
        known = try_move(search, depth, move)
        depth += 1
        known = known or expand(search, depth)
