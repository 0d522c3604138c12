"""The winner of a Hex position by chains of bridges: found in microseconds, without a search.

A player's two *chains* grow from the borders. A *link* joins a group to a chain: two free cells
that both touch (a bridge), or the template of the third row. Links reserve their cells, so that
each intrusion has its own answer. A group in both chains wins though the opponent moves. A free
cell is a *key* if a stone on it would join the chains. So the mover wins with a key; the opponent
of a player with keys loses if no cell is needed by all of them. See docs/methods/solver.md.
"""

import numpy as np
from numba import types

from base.jit import kernel, scratch
from state_manager.rules import GOES_ON, INDICES, STATE, Indices, State, rule

FIRST, LAST = 1, 2
"""Bits of the borders; the board is turned so that the player joins the first row to the last."""
TEMPLATE = 8
_DOWN, _RIGHT = np.array([0, 1, 1, 1, 2, 2, 2, 2]), np.array([1, -1, 0, 1, -2, -1, 0, 1])
"""The cells that a stone on the third row before the last one needs; or their mirror image."""
_ROOM = 21 * 21
BOARD, GROUP, NEAR, STAMPS, NEEDED, BEGINS, JOINED, NEEDS, STONES = range(0, 9 * _ROOM, _ROOM)
GROUPS, STAMP, _LENGTH = 10 * _ROOM, 10 * _ROOM + 1, 10 * _ROOM + 2
"""Where the tables of ``chains`` begin: one vector, since several take longer to pass than to use.

For each cell of the board with its rim, BOARD: 0 free, 1 or 2 a stone, 3 reserved or the rim;
GROUP: a stone's group, from 1; NEAR: the bits of the chains that touch a free cell; STAMPS: its
last mark; NEEDED: how many keys need it. For each group, BEGINS: its place in STONES; JOINED: the
bit of the chain that has it. NEEDS: the cells of links. STONES: the player's, group by group, then
those of a key and its groups. GROUPS: the number of groups. STAMP: the current mark.
"""


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


