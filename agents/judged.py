"""The exact judge of an agent: its limits, and its verdict on a position."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from state_manager import DRAW, GOES_ON, Indices, Judge, NodeLimitError, State, StateManager

_WHOLE_GAME = (50_000, 0.75)
_TIMED = (20_000, 0.1)
_UNTIMED = (1000, 0.0)
"""Nodes per position, and share of the time limit. ``_WHOLE_GAME``: every position of the game is
decided in seconds. Else ``_TIMED`` with a time limit, which in Hex is reached before the nodes;
``_UNTIMED`` without one, so that the same seed gives the same game."""


class Verdict(NamedTuple):
    """The result of the judge: 1, 2 or 3 (draw) with best play on both sides; 0 if undecided.

    ``actions`` are those to choose from: one winning, else all drawing, else all legal ones.
    """

    outcome: int
    actions: Indices


class Adviser:
    """Calls a judge of its own, as results cached from another game would change the moves.

    Once a win is known, positions get the limits of ``_WHOLE_GAME``, so that the win is not lost in
    a position that takes longer.
    """

    def __init__(self, game: StateManager, time_limit: float | None) -> None:
        """Load the judge; ``time_limit`` is the agent's for a move, in seconds."""
        self._game, self._time_limit = game, time_limit
        self._judge, self._usual = Judge(game, _WHOLE_GAME[0]), _WHOLE_GAME
        try:
            self._judge.check_whole_game()
        except NodeLimitError:
            self._usual = _UNTIMED if time_limit is None else _TIMED
        self._is_won = False

    def verdict(self, state: State, stopped: Callable[[], bool] = lambda: False) -> Verdict:
        """Return the verdict on a state that is not final; a true ``stopped`` ends it early."""
        judge, legal = self._judge, self._game.legal_actions(state)
        nodes, share = _WHOLE_GAME if self._is_won else self._usual
        began, limit = time.monotonic(), self._time_limit
        self._is_won = False

        def left() -> float | None:
            judge.set_node_limit(nodes)
            return None if limit is None else began + share * limit - time.monotonic()

        with judge.until(stopped), suppress(NodeLimitError):
            outcome = judge.winner(state, left())
            if outcome == self._game.to_play(state):
                self._is_won, (nodes, share) = True, _WHOLE_GAME
                return Verdict(outcome, np.array([judge.best_action(state, left())]))
            return Verdict(outcome, judge.best_actions(state, left()) if outcome == DRAW else legal)
        return Verdict(GOES_ON, legal)
