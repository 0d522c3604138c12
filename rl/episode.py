"""An episode: a finished actual game, and the cases that it gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.match import DRAW, GameRecord
from base.params import Params
from mcts import Thought
from rl.replay_buffer import Case
from state_manager import State


@dataclass(frozen=True)
class Episode:
    """A finished actual game.

    Attributes:
        number: Counted from 1.
        starting_player: 1 or 2.
        actions: All actions, in order.
        states: The states before each action, and the final one.
        labelled: The plies whose states were searched, ascending: all of them, unless the learning
            scheme labels only some.
        distributions: D at each of these.
        winner: 1, 2, or 3 for a draw.
        simulations: How many were run in all its searches.
        search_seconds: How long these took.
        values: What each search thought of the move that was made there, in [-1, 1], seen from
            player 1; ``()`` for an episode from a time when that was not kept.
    """

    number: int
    starting_player: int
    actions: tuple[int, ...]
    states: tuple[State, ...]
    labelled: tuple[int, ...]
    distributions: tuple[NDArray[np.float64], ...]
    winner: int
    simulations: int
    search_seconds: float
    values: tuple[float | None, ...] = ()

    def record(self, player: str) -> GameRecord:
        """Return the record of the game, both players of this name."""
        return GameRecord((player, player), self.starting_player, (), self.actions, self.winner)

    def thoughts(self) -> dict[int, Thought]:
        """Return what was thought before each move that was searched for, by its ply."""
        values = self.values or (None,) * len(self.labelled)
        return {
            ply: Thought(distribution, value)
            for ply, distribution, value in zip(
                self.labelled, self.distributions, values, strict=True
            )
        }

    def cases(self, discount: float) -> list[Case]:
        """Return a case (root, D) for each search; the critic learns the discounted outcome."""
        plies = len(self.actions)
        cases = []
        for ply, distribution in zip(self.labelled, self.distributions, strict=True):
            state = self.states[ply]
            outcome = 0.0 if self.winner == DRAW else 1.0 if self.winner == state[0] else -1.0
            cases.append(Case(state, distribution, outcome * discount ** (plies - ply)))
        return cases


SEARCH = "MCTS"
"""Who moves where every move is searched for, as observers are told."""


def title_of(number: int, params: Params) -> str:
    """Return what observers are told is played."""
    return f"episode {number} of {params.rl.episodes}"
