"""The exact judge at an agent's side: how much it may take, and what it says of a position."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from state_manager import DRAW, GOES_ON, Indices, Judge, NodeLimitError, State, StateManager

_WHOLE_GAME = (50_000, 0.75)
_TIMED = (20_000, 0.1)
_UNTIMED = (1000, 0.0)
"""Nodes that a question may take, and its share of a time limit: where every position of the game
is decided in seconds; else with a time limit, which ends the questions sooner in Hex; and without
one, where the same seed is to give the same game."""


class Verdict(NamedTuple):
    """What the judge says.

    Attributes:
        outcome: 1, 2 or 3 (draw) with best play on both sides; 0 if the judge does not know.
        actions: Those to choose from: one that wins, or all that draw, or all legal ones.
    """

    outcome: int
    actions: Indices


class Adviser:
    """Asks a judge of its own: what another game has taught it would change this one's moves.

    Once a win is known, questions may take as much as in a game that is decided as a whole: what
    is won is not to be lost because the next position happens to take long.
    """

    def __init__(self, game: StateManager, time_limit: float | None) -> None:
        """Load what questions need; ``time_limit`` is for a move of the agent, in seconds."""
        self._game, self._time_limit = game, time_limit
        self._judge, self._usual = Judge(game, _WHOLE_GAME[0]), _WHOLE_GAME
        try:
            self._judge.check_whole_game()
        except NodeLimitError:
            self._usual = _UNTIMED if time_limit is None else _TIMED
        self._is_won = False

    def ask(self, state: State, stopped: Callable[[], bool] = lambda: False) -> Verdict:
        """Return what is known of a state that is not final; ``stopped`` gives it up early."""
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
