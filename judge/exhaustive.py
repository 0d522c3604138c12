"""Perfect play of small games by exhaustive search of the relevant positions."""

import math
import time
from collections.abc import Callable

import numpy as np

from base.jit import make_ready
from state_manager.errors import NodeLimitError
from state_manager.rules import DRAW, GOES_ON, State
from state_manager.state_manager import StateManager

POSITIONS = 500_000
"""Limit of new positions per query: 3 to 5 seconds, and 150 MB."""


class Solver:
    """The limits of a query: ``limit`` positions or nodes, time, and ``Judge.until``."""

    def __init__(self, game: StateManager, limit: int) -> None:
        """Solve positions of a game, with at most ``limit`` new positions or nodes per query."""
        self.game, self.limit = game, limit
        self.used, self._stop = 0, math.inf
        self.stopped: Callable[[], bool] = lambda: False

    def begin(self, seconds: float | None) -> None:
        """Begin a query, with a time limit."""
        self.used = 0
        self._stop = math.inf if seconds is None else time.monotonic() + seconds

    def is_out_of_time(self, stop: float = math.inf) -> bool:
        """Return whether the query must end, or this time of ``time.monotonic`` has come."""
        return time.monotonic() > min(stop, self._stop) or self.stopped()


class ExactPlay(Solver):
    """Outcomes under perfect play; the methods are those of ``Judge``, for one thread.

    Decides for each player in turn whether it can force a win; if neither can, it is a draw. That
    prunes more than a search for the value. Results are cached for later queries. Tic-tac-toe takes
    2 thousand positions, Hex 90 on 3x3 and 600 thousand on 4x4, connect four on 4x5 230 thousand,
    NIM two per stone.
    """

    def __init__(self, game: StateManager, limit: int = POSITIONS) -> None:
        """Solve positions of ``game``, with at most ``limit`` new positions per query."""
        super().__init__(game, limit)
        self._play, self._legal_actions = game.rules.play, game.rules.legal_actions
        self._known: tuple[dict[bytes, bool], ...] = ({}, {}, {})
        middle = (game.num_actions - 1) / 2
        # Cells in the middle of a board matter most, so they soon decide the winner.
        self._from_the_middle = sorted(range(game.num_actions), key=lambda a: abs(a - middle))
        make_ready(*game.rules)  # before a query's time limit starts

    def check_whole_game(self) -> None:
        """See ``Judge``; solves the initial state."""
        self.outcome(self.game.initial_state())

    def outcome(self, state: State, seconds: float | None = None) -> int:
        """Return 1 or 2 if that player can force a win or has won, else 3, a draw."""
        self.begin(seconds)
        return self._outcome(self.game.checked(state))

    def best_actions(self, state: State, seconds: float | None = None) -> set[int]:
        """Return the legal actions after which perfect play leads to the best outcome."""
        self.begin(seconds)
        best = self._outcome(self.game.checked(state))
        children = self.game.children(state)
        return {action for action, child in children if self._outcome(child) == best}

    def sharpest_actions(self, state: State, seconds: float | None = None) -> set[int]:
        """See ``Judge.sharpest_actions``: a win at once, or no win at once for the opponent."""
        best, mover = self.best_actions(state, seconds), self.game.to_play(state)
        outcome = self._outcome(state)
        if outcome == mover:
            return {action for action in best if self._wins_by(action, state)} or best
        if outcome == DRAW:
            return best
        replies = {action: self.game.child_state(state, action) for action in best}
        resisting = {
            action
            for action, child in replies.items()
            if not self.game.is_final(child)
            and not any(self._wins_by(each, child) for each in self.game.legal_actions(child))
        }
        return resisting or best

    def best_action(self, state: State, seconds: float | None = None) -> int:
        """Return the lowest of the sharpest actions."""
        return min(self.sharpest_actions(state, seconds))

    def plies_left(self, state: State, seconds: float | None = None) -> int:
        """See ``Judge.plies_left``."""
        return int(self._wins_by(self.best_action(state, seconds), state))

    def _wins_by(self, action: int, state: State) -> bool:
        child = self.game.child_state(state, action)
        return self.game.winner(child) == self.game.to_play(state)

    def _outcome(self, state: State) -> int:
        if self.game.is_final(state):
            return self.game.winner(state)
        try:
            return next((player for player in (1, 2) if self._can_win(player, state)), DRAW)
        except RecursionError:
            raise self._too_large("games that are shorter") from None

    def _can_win(self, player: int, state: State) -> bool:
        """Return whether a player can force a win from a position that is not final."""
        known, key = self._known[player], state.tobytes()
        if key not in known:
            if self.used >= self.limit:
                raise self._too_large(f"a game of {self.limit:,} positions at most")
            self.used += 1
            if self.is_out_of_time():
                raise self._too_large("a game that is solved in the time given")
            known[key] = self._search(player, state)
        return known[key]

    def _search(self, player: int, state: State) -> bool:
        legal = np.empty(self.game.num_actions, np.int64)
        allowed = set(legal[: self._legal_actions(state, legal)].tolist())
        # One child decides: a won one if the player is to move, else one that is not won.
        enough = int(state[0]) == player
        going_on = []
        for action in self._from_the_middle:
            if action in allowed:
                child = state.copy()
                outcome = self._play(child, action)
                if outcome == GOES_ON:
                    going_on.append(child)
                elif (outcome == player) == enough:
                    return enough
        for child in going_on:
            if self._can_win(player, child) == enough:
                return enough
        return not enough

    def _too_large(self, expected: str) -> NodeLimitError:
        return NodeLimitError(f"exact play: expected {expected}, got {self.game!r}")
