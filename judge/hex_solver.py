"""The exact judge of Hex: the Python interface of the compiled search."""

import json
import time
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from base.jit import make_ready
from judge.and_or_search import MOST_BITS, AndOrSearch, advance, new_search
from judge.attack import advance as search_win
from judge.attack import weigh as path_sums
from judge.exhaustive import Solver
from judge.shortest_win import ShortestWin
from state_manager.errors import NodeLimitError
from state_manager.rules import GOES_ON, Indices, State
from state_manager.state_manager import StateManager

OPENINGS = Path(__file__).with_name("openings.json")
"""For each board size, the first moves with which player 1 wins."""
_TABLE_SIZE = 1 << 17
"""Cached results, a power of two: 4 MB."""
_WHOLE_BOARD = 49
"""Boards of up to this many cells have a bit for each cell, so all positions share one table."""
_WHOLE_GAME = 6
"""On boards up to this size, every position is decided in seconds."""
_SHORT_NODES = 100_000
"""Nodes of the search for the shortest win: 0.5 s at most, with the judge between them."""
_NODES_AT_ONCE = 20
"""Nodes between two checks of the clock and of Ctrl-C, and up to 60 more: 5 to 30 ms."""


class HexSolver(Solver):
    """Solves positions of Hex with at most 62 empty cells; see ``Judge`` for the methods."""

    def __init__(self, game: StateManager, node_limit: int, table_size: int = _TABLE_SIZE) -> None:
        """See ``Judge``."""
        super().__init__(game, node_limit)
        self.table_size = table_size
        self.size = game.board_shape[0]
        self._search: AndOrSearch | None = None
        self._outside = np.zeros(0, np.int8)
        make_ready(advance, search_win, path_sums, *game.rules)  # before a clock runs

    def check_whole_game(self) -> None:
        """See ``Judge``; on 7x7, the best replies to one stone can take minutes."""
        if self.size > _WHOLE_GAME:
            raise NodeLimitError(
                f"exact play: expected a size of {_WHOLE_GAME} at most, got {self.game!r}"
            )

    def remember_from(self, state: State) -> None:
        """See ``Judge.remember_from``."""
        self._memory_for(state)

    def outcome(self, state: State, seconds: float | None = None) -> int:
        """Return the winner under perfect play; see ``Judge.winner``."""
        self.begin(seconds)
        return self._winner(state)

    def best_actions(self, state: State, seconds: float | None = None) -> set[int]:
        """Return the winning actions, or all legal actions in a lost position."""
        self.begin(seconds)
        return set(self._winning_actions(state)) or set(self.game.legal_actions(state).tolist())

    def sharpest_actions(self, state: State, seconds: float | None = None) -> set[int]:
        """See ``Judge.sharpest_actions``."""
        return set(self._sharpest(state, seconds)[0])

    def best_action(self, state: State, seconds: float | None = None) -> int:
        """Return one of the sharpest actions."""
        return self._sharpest(state, seconds, wants_all=False)[0][0]

    def plies_left(self, state: State, seconds: float | None = None) -> int:
        """See ``Judge.plies_left``."""
        return self._sharpest(state, seconds, wants_all=False)[1]

    def _sharpest(
        self, state: State, seconds: float | None, wants_all: bool = True
    ) -> tuple[list[int], int]:
        """Return the sharpest actions, or some, and the plies to the end; 0 if unknown."""
        self.begin(seconds)
        self._memory_for(state)  # if not too many cells are empty
        winner, now = self._winner(state), time.monotonic()
        half = now + (self._stop - now) / 2  # the rest is for the winning actions
        search = ShortestWin(state, self.size, winner, lambda: self.is_out_of_time(half))
        if winner != state[0]:
            carrier = self.solve(state)[1].tolist()
            return search.resistances(_SHORT_NODES, carrier), 2 * search.moves
        most = None if wants_all else 1
        found = list(islice(search.wins(_SHORT_NODES // 2), most))
        if not found:
            winning = list[int]()
            try:
                for action in self._winning_actions(state):
                    winning.append(action)
            except NodeLimitError:
                if wants_all or not winning:
                    raise
                return winning, 0
            found = list(islice(search.wins(_SHORT_NODES // 2, winning), most)) or winning
        return found, max(0, 2 * search.moves - 1)

    def _winner(self, state: State) -> int:
        if known := self.game.winner(state):
            return known
        stones = np.flatnonzero(state[1 : 1 + self.size**2])
        mover = int(state[0])
        if len(stones) == 0:
            return mover  # strategy stealing: an extra stone never harms
        if len(stones) == 1 and self._openings:
            cell = int(stones[0])
            opener = int(state[1 + cell])
            if opener != mover:
                return opener if self._as_player_1(opener, cell) in self._openings else mover
        return self.solve(state)[0]

    def _winning_actions(self, state: State) -> Iterator[int]:
        mover, cells = int(state[0]), state[1 : 1 + self.size**2]
        if self.game.winner(state):
            return
        if not cells.any() and self._openings:
            yield from (self._as_player_1(mover, cell) for cell in self._openings)
            return
        winner, carrier = self.solve(state)
        if winner != mover:
            return
        # The first actions are most likely to win; each refutation excludes many others.
        left = np.concatenate([carrier, np.setdiff1d(np.flatnonzero(cells == 0), carrier)])
        while len(left):
            action, left = int(left[0]), left[1:]
            child = self.game.child_state(state, action)
            winner = self.game.winner(child)
            if winner == GOES_ON:
                winner, carrier = self.solve(child)
                if winner != mover:
                    left = left[np.isin(left, carrier)]
            if winner == mover:
                yield action

    def _as_player_1(self, player: int, cell: int) -> int:
        """Return the cell for player 1 that corresponds to the player's cell, or the reverse."""
        row, column = divmod(cell, self.size)
        return cell if player == 1 else column * self.size + row

    @cached_property
    def _openings(self) -> list[int]:
        names = json.loads(OPENINGS.read_text()).get(str(self.size), "").split()
        return sorted(self.game.parse_action(name) for name in names)

    def solve(self, state: State) -> tuple[int, Indices]:
        """Return the winner of a position that is not final, and the actions of its carrier."""
        search = self._memory_for(state)
        search.boards[0] = self._with_rim(state)
        search.line[0].mover = state[0]
        search.counters[0] = -1, 0
        known = False
        while not known:
            left = self.limit - self.used
            before = int(search.counters[0].nodes)
            if left <= 0 or self.is_out_of_time():
                raise NodeLimitError(
                    f"exact judge: expected a position that {self.limit:,} nodes decide, "
                    f"stopped after {self.used:,} in\n{self.game.text(state)}"
                )
            known = advance(search, before + min(left, _NODES_AT_ONCE))
            self.used += int(search.counters[0].nodes) - before
        carrier = int(search.line[0].carrier)
        bits = [bit for bit in range(len(search.cell_of)) if carrier >> bit & 1]
        rows, columns = np.divmod(search.cell_of[bits], self.size + 2)
        return int(search.line[0].winner), (rows - 1) * self.size + columns - 1

    def _with_rim(self, state: State) -> State:
        """Return the board with a rim of stones, row by row: the players' borders."""
        board = np.ones((self.size + 2, self.size + 2), np.int8)
        board[1:-1, [0, -1]] = 2
        board[1:-1, 1:-1] = state[1 : 1 + self.size**2].reshape(self.size, self.size)
        return board.reshape(-1)

    def _memory_for(self, state: State) -> AndOrSearch:
        """Return memory with a bit for each empty cell; reuse the last if possible."""
        outside = self._with_rim(state)
        empty = outside == 0
        if self._search is not None:
            outside[self._search.cell_of] = 0
            if np.array_equal(outside, self._outside):
                return self._search
        inside = np.zeros((self.size + 2, self.size + 2), np.bool_)
        inside[1:-1, 1:-1] = self.size**2 <= _WHOLE_BOARD
        cell_of = np.flatnonzero(inside.reshape(-1) | empty)
        if len(cell_of) > MOST_BITS:
            raise NodeLimitError(
                f"exact judge: expected {MOST_BITS} empty cells at most, got {len(cell_of)}"
            )
        self._search = new_search(self.size, cell_of, self.table_size)
        self._outside = self._with_rim(state)
        self._outside[cell_of] = 0
        return self._search


class SwapSolver(HexSolver):
    """Solves positions of Hex with the swap: the player who may swap wins, as none is drawn."""

    def __init__(self, game: StateManager, node_limit: int) -> None:
        """See ``Judge``."""
        super().__init__(game.without_swap, node_limit)
        self._with_swap = game

    def remember_from(self, state: State) -> None:
        """See ``HexSolver``."""
        super().remember_from(self._with_swap.states_without_swap(state))

    def outcome(self, state: State, seconds: float | None = None) -> int:
        """See ``HexSolver``."""
        mover, moves = int(state[0]), int(state[1 + self.size**2])  # until the swap is over
        if moves > 0:
            return mover if moves == 1 else 3 - mover
        return super().outcome(self._with_swap.states_without_swap(state), seconds)

    def best_actions(self, state: State, seconds: float | None = None) -> set[int]:
        """See ``HexSolver``."""
        plain, moves = self._with_swap.states_without_swap(state), int(state[1 + self.size**2])
        if moves == 2:
            return set(range(self.size**2))
        if moves == 1 and super().outcome(plain, seconds) != state[0]:
            return {self.size**2}
        return super().best_actions(plain, seconds)

    def _sharpest(
        self, state: State, seconds: float | None, wants_all: bool = True
    ) -> tuple[list[int], int]:
        plain, moves = self._with_swap.states_without_swap(state), int(state[1 + self.size**2])
        if moves == 0 or (moves == 1 and super().outcome(plain, seconds) == state[0]):
            return super()._sharpest(plain, seconds, wants_all)  # the swap would lose
        return sorted(self.best_actions(state, seconds)), 0
