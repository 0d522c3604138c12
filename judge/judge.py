"""``Judge``: the winner under perfect play, and the best moves."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from judge.exhaustive import ExactPlay
from judge.hex_solver import HexSolver, SwapSolver
from state_manager.rules import Indices, State
from state_manager.state_manager import StateManager

NODES = 500_000
"""Limit of nodes per query: a minute in Hex, some seconds in other games."""
_SOLVERS: dict[tuple[str, bool], type[HexSolver] | type[ExactPlay]]
_SOLVERS = {("hex", False): HexSolver, ("hex", True): SwapSolver}
"""By the name of a game and whether it has the swap; the others are searched exhaustively."""


class Judge:
    """Outcomes under perfect play, always exact.

    Hex has its own search (docs/methods/judge.md); other games are solved by exhaustive search of
    the relevant positions. Results are cached for later queries, from any thread. Queries take any
    state of the game unless said otherwise, and a time limit in seconds. They raise
    ``NodeLimitError`` at the limit of nodes or time, or if the game is too large, and
    ``StateError`` if this is not a state of the game.
    """

    def __init__(self, game: StateManager, node_limit: int = NODES) -> None:
        """Judge positions of ``game``, with at most ``node_limit`` nodes per query."""
        self.game = game
        self._lock = threading.RLock()
        solver = _SOLVERS.get((game.name, game.swap_action is not None), ExactPlay)
        self._solver = solver(game, node_limit)

    @contextmanager
    def until(self, stopped: Callable[[], bool]) -> Iterator[None]:
        """Let ``stopped`` end this thread's queries by ``NodeLimitError``; those of others wait."""
        with self._lock:
            before, self._solver.stopped = self._solver.stopped, stopped
            try:
                yield
            finally:
                self._solver.stopped = before

    def set_node_limit(self, nodes: int) -> None:
        """Set the limit of nodes per query."""
        self._solver.limit = nodes

    def remember_from(self, state: State) -> None:
        """Keep the results of all positions after a state, whichever is judged first.

        On Hex boards beyond 7x7, they are else lost where an earlier position is judged. Raises
        ``NodeLimitError`` if the state has too many empty cells.
        """
        with self._lock:
            if isinstance(self._solver, HexSolver):
                self._solver.remember_from(self.game.checked(state))

    def check_whole_game(self) -> None:
        """Check that every position of the game is decided in seconds."""
        with self._lock:
            self._solver.check_whole_game()

    def winner(self, state: State, seconds: float | None = None) -> int:
        """Return 1 or 2 if that player can force a win or has won, else 3, a draw."""
        with self._lock:
            return self._solver.outcome(self.game.checked(state), seconds)

    def winning_actions(self, state: State, seconds: float | None = None) -> Indices:
        """Return the actions after which the mover still wins, ascending; none if it does not."""
        if self.winner(state, seconds) != self.game.to_play(state):
            return np.empty(0, np.int64)
        return self.best_actions(state, seconds)

    def best_actions(self, state: State, seconds: float | None = None) -> Indices:
        """Return the legal actions that lead to the best outcome under perfect play, ascending."""
        with self._lock:
            best = self._solver.best_actions(self.game.checked(state), seconds)
            return np.array(sorted(best), np.int64)

    def sharpest_actions(self, state: State, seconds: float | None = None) -> Indices:
        """Return the best actions that win soonest or resist longest, ascending.

        These are known to do so where ``plies_left`` is known, though a large board may have more;
        else they are all winning actions, or some that resist. The state is not final.
        """
        with self._lock:
            sharpest = self._solver.sharpest_actions(self.game.checked(state), seconds)
            return np.array(sorted(sharpest), np.int64)

    def plies_left(self, state: State, seconds: float | None = None) -> int:
        """Return the moves to the end of a won game if the winner hurries and the loser delays.

        0 if unknown: in Hex where a search of 100,000 nodes does not find the shortest win, in
        other games where it takes more than a move. The state is not final.
        """
        with self._lock:
            return self._solver.plies_left(self.game.checked(state), seconds)

    def best_action(self, state: State, seconds: float | None = None) -> int:
        """Return one of the sharpest actions of a state that is not final, faster than all."""
        with self._lock:
            return self._solver.best_action(self.game.checked(state), seconds)

    def principal_variation(self, state: State, seconds: float | None = None) -> list[int]:
        """Return a line of ``best_action`` to the end of the game; the time limit is per move."""
        line = []
        while not self.game.is_final(state):
            line.append(self.best_action(state, seconds))
            state = self.game.child_state(state, line[-1])
        return line


@lru_cache(maxsize=4)
def shared_judge(game: StateManager) -> Judge:
    """Return the shared judge of a game, with its cached results."""
    return Judge(game)