@kernel(types.void(STATE, types.int64, INDICES, types.int64), inner=True)
def set_out(state: State, player: int, chains: Indices, step: int) -> None:
    """Write a player's board and groups to ``chains``; rows are ``step`` places apart."""
    size, count, groups = step - 2, 0, 0
    for place in range(step * step):
        chains[BOARD + place] = 3
        chains[GROUP + place] = chains[NEAR + place] = 0
        chains[STAMPS + place] = chains[NEEDED + place] = 0
    for i in range(size * size):
        turned = i if player == 1 else i % size * size + i // size
        chains[BOARD + (i // size + 1) * step + i % size + 1] = int(state[1 + turned])
    for cell in range(step, step * (size + 1)):
        if chains[BOARD + cell] != player or chains[GROUP + cell] != 0:
            continue
        groups += 1
        chains[BEGINS + groups], chains[JOINED + groups] = count, 0
        chains[GROUP + cell], chains[STONES + count] = groups, cell
        head, count = count, count + 1
        while head < count:
            for direction in range(6):
                near = chains[STONES + head] + neighbour_step(direction, step)
                if chains[BOARD + near] == player and chains[GROUP + near] == 0:
                    chains[GROUP + near], chains[STONES + count] = groups, near
                    count += 1
            head += 1
    chains[BEGINS + groups + 1], chains[GROUPS], chains[STAMP] = count, groups, 0
    for column in range(1, size + 1):
        chains[NEAR + step + column] |= FIRST
        chains[NEAR + size * step + column] |= LAST


@kernel(types.boolean(INDICES, *[types.int64] * 4), inner=True)
def has_template(chains: Indices, step: int, cell: int, border: int, needs: int) -> bool:
    """Write 8 unmarked free cells that join a cell of the third row to its border, if there are."""
    sign, row = (-1, 3) if border == FIRST else (1, step - 4)
    for image in range(2 if cell // step == row else 0):
        count = 0
        for i in range(TEMPLATE):
            right = sign * (_RIGHT[i] if image == 0 else -_RIGHT[i] - _DOWN[i])
            near = cell + sign * _DOWN[i] * step + right
            if 0 < cell % step + right < step - 1 and chains[BOARD + near] == 0:
                chains[NEEDS + needs + i] = near
                count += chains[STAMPS + near] != chains[STAMP]
        if count == TEMPLATE:
            return True
    return False


@kernel(types.int64(INDICES, *[types.int64] * 6), inlined=True, inner=True)
def find_link(
    chains: Indices, step: int, begin: int, end: int, border: int, avoided: int, needs: int
) -> int:
    """Write the cells of a link from a group to a border's chain, and mark them; return how many.

    The group's stones are from ``begin`` to ``end`` in STONES. The cells follow ``needs`` others in
    NEEDS. They have no mark yet, and touch no ``avoided`` chain. Any two cells of a bridge suffice.
    """
    links = 0
    for i in range(begin, end):
        for direction in range(6):
            near = chains[STONES + i] + neighbour_step(direction, step)
            is_free = chains[BOARD + near] == 0 and chains[STAMPS + near] != chains[STAMP]
            if is_free and chains[NEAR + near] & (border | avoided) == border:
                chains[STAMPS + near] = chains[STAMP]
                chains[NEEDS + needs + links] = near
                links += 1
    if links == 1:
        chains[STAMPS + chains[NEEDS + needs]] = links = 0
    for i in range(begin, end):
        if links == 0 and has_template(chains, step, chains[STONES + i], border, needs):
            links = TEMPLATE
            for j in range(needs, needs + links):
                chains[STAMPS + chains[NEEDS + j]] = chains[STAMP]
    return links


@kernel(types.boolean(INDICES, types.int64, types.int64), inner=True)
def grow(chains: Indices, step: int, border: int) -> bool:
    """Grow the chain of a border; return whether it takes in a group of the other chain."""
    edge = 1 if border == FIRST else step - 2
    changed = True
    while changed:
        changed = False
        for group in range(1, chains[GROUPS] + 1):
            begin, end = chains[BEGINS + group], chains[BEGINS + group + 1]
            touches = chains[JOINED + group] == border
            if touches:
                continue
            for i in range(begin, end):
                touches |= chains[STONES + i] // step == edge
            if not touches:
                chains[STAMP] += 1
                needs = find_link(chains, step, begin, end, border, 0, 0)
                if needs == 0:
                    continue
                for i in range(2 if needs < TEMPLATE else needs):
                    chains[BOARD + chains[NEEDS + i]] = 3
            if chains[JOINED + group] != 0:
                return True
            chains[JOINED + group], changed = border, True
            for i in range(begin, end):
                for direction in range(6):
                    chains[NEAR + chains[STONES + i] + neighbour_step(direction, step)] |= border
    return False


@kernel(types.boolean(INDICES, types.int64, types.int64), inner=True)
def is_key(chains: Indices, step: int, cell: int) -> bool:
    """Return whether a stone on a free cell joins the chains; count the cells that it needs."""
    chains[STAMP] += 1
    chains[STAMPS + cell] = chains[STAMP]
    begin, touched = chains[BEGINS + chains[GROUPS] + 1], chains[NEAR + cell]
    end, needs = begin + 1, 1
    chains[STONES + begin] = chains[NEEDS] = cell
    for direction in range(6):
        group = chains[GROUP + cell + neighbour_step(direction, step)]
        if group == 0 or chains[JOINED + group] != 0:
            continue
        for i in range(chains[BEGINS + group], chains[BEGINS + group + 1]):
            stone = chains[STONES + i]
            if chains[STAMPS + stone] != chains[STAMP]:
                chains[STAMPS + stone] = chains[STAMP]
                chains[STONES + end] = stone
                end += 1
    for border in range(FIRST, LAST + 1):
        if touched & border == 0:
            # A cell that touches both chains cannot serve both links.
            avoided = 0 if touched else 3 - border
            links = find_link(chains, step, begin, end, border, avoided, needs)
            if links == 0:
                return False
            needs += links if links in (2, TEMPLATE) else 0
    for i in range(needs):
        chains[NEEDED + chains[NEEDS + i]] += 1
    return True


@kernel(types.boolean(STATE, types.int64, INDICES), inner=True)
def wins(state: State, player: int, chains: Indices) -> bool:
    """Return whether chains prove that a player wins."""
    step, keys, most = int(state[-1]) + 2, 0, 0
    set_out(state, player, chains, step)
    if grow(chains, step, FIRST) or grow(chains, step, LAST):
        return True
    for cell in range(step, step * (step - 1)):
        if chains[BOARD + cell] == 0 and is_key(chains, step, cell):
            if player == state[0]:
                return True
            keys += 1
    for cell in range(step, step * (step - 1)):
        most = max(most, chains[NEEDED + cell])
    return most < keys


@rule
def proven_winner(state: State) -> int:
    """Return the player who wins by chains, if any; see above."""
    chains, mover = scratch(_LENGTH), int(state[0])
    if wins(state, mover, chains):
        return mover
    return 3 - mover if wins(state, 3 - mover, chains) else GOES_ON
