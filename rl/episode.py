"""An episode: a finished game and its training cases.

Letters: P plies of the game, N of them with a search, S length of a state, A actions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.match import Observer
from base.params import Params
from mcts import Thought
from rl.replay_buffer import Cases
from state_manager import DRAW, Indices, State

SEARCH_PLAYER = "MCTS"
"""Name of the players for observers where every move is searched."""
_MOST_SURPRISE = 8.0
"""Largest surprise, relative to the mean of the game."""
_VALUES = {1: 1.0, 2: -1.0, DRAW: 0.0}
"""The value of each outcome for player 1."""


class GameArrays(NamedTuple):
    """The moves of a game, and the results of its searches."""

    states: State  # [P + 1, S], before each move, and the last one
    actions: Indices  # [P]
    distributions: NDArray[np.float64]  # [N, A], D of each search
    values: NDArray[np.float64]  # [N], the search's value in [-1, 1], seen from player 1
    explored: NDArray[np.bool_]  # [N], whether the move is not the search's choice
    surprises: NDArray[np.float64]  # [N], relative entropy of D to the net's policy, in nats
    lost: NDArray[np.bool_]  # [N], whether the state is proven lost, so that all D are equal


def new_arrays(max_plies: int, state_length: int, num_actions: int, games: int) -> GameArrays:
    """Return arrays with room for some games of the longest length, each `[games, ...]`."""
    shape = games, max_plies
    return GameArrays(
        states=np.zeros((games, max_plies + 1, state_length), np.int8),
        actions=np.zeros(shape, np.int64),
        distributions=np.zeros((*shape, num_actions)),
        values=np.zeros(shape),
        explored=np.zeros(shape, np.bool_),
        surprises=np.zeros(shape),
        lost=np.zeros(shape, np.bool_),
    )


@dataclass(eq=False)
class Episode:
    """A finished game."""

    number: int  # from 1
    winner: int  # 1, 2, or 3 for a draw
    arrays: GameArrays
    first_searched: int  # the ply of the first of N consecutive searches
    simulations: int  # of all its searches
    search_seconds: float  # of all its searches

    @property
    def starting_player(self) -> int:
        """1 or 2."""
        return int(self.arrays.states[0, 0])

    @property
    def actions(self) -> list[int]:
        """The moves."""
        return [int(action) for action in self.arrays.actions]

    def line(self) -> dict[str, Any]:
        """Return the fields for ``games.jsonl``."""
        return {
            "episode": self.number,
            "starting_player": self.starting_player,
            "actions": self.actions,
            "winner": self.winner,
        }

    def show(self, observers: Sequence[Observer], player: str, title: str) -> None:
        """Show observers the game move by move, with this name for both players."""
        states, _, distributions, values, *_ = self.arrays
        found = zip(distributions, values.tolist(), strict=True)
        thoughts = {self.first_searched + n: Thought(*each) for n, each in enumerate(found)}
        for observer in observers:
            observer.on_game_start(title, (player, player), states[0])
            for ply, action in enumerate(self.actions):
                observer.on_move(states[ply + 1], action, thoughts.get(ply))
            observer.on_game_over(states[-1], self.winner)

    def cases(self, params: Params) -> Cases:
        """Return a case (root, D) for each search.

        The critic's target is the discounted outcome; or, with a share b of bootstrapping, b * the
        search's value + (1 - b) * the discounted target of the next state, seen by the mover. After
        an explored move, the next state does not reflect the value, so b is 1. Search values are a
        few hundredths too high for the mover, since the search prefers overrated moves; with
        ``rl.clean_values``, states up to the last explored move have no target (NaN).

        A share ``rl.surprise`` of a distribution's weight is how much it surprised the net,
        relative to the mean of the game's states that are not lost (KataGo's policy surprise
        weighting).
        """
        rl = params.rl
        states, actions, distributions, values, explored, surprises, lost = self.arrays
        roots = states[self.first_searched :][: len(values)]
        shares = np.zeros(len(values))
        if rl.bootstrap > 0.0 and params.not_in_slots is None:
            shares = np.where(explored, 1.0, rl.bootstrap)
        after = len(actions) - self.first_searched - len(values)  # plies after the last search
        target = _VALUES[self.winner] * rl.discount**after
        targets = np.empty(len(values))  # seen from player 1
        for n in reversed(range(len(values))):
            target = shares[n] * values[n] + (1.0 - shares[n]) * rl.discount * target
            targets[n] = target
        if rl.clean_values:
            targets[: max(np.flatnonzero(explored) + 1, default=0)] = math.nan
        targets = np.where(roots[:, 0] == 1, targets, -targets)
        weights, mean = 1.0 - lost, surprises[~lost].mean() if not lost.all() else 0.0
        if mean > 0.0:
            relative = np.minimum(surprises / mean, _MOST_SURPRISE)
            weights *= 1.0 - rl.surprise + rl.surprise * relative
        return Cases(roots, distributions, targets, weights)


def title_of(number: int, params: Params) -> str:
    """Return the title of an episode for observers."""
    of_all = "" if params.rl.minutes else f" of {params.rl.episodes}"
    return f"episode {number}{of_all}"
