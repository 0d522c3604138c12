"""The fewest moves in which a player of Hex can force a connection, where a search finds it."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from judge.and_or_search import MOST_BITS
from judge.attack import Attack, advance, new_attack, weigh
from state_manager.errors import NodeLimitError
from state_manager.rules import State

_TABLE_SIZE = 1 << 16
_NODES_AT_ONCE = 2000
"""Nodes between two checks of the clock: a few milliseconds."""


class ShortestWin:
    """Searches for the shortest win of ``winner``; ``moves`` are its moves, 0 while unknown."""

    def __init__(
        self, state: State, size: int, winner: int, is_out_of_time: Callable[[], bool]
    ) -> None:
        """Search up to the end of the time. A search has memory of its own: it repeats exactly."""
        self._board, self._size, self._winner = state[1 : 1 + size * size], size, winner
        self._cells = np.flatnonzero(self._board == 0)
        self._is_out_of_time, self.moves = is_out_of_time, 0
        self._lost_within, self._left = 0, 0
        self._attack = self._new_attack(winner, _TABLE_SIZE)

    def wins(self, nodes: int, among: Sequence[int] | None = None) -> Iterator[int]:
        """Yield the first moves of the shortest wins, if the winner moves; none if unknown.

        ``among`` has all winning moves, if they are known. A search goes on where it stopped
        before; at this many more nodes it ends, perhaps before all such moves are found.
        """
        self._left = nodes
        allowed = -1 if among is None else self._set_of(among)
        try:
            while not self._within(self._lost_within + 1, 0, allowed):
                self._lost_within += 1
            self.moves, untried = self._lost_within + 1, allowed & self._all
            first = 1 << int(self._attack.line[0].cell)
            yield from self._actions(first)
            for cell in _bits(untried & ~first):
                if self._within(self.moves, 0, cell):
                    yield from self._actions(cell)
        except NodeLimitError:
            return

    def resistances(self, nodes: int, carrier: Iterable[int]) -> list[int]:
        """Return the loser's moves against which the shortest win takes longest, if it moves.

        Where that is unknown, those that no short win refutes. Of several, those in the carrier of
        a win, and then those on the loser's own shortest path.
        """
        self._left = nodes
        left = longest = self._all
        try:
            for most in range(1, MOST_BITS):
                needed = self._within(most, 0)
                untried = left = left & needed if needed else left
                while untried and needed:  # without a reply there is no win: nor after any
                    reply = untried & -untried
                    untried ^= reply
                    if answer := self._within(most, reply):
                        left, untried = left & answer, untried & answer
                if not left:
                    self.moves = most
                    break
                longest = left
        except NodeLimitError:
            longest = left or longest
        longest = longest & self._set_of(carrier) or longest
        other = self._new_attack(3 - self._winner, 2)
        for most in range(1, MOST_BITS):
            weigh(other, 0, self._all, most)
            own = longest & self._set_of(self._cells[other.sums > 0].tolist())
            if own:
                longest = own
                break
        return self._actions(longest)

    def _within(self, most: int, theirs: int, allowed: int = -1) -> int:
        """Return the cells of a win within ``most`` moves if the winner moves, 0 without one."""
        attack, left, known = self._attack, self._left, False
        attack.line[0] = 0, theirs, most, allowed, 0, 0, 0, 0, 0
        attack.counters[0] = -1, 0
        while not known:
            if self._left <= 0 or self._is_out_of_time():
                raise NodeLimitError("expected a win that a short search finds")
            known = advance(attack, left - self._left + min(self._left, _NODES_AT_ONCE))
            self._left = left - int(attack.counters[0].nodes)
        return int(attack.line[0].win)

    def _new_attack(self, player: int, table_size: int) -> Attack:
        """Return memory in which a player's stones are joined to the cells around them."""
        down, right = np.divmod(np.arange(self._size**2), self._size)
        rows, columns = down[:, np.newaxis] - down, right[:, np.newaxis] - right
        touches = (abs(rows) <= 1) & (abs(columns) <= 1) & (rows != columns)
        place = down if player == 1 else right
        near = np.vstack([touches, place == 0, place == self._size - 1])
        for stone in np.flatnonzero(self._board == player):
            near[near[:, stone]] |= near[stone]
        near = near[np.r_[self._cells, -2, -1]][:, self._cells]
        np.fill_diagonal(near, False)
        return new_attack(near @ (1 << np.arange(len(self._cells))), table_size)

    def _set_of(self, actions: Iterable[int]) -> int:
        return sum(1 << int(np.searchsorted(self._cells, action)) for action in actions)

    def _actions(self, cells: int) -> list[int]:
        return [int(self._cells[cell.bit_length() - 1]) for cell in _bits(cells)]

    @property
    def _all(self) -> int:
        return (1 << len(self._cells)) - 1


def _bits(cells: int) -> Iterator[int]:
    while cells:
        yield cells & -cells
        cells &= cells - 1
