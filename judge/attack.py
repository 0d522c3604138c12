"""The compiled search for a win of Hex within a number of moves: the and/or search of ``Attack``.

The winner moves; it wins within k moves if after one of its moves and every reply it wins within
k - 1. Its win needs only some cells, so replies elsewhere need no search. A path is a set of cells
with which the winner joins its borders. The loser can occupy a cell of each path of k cells at most
if, before its move, the sum of 2 ** -cells over these paths is below 1 (Erdos & Selfridge 1973);
so only moves that keep it at 1 are tried. Moves and replies come in order of that sum over the
paths through them.

Sets of cells are integers; letters: B cells with a bit, D depth, T rows of the table.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from judge.and_or_search import COUNTERS, MOST_BITS
from state_manager.rules import INDICES, Indices

POSITION = np.dtype(
    [
        ("own", np.int64),  # the winner's stones that the search has put
        ("theirs", np.int64),  # the loser's
        ("most", np.int64),  # within how many moves to win
        ("allowed", np.int64),  # the first moves
        ("win", np.int64),  # the cells of such a win, 0 without one, once known
        ("cell", np.int64),  # the move that is tried, -1 before the next one
        ("carrier", np.int64),  # the cells of the wins after it so far
        ("untried", np.int64),  # the replies to it that they do not refute
        ("tried", np.int64),  # the number of moves tried
    ],
)
"""A position on the current line, in which the winner moves."""
RESULT = np.dtype(
    [
        ("own", np.int64),
        ("theirs", np.int64),
        ("win", np.int64),  # the cells of the shortest known win
        ("won", np.int32),  # its number of moves, or 0
        ("lost", np.int32),  # the most moves within which there is no win
    ],
)
_PRIME = 67
"""The powers of 2 up to 2 ** 65 are different modulo this prime."""


class Attack(NamedTuple):
    """The whole state of the search of one player's wins; it can stop and resume at any node."""

    # [D, B + 2], each cell's neighbours, also through own stones, and those of the two borders
    near: NDArray[np.int64]
    line: Any  # [D], a record array of ``POSITION``
    moves: NDArray[np.int64]  # [D, B + 1], the moves of each in order of trial, then -1
    replies: NDArray[np.float64]  # [D, B], the sums of the replies to the current move of each
    counters: Any  # [1], a record array of ``COUNTERS``
    table: Any  # [T], a record array of ``RESULT``
    zobrist: NDArray[np.int64]  # [2, B], random even numbers below T
    places: Indices  # [67], the bit's number of a power of 2, modulo 67
    paths: NDArray[np.float64]  # [2, MOST_BITS + 1, B], scratch memory of ``weigh``
    reached: NDArray[np.int64]  # [2, MOST_BITS + 1], the same
    sums: NDArray[np.float64]  # [B], the result of ``weigh``


def new_attack(start: Indices, table_size: int) -> Attack:
    """Return memory, with T = ``table_size``, a power of two; ``start`` is row 0 of ``near``."""
    count = len(start) - 2
    depth, places = count // 2 + 2, np.zeros(_PRIME, np.int64)
    for bit in range(MOST_BITS):
        places[(1 << bit) % _PRIME] = bit
    near = np.zeros((depth, count + 2), np.int64)
    near[0] = start
    return Attack(
        near,
        np.zeros(depth, POSITION).view(np.recarray),
        np.zeros((depth, count + 1), np.int64),
        np.zeros((depth, count)),
        np.zeros(1, COUNTERS).view(np.recarray),
        np.zeros(table_size, RESULT).view(np.recarray),
        np.random.default_rng(0).integers(0, table_size, (2, count)) & ~1,
        places,
        np.zeros((2, MOST_BITS + 1, count)),
        np.zeros((2, MOST_BITS + 1), np.int64),
        np.zeros(count),
    )


ATTACK = numba.typeof(new_attack(np.zeros(3, np.int64), 2))


@kernel(types.int64(INDICES, types.int64), inlined=True, inner=True)
def place_of(places: Indices, cell: int) -> int:
    """Return the number of a cell's bit."""
    return int(places[cell % _PRIME])


@kernel(types.void(INDICES, INDICES), inlined=True, inner=True)
def copy_near(source: Indices, target: Indices) -> None:
    """Copy the neighbours of all cells and borders; an assignment would allocate memory."""
    for place in range(len(source)):
        target[place] = source[place]


