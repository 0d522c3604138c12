"""The exact judge of an agent: its limits, and its verdict on a position."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judge import Judge
from state_manager import DRAW, GOES_ON, Indices, NodeLimitError, State, StateManager
from state_manager.successors import at_once

_WHOLE_GAME = (50_000, 0.75)
_TIMED = (20_000, 0.1)
_UNTIMED = (1000, 0.0)
"""Nodes per position, and share of the time limit. ``_WHOLE_GAME``: every position of the game is
decided in seconds. Else ``_TIMED`` with a time limit, which in Hex is reached before the nodes;
``_UNTIMED`` without one, so that the same seed gives the same game."""
_WEAKER = 2.0
"""The temperature of the weaker opponent for which a lost position sets problems; the level *Easy*
of the page plays at it."""
_LEAST, _CHOICES = 1e-9, 8

if TYPE_CHECKING:
    from anet.evaluator import Evaluator


class Judgement(NamedTuple):
    """The result of the judge with best play on both sides."""

    outcome: int  # 1, 2 or 3 (draw); 0 if undecided
    actions: Indices  # one winning, else all drawing, else one that resists, else all legal


class Adviser:
    """Calls a judge of its own, as results cached from another game would change the moves.

    Once a win is known, positions get the limits of ``_WHOLE_GAME``, so that the win is not lost in
    a position that takes longer.
    """

    def __init__(
        self, game: StateManager, time_limit: float | None, net: Evaluator | None = None
    ) -> None:
        """Load the judge; the limit is in seconds, ``net`` tells a weak opponent's replies."""
        self._game, self._time_limit, self._net = game, time_limit, net
        self._judge, self._usual = Judge(game, _WHOLE_GAME[0]), _WHOLE_GAME
        try:
            self._judge.check_whole_game()
        except NodeLimitError:
            self._usual = _UNTIMED if time_limit is None else _TIMED
        self._is_won = False

    def verdict(self, state: State, stopped: Callable[[], bool] = lambda: False) -> Judgement:
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
                return Judgement(outcome, np.array([judge.best_action(state, left())]))
            if outcome == DRAW:
                return Judgement(outcome, judge.best_actions(state, left()))
            share = _WHOLE_GAME[1]  # the search does not matter any more
            return Judgement(outcome, self._resisting(state, left))
        return Judgement(GOES_ON, legal)

    def _resisting(self, state: State, left: Callable[[], float | None]) -> Indices:
        """Return the move of a lost position to which a weaker opponent is likeliest to err.

        Of those that resist longest, and of the net's first choices, it is the one whose winning
        replies have least of the opponent's policy. All legal ones if the judge is too slow.
        """
        legal, found = self._game.legal_actions(state), dict[int, float]()
        with suppress(NodeLimitError):
            actions = self._judge.sharpest_actions(state, left())
            if self._net is not None:
                choices = legal[np.argsort(-self._policy(state)[legal], kind="stable")]
                actions = np.union1d(actions, choices[:_CHOICES])
            for action in at_once(self._game, state, actions).tolist():
                child = self._game.child_state(state, action)
                if not self._game.is_final(child):
                    replies = self._judge.best_actions(child, left())
                    found[action] = float(self._policy(child)[replies].sum())
            return np.array([min(found, key=found.__getitem__)]) if found else legal
        return legal

    def _policy(self, state: State) -> NDArray[np.float64]:
        legal, policy = self._game.legal_actions(state), np.zeros(self._game.num_actions)
        shares = policy + 1.0 if self._net is None else self._net.policy(state)
        policy[legal] = np.maximum(shares[legal], _LEAST) ** (1 / _WEAKER)
        return np.array(policy / policy.sum(), np.float64)
