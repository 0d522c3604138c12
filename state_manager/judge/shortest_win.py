"""The fewest moves in which a player of Hex can force a connection, where a small search finds it.

Depth-first and/or search for a win within k moves of the winner, k rising from 1. The search tries
only cells on paths that lack k stones at most, and of the loser's replies only those in the cells
that the win needs without a reply, and in those of each reply before (see ``and_or_search``).

Sets of cells are integers: bit ``row * (size + 1) + column``, so that a shift over the end of a row
ends in a column beside the board.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import chain
from operator import or_

from state_manager.errors import NodeLimitError
from state_manager.rules import State

_NODES_AT_ONCE = 64
"""Nodes between two checks of the clock: a few milliseconds."""


class ShortestWin:
    """Searches for the shortest win of ``winner`` in a position of Hex."""

    def __init__(
        self,
        state: State,
        size: int,
        winner: int,
        most_nodes: int,
        is_out_of_time: Callable[[], bool],
    ) -> None:
        """Search at most this number of nodes, or up to the end of the time."""
        self._size, self._row = size, size + 1
        self._is_out_of_time, self._left = is_out_of_time, most_nodes
        stones = [0, 0, 0]
        for cell, stone in enumerate(state[1 : 1 + size * size].tolist()):
            stones[stone] |= self._bit(cell)
        self._board = stones[0] | stones[1] | stones[2]
        self._own, self._theirs = stones[winner], stones[3 - winner]
        row, column = (1 << size) - 1, sum(1 << place * self._row for place in range(size))
        borders = [row, row << (size - 1) * self._row], [column, column << size - 1]
        self._borders, self._other_borders = borders[:: 1 if winner == 1 else -1]
        self._known: dict[tuple[int, int, int], int] = {}

    def wins(self) -> Iterator[int]:
        """Yield the winner's first moves of its shortest wins, if it moves; none if unknown."""
        found = False
        try:
            for most in range(1, self._size**2):
                paths = self._paths(self._own, self._theirs, self._borders, most)
                for cell in _bits(next(paths)):  # joins the borders
                    found = True
                    yield self._action(cell)
                for cell in () if found else chain(*map(_bits, paths)):
                    if self._carrier_after(cell, self._own, self._theirs, most):
                        found = True
                        yield self._action(cell)
                if found:
                    return
        except NodeLimitError:
            return

    def resistances(self, carrier: Iterable[int]) -> list[int]:
        """Return the loser's moves against which the shortest win takes longest, if it moves.

        Where that is unknown, those that no short win refutes. Of several, those in the carrier of
        a win, and then those on the loser's own shortest path.
        """
        left = longest = self._board & ~self._own & ~self._theirs
        try:
            for most in range(1, self._size**2):
                needed = self._carrier(self._own, self._theirs, most)
                untried = left = left & needed if needed else left
                while untried:
                    reply = untried & -untried
                    needed = self._carrier(self._own, self._theirs | reply, most)
                    untried &= ~reply
                    if needed:
                        left, untried = left & needed, untried & needed
                if not left:
                    break
                longest = left
        except NodeLimitError:
            longest = left or longest
        longest = longest & sum(map(self._bit, carrier)) or longest
        paths = self._paths(self._theirs, self._own, self._other_borders, self._size**2)
        own = next((cells & longest for cells in paths if cells & longest), longest)
        return [self._action(cell) for cell in _bits(own)]

    def _carrier(self, own: int, theirs: int, most: int) -> int:
        """Return the cells of a win within ``most`` moves if the winner moves, 0 without one."""
        key = own, theirs, most
        if key not in self._known:
            self._left -= 1
            if self._left < 0 or (self._left % _NODES_AT_ONCE == 0 and self._is_out_of_time()):
                raise NodeLimitError("expected a win that a small search finds")
            paths = self._paths(own, theirs, self._borders, most)
            joining = next(paths)
            found = (
                self._carrier_after(cell, own, theirs, most)
                for cells in paths
                for cell in _bits(cells)
            )
            self._known[key] = joining & -joining or next(filter(None, found), 0)
        return self._known[key]

    def _carrier_after(self, cell: int, own: int, theirs: int, most: int) -> int:
        """Return the cells of a win that begins with a move that does not join the borders."""
        own |= cell
        carrier = untried = self._carrier(own, theirs, most - 1)
        while untried:
            needed = self._carrier(own, theirs | (untried & -untried), most - 1)
            if not needed:
                return 0
            carrier |= needed
            untried &= needed
        return carrier and carrier | cell

    def _paths(self, own: int, theirs: int, borders: list[int], most: int) -> Iterator[int]:
        """Yield the cells whose shortest path between borders lacks 1, 2, ... ``most`` stones."""
        free = self._board & ~own & ~theirs
        first, last = (self._distances(own, free, border, most) for border in borders)
        seen = 0
        for length in range(most):
            pairs = zip(first[: length + 1], (*last, *[0] * most)[length::-1], strict=False)
            cells = reduce(or_, (one & other for one, other in pairs), 0) & ~seen
            yield cells
            seen |= cells

    def _distances(self, own: int, free: int, border: int, most: int) -> list[int]:
        """Return the free cells by the stones that a path from a border to them lacks, from 1."""
        found: list[int] = []
        near = (border | self._grown(self._flooded(border & own, own))) & free
        while near and len(found) < most:
            found.append(near)
            free &= ~near
            around = self._grown(near)
            near = (around | self._grown(self._flooded(around & own, own))) & free
        return found

    def _flooded(self, joined: int, own: int) -> int:
        """Return the stones that touch some of them, directly or through others."""
        while (more := self._grown(joined) & own | joined) != joined:
            joined = more
        return joined

    def _grown(self, cells: int) -> int:
        """Return the neighbours of cells, and places beside the board."""
        row = self._row
        near = cells << 1 | cells >> 1 | cells << row | cells >> row
        return near | cells << row - 1 | cells >> row - 1

    def _bit(self, cell: int) -> int:
        row, column = divmod(cell, self._size)
        return 1 << row * self._row + column

    def _action(self, bit: int) -> int:
        row, column = divmod(bit.bit_length() - 1, self._row)
        return row * self._size + column


def _bits(cells: int) -> Iterator[int]:
    """Yield the bits of a set one by one."""
    while cells:
        yield cells & -cells
        cells &= cells - 1