@kernel(types.void(INDICES, INDICES, types.int64), inner=True)
def put_stone(near: Indices, places: Indices, move: int) -> None:
    """Join the neighbours of a cell, which gets an own stone."""
    around = left = int(near[move])
    while left != 0:
        cell = left & -left
        left ^= cell
        place = place_of(places, cell)
        near[place] = (near[place] | around) & ~cell
    for border in range(len(near) - 2, len(near)):
        if (near[border] >> move) & 1:
            near[border] |= around


@kernel(types.void(ATTACK, types.int64, types.int64, types.int64, types.int64), inner=True)
def measure(attack: Attack, depth: int, free: int, most: int, border: int) -> None:
    """Write the cells from which paths to a border take 1, 2, ... ``most`` cells at most."""
    near, reached = attack.near[depth], attack.reached[border]
    seen = new = int(near[len(near) - 2 + border]) & free
    reached[0] = 0
    reached[1] = seen
    for length in range(2, most + 1):
        around = 0
        while new != 0:
            cell = new & -new
            new ^= cell
            around |= int(near[place_of(attack.places, cell)])
        new = around & free & ~seen
        seen |= new
        reached[length] = seen


@kernel(types.void(ATTACK, types.int64, types.int64, types.int64, types.int64), inner=True)
def count_paths(attack: Attack, depth: int, free: int, most: int, border: int) -> None:
    """Write for each length and cell the sum over paths from a border to it."""
    near, paths = attack.near[depth], attack.paths[border]
    other, places = attack.reached[1 - border], attack.places
    first = int(near[len(near) - 2 + border])
    last = int(near[len(near) - 1 - border])
    paths[1 : most + 1] = 0.0
    ends = first & other[most]
    left = ends
    while left != 0:
        cell = left & -left
        left ^= cell
        paths[1, place_of(places, cell)] = 0.5
    for length in range(2, most + 1):
        allowed = int(other[most - length + 1]) & free & ~first
        left, ends = ends & ~last, 0
        while left != 0:
            cell = left & -left
            left ^= cell
            place = place_of(places, cell)
            share = 0.5 * paths[length - 1, place]
            following = int(near[place]) & allowed
            ends |= following
            while following != 0:
                cell = following & -following
                following ^= cell
                paths[length, place_of(places, cell)] += share


@kernel(types.float64(ATTACK, types.int64, types.int64, types.int64))
def weigh(attack: Attack, depth: int, free: int, most: int) -> float:
    """Return the sum of 2 ** -cells over paths of ``most`` cells; write that of each cell."""
    measure(attack, depth, free, most, 0)
    measure(attack, depth, free, most, 1)
    sums, total = attack.sums, 0.0
    sums[:] = 0.0
    if attack.reached[0, 1] & attack.reached[1, most] == 0:
        return total
    count_paths(attack, depth, free, most, 0)
    count_paths(attack, depth, free, most, 1)
    one, other = attack.paths[0], attack.paths[1]
    last = int(attack.near[depth, len(sums) + 1])
    left = int(attack.reached[0, most]) & int(attack.reached[1, most])
    while left != 0:
        cell = left & -left
        left ^= cell
        place = place_of(attack.places, cell)
        until = 0.0
        for length in range(most, 0, -1):
            until += other[most - length + 1, place]
            sums[place] += 2.0 * one[length, place] * until
        if last & cell:
            for length in range(1, most + 1):
                total += one[length, place]
    return total


@kernel(types.int64(ATTACK, types.int64), inner=True)
def first_row(attack: Attack, depth: int) -> int:
    """Return the first of a position's two rows of the table."""
    row, line = 0, attack.line[depth]
    stones = int(line.own), int(line.theirs)
    for colour in range(2):
        left = stones[colour]
        while left != 0:
            cell = left & -left
            left ^= cell
            row ^= int(attack.zobrist[colour, place_of(attack.places, cell)])
    return row


@kernel(types.boolean(ATTACK, types.int64), inner=True)
def look_up(attack: Attack, depth: int) -> bool:
    """Copy a position's result from the table, if it is there; for a root return ``False``."""
    if depth == 0:
        return False
    line, table, first = attack.line[depth], attack.table, first_row(attack, depth)
    for row in range(first, first + 2):
        result = table[row]
        if result.own == line.own and result.theirs == line.theirs:
            if 0 < result.won <= line.most:
                line.win = result.win
                return True
            if result.lost >= line.most:
                line.win = 0
                return True
    return False


