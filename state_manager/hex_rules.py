"""Hex: the compiled rules.

Layout of a state on a k x k board, with C = k * k cells::

    0                  the player to move, 1 or 2
    1 .. C             the cells, row by row: 0 empty, 1 red, 2 black
    C+1 .. C+(k+2)^2   the same board with a rim around it, row by row: 0 empty, else a code
    C+(k+2)^2 + 1      k

Player 1 joins the first row to the last, player 2 the first column to the last. The code of a stone
holds its owner and the owner's borders that its group touches; the rim holds the borders as codes
without a stone. A group that touches both borders of its owner has won. A change of the bits is
flooded through the group, so no move needs a search for a path.
"""

import numpy as np
from numba import types

from base.jit import kernel, scratch
from state_manager.rules import (
    GOES_ON,
    INDICES,
    STATE,
    Indices,
    State,
    piece_features,
    rule,
    unsigned,
)

FIRST_BORDER, LAST_BORDER, BOTH_BORDERS = 1, 2, 3
"""Bits of a code for player 1; player 2's are the same, two places higher."""
STONE = 16
"""Bit of a code for a stone of player 1; player 2's is twice that."""

_MOST_ROWS = 16
_MOST_CELLS = 256
_BITS_A_DRAW = 52
_ONE_DRAW = 2.0**_BITS_A_DRAW


@rule
def legal_actions(state: State, actions_out: Indices) -> int:
    """List the empty cells; action ``row * k + column`` puts a stone there."""
    size = int(state[-1])
    count = 0
    for cell in range(size * size):
        # Always written but counted only if legal: no branch to predict.
        actions_out[count] = cell
        count += state[1 + cell] == 0
    return count