@kernel(types.void(ATTACK, types.int64), inner=True)
def store(attack: Attack, depth: int) -> None:
    """Put a result into the table: in the first row if it is about no fewer moves. No root's."""
    if depth == 0:
        return
    line, table, row = attack.line[depth], attack.table, first_row(attack, depth)
    own, theirs, most, win = int(line.own), int(line.theirs), int(line.most), int(line.win)
    for each in range(row, row + 2):
        if table[each].own == own and table[each].theirs == theirs:
            row = each
            break
    else:
        if max(table[row].won, table[row].lost) > most:
            row += 1
        table[row].own, table[row].theirs = own, theirs
        table[row].win = table[row].won = table[row].lost = 0
    if win != 0:
        table[row].win, table[row].won = win, most
    else:
        table[row].lost = max(table[row].lost, most)


@kernel(types.boolean(ATTACK, types.int64), inner=True)
def enter(attack: Attack, depth: int) -> bool:
    """Enter a position; return whether its result is known, else list its moves."""
    line, near, moves = attack.line[depth], attack.near[depth], attack.moves[depth]
    count, most = len(moves) - 1, int(line.most)
    attack.counters[0].nodes += 1
    free = ((1 << count) - 1) & ~(int(line.own) | int(line.theirs))
    joining = int(near[count]) & int(near[count + 1]) & free & int(line.allowed)
    line.win = joining & -joining
    line.cell = place_of(attack.places, int(line.win))
    if joining != 0 or most <= 1 or look_up(attack, depth):
        return True
    total, sums = weigh(attack, depth, free, most), attack.sums
    listed = 0
    for move in range(count):
        allowed = (int(line.allowed) >> move) & 1 and sums[move] > 0.0
        if allowed and total + sums[move] >= 1.0:
            place = listed
            while place > 0 and sums[moves[place - 1]] < sums[move]:
                moves[place] = moves[place - 1]
                place -= 1
            moves[place] = move
            listed += 1
    moves[listed] = -1
    line.tried = 0
    line.cell = -1
    return False


@kernel(types.boolean(ATTACK, types.int64), inner=True)
def try_next(attack: Attack, depth: int) -> bool:
    """Make the next move of a position and weigh the replies; return whether there is one."""
    line, move = attack.line[depth], int(attack.moves[depth, attack.line[depth].tried])
    line.tried += 1
    line.cell = move
    if move < 0:
        return False
    copy_near(attack.near[depth], attack.near[depth + 1])
    put_stone(attack.near[depth + 1], attack.places, move)
    count = len(attack.sums)
    own = int(line.own) | (1 << move)
    weigh(attack, depth + 1, ((1 << count) - 1) & ~(own | int(line.theirs)), int(line.most) - 1)
    line.carrier = 1 << move
    line.untried = 0
    for reply in range(count):
        attack.replies[depth, reply] = attack.sums[reply]
        if attack.sums[reply] > 0.0:
            line.untried |= 1 << reply
    return True


@kernel(types.boolean(ATTACK, types.int64))
def advance(attack: Attack, nodes: int) -> bool:
    """Search up to a number of nodes, from depth -1 on; return whether the result is known."""
    counters = attack.counters[0]
    depth = int(counters.depth)
    if depth < 0:
        depth = 0
        known = enter(attack, 0)
    else:
        known = False
    while True:
        if known:
            if depth == 0:
                counters.depth = -1
                return True
            needed = int(attack.line[depth].win)
            depth -= 1
            line = attack.line[depth]
            line.carrier |= needed
            line.untried &= needed
            if needed == 0:
                line.cell = -1
                known = False
            else:
                known = line.untried == 0
                if known:
                    line.win = line.carrier
                    store(attack, depth)
            continue
        if counters.nodes >= nodes:
            counters.depth = depth
            return False
        line = attack.line[depth]
        if line.cell < 0 and not try_next(attack, depth):
            line.win = 0
            store(attack, depth)
            known = True
            continue
        best, most = -1, 0.0
        left = int(line.untried)
        while left != 0:
            cell = left & -left
            left ^= cell
            place = place_of(attack.places, cell)
            if attack.replies[depth, place] > most:
                best, most = place, attack.replies[depth, place]
        if best < 0:
            line.cell = -1
            continue
        child = attack.line[depth + 1]
        child.own = line.own | (1 << int(line.cell))
        child.theirs = line.theirs | (1 << best)
        child.most = line.most - 1
        child.allowed = -1
        depth += 1
        known = enter(attack, depth)