@kernel(types.int64(STATE, types.int64), inner=True)
def rim_place(state: State, action: int) -> int:
    """Return the index of a cell's code in a state."""
    size = int(state[-1])
    step = size + 2
    return len(state) - 1 - step * step + step * (action // size + 1) + action % size + 1


@kernel(types.void(STATE, types.int64, types.int64, types.int64), inner=True)
def spread(state: State, place: int, code: int, step: int) -> None:
    """Set the code of a stone and its group; ``step`` is the distance between rows."""
    state[place] = code
    stone = code & (STONE | 2 * STONE)
    for near in (
        place - step,
        place - step + 1,
        place + 1,
        place + step,
        place + step - 1,
        place - 1,
    ):
        if int(state[near]) & stone and int(state[near]) != code:
            spread(state, near, code, step)


@rule
def play(state: State, action: int) -> int:
    """Put the mover's stone on cell ``action``."""
    size = int(state[-1])
    step = size + 2
    place = rim_place(state, action)
    player = int(state[0])
    state[0] = 3 - player
    state[1 + action] = player
    near_0, near_1 = int(state[place - step]), int(state[place - step + 1])
    near_2, near_3 = int(state[place + 1]), int(state[place + step])
    near_4, near_5 = int(state[place + step - 1]), int(state[place - 1])
    shift = 2 * player - 2
    stone = STONE * player
    borders = near_0 | near_1 | near_2 | near_3 | near_4 | near_5
    borders &= BOTH_BORDERS << shift
    code = stone | borders
    state[place] = code
    # No branches: in random play they are mispredicted.
    lacking = (near_0 & stone != 0) & (near_0 != code)
    lacking |= (near_1 & stone != 0) & (near_1 != code)
    lacking |= (near_2 & stone != 0) & (near_2 != code)
    lacking |= (near_3 & stone != 0) & (near_3 != code)
    lacking |= (near_4 & stone != 0) & (near_4 != code)
    lacking |= (near_5 & stone != 0) & (near_5 != code)
    if lacking:
        spread(state, place, code, step)
    return player if borders == BOTH_BORDERS << shift else GOES_ON


@kernel(types.void(types.int8[:, ::1], types.int8[:, ::1]))
def set_up(flat: State, states: State) -> None:
    """Put the stones of flat forms, `[B, 1 + C]`, on empty boards, `[B, S]`, changed in place."""
    for row in range(len(flat)):
        for cell in range(flat.shape[1] - 1):
            if flat[row, 1 + cell] != 0:
                states[row, 0] = flat[row, 1 + cell]
                play(states[row], cell)
        states[row, 0] = flat[row, 0]


@rule
def active_features(state: State, indices_out: Indices) -> int:
    """List the ones of the input: the mover (2 features), red stones (C), black stones (C)."""
    return piece_features(state, int(state[-1]) ** 2, indices_out)


@kernel(types.int8(STATE, types.uint64, types.uint64), inlined=True, inner=True)
def around(state: State, place: int, step: int) -> int:
    """Return the bitwise or of the codes around a place."""
    one = unsigned(1)
    near = state[place - step] | state[place - step + one] | state[place + one]
    near |= state[place + step] | state[place + step - one] | state[place - one]
    return int(near)


@rule
def winning_actions(state: State, player: int, actions_out: Indices) -> int:
    """List the empty cells whose neighbours touch both of the player's borders."""
    size = int(state[-1])
    step, first = size + 2, rim_place(state, 0)
    both = np.int8(BOTH_BORDERS << (2 * player - 2))
    # Mostly none; a vectorized pass over the board with its rim finds that sooner.
    any_win = False
    for place in range(unsigned(first), unsigned(first + size * step - 2)):
        any_win |= (around(state, place, step) & both == both) & (state[place] == 0)
    if not any_win:
        return 0
    count = 0
    for cell in range(size * size):
        near = around(state, rim_place(state, cell), step)
        actions_out[count] = cell
        count += (near & both == both) & (state[1 + cell] == 0)
    return count


@kernel(types.int64(types.int64, types.int64))
def fill_runs(seeds: int, cells: int) -> int:
    """Return the runs of ones in ``cells`` that hold a seed; ``seeds`` is a subset of ``cells``.

    Towards the high bits an addition carries each seed to the end of its run; towards the low
    bits four doubling steps do the same, enough for runs of 16.
    """
    filled = (cells & (cells ^ (cells + seeds))) | seeds
    filled |= cells & (filled >> 1)
    cells &= cells >> 1
    filled |= cells & (filled >> 2)
    cells &= cells >> 2
    filled |= cells & (filled >> 4)
    cells &= cells >> 4
    filled |= cells & (filled >> 8)
    return filled


@kernel(types.boolean(INDICES, INDICES, types.int64))
def rows_are_joined(red: Indices, reached: Indices, size: int) -> bool:
    """Return whether red joins the first row to the last; bit c of ``red[r]`` is cell (r, c).

    A flood from row 0, in sweeps down and up the board; ``reached`` (`[k]`) is scratch memory.
    """
    reached[0] = red[0]
    for row in range(1, size):
        reached[row] = 0
    changed = True
    while changed:
        changed = False
        for row in range(1, size):
            above = reached[row - 1]
            seeds = (above | (above >> 1)) & red[row] & ~reached[row]
            if seeds != 0:
                reached[row] = fill_runs(seeds | reached[row], red[row])
                changed = True
        if reached[size - 1] != 0:
            return True
        if not changed:
            return False
        changed = False
        for row in range(size - 2, -1, -1):
            below = reached[row + 1]
            seeds = (below | (below << 1)) & red[row] & ~reached[row]
            if seeds != 0:
                reached[row] = fill_runs(seeds | reached[row], red[row])
                changed = True
    return False


@rule
def uniform_rollout(state: State, rng: np.random.Generator) -> int:
    """Return the winner of uniformly random play, by filling the whole board at once.

    The winner of a full board is the winner of the game that filled it, so the order of the moves
    does not matter: the mover gets a uniformly random half of the empty cells, rounded up. Each
    empty cell first gets a fair bit; then random cells of the colour with too many change their
    colour. Both steps treat all cells alike, so every subset of that size is equally likely.
    """
    size = int(state[-1])
    # No branches to predict in either loop.
    red, reached, empty = scratch(_MOST_ROWS), scratch(_MOST_ROWS), scratch(_MOST_CELLS)
    empty_count = surplus = bits = bits_left = 0
    for row in range(size):
        mask = 0
        for column in range(size):
            stone = int(state[1 + row * size + column])
            is_empty = 1 if stone == 0 else 0
            if is_empty and bits_left == 0:
                bits = int(rng.random() * _ONE_DRAW)
                bits_left = _BITS_A_DRAW
            bit = bits & is_empty
            mask |= (bit | (stone & 1)) << column
            surplus += bit
            bits >>= is_empty
            bits_left -= is_empty
            empty[empty_count] = row * _MOST_ROWS + column
            empty_count += is_empty
        red[row] = mask
    surplus -= (empty_count + 1) // 2 if int(state[0]) == 1 else empty_count // 2
    too_many, step = (1, 1) if surplus > 0 else (0, -1)
    while surplus != 0:
        place = empty[int(rng.random() * empty_count)]
        row, column = place // _MOST_ROWS, place % _MOST_ROWS
        changes = 1 if (red[row] >> column) & 1 == too_many else 0
        red[row] ^= changes << column
        surplus -= changes * step
    return 1 if rows_are_joined(red, reached, size) else 2
