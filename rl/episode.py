"""An episode: an actual game, and the cases that it gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.match import DRAW, GameRecord
from base.params import Params, RLParams
from mcts import SearchResult, Thought
from rl.replay_buffer import Case
from state_manager import GOES_ON, State


@dataclass(eq=False)
class Episode:
    """An actual game.

    Attributes:
        number: Counted from 1.
        starting_player: 1 or 2.
        states: The states before each action, and the last one.
        actions: All actions, in order.
        labelled: The plies whose states were searched, ascending: all of them, unless the learning
            scheme labels only some.
        distributions: D at each of these.
        values: What each search thought of the move that was made there, in [-1, 1], seen from
            player 1; empty for an episode from a time when that was not kept.
        roots: What each of these states is worth to its mover, as the search found; may be empty.
        explored: Whether the move that was made there was another than the search would play.
        lost: Whether the mover is proven to lose there, so that any move is as good as another.
        winner: 1, 2, or 3 for a draw; 0 while it is played.
        simulations: How many were run in all its searches.
        search_seconds: How long these took.
    """

    number: int
    starting_player: int
    states: list[State]
    actions: list[int] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)
    distributions: list[NDArray[np.float64]] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    roots: list[float] = field(default_factory=list)
    explored: list[bool] = field(default_factory=list)
    lost: list[bool] = field(default_factory=list)
    winner: int = GOES_ON
    simulations: int = 0
    search_seconds: float = 0.0

    @property
    def state(self) -> State:
        """The state of the board."""
        return self.states[-1]

    @property
    def ply(self) -> int:
        """How many moves have been made."""
        return len(self.actions)

    def __getstate__(self) -> dict[str, Any]:
        """Go to another process with two arrays, which takes a tenth of the time of two lists."""
        arrays = {name: np.array(getattr(self, name)) for name in ("states", "distributions")}
        return vars(self) | arrays

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Take over what ``__getstate__`` kept."""
        lists = {name: list(kept[name]) for name in ("states", "distributions")}
        vars(self).update(kept | lists)

    def label(self, ply: int, result: SearchResult) -> None:
        """Keep what a search from the state of a ply has found: a case to learn from."""
        thought = result.thought(self.actions[ply])
        self.labelled.append(ply)
        self.distributions.append(thought.distribution)
        self.values.append(thought.value)
        self.simulations += result.simulations
        self.search_seconds += result.seconds

    def record(self, player: str) -> GameRecord:
        """Return the record of the finished game, both players of this name."""
        return GameRecord(
            (player, player), self.starting_player, (), tuple(self.actions), self.winner
        )

    def thoughts(self) -> dict[int, Thought]:
        """Return what was thought before each move that was searched for, by its ply."""
        values = self.values or [None] * len(self.labelled)
        return {
            ply: Thought(distribution, value)
            for ply, distribution, value in zip(
                self.labelled, self.distributions, values, strict=True
            )
        }

    def cases(self, rl: RLParams) -> list[Case]:
        """Return a case (root, D) for each search.

        The critic learns the discounted outcome; or, with a share b of bootstrapping, b * the value
        that the search found + (1 - b) * the discounted target of the next state, as the mover sees
        it. Where the move was explored, the next state says nothing of the value: b is 1. A search
        finds the mover's chances too good by a few hundredths, since it prefers what it has
        overrated; with ``rl.clean_values``, states up to the last explored move have no target
        (NaN).
        """
        discount, share = rl.discount, rl.bootstrap
        targets = self._bootstrapped(discount, share) if share > 0.0 and self.roots else {}
        unclean = max((place + 1 for place, each in enumerate(self.explored) if each), default=0)
        cases = []
        for place, (ply, distribution) in enumerate(
            zip(self.labelled, self.distributions, strict=True)
        ):
            state = self.states[ply]
            outcome = self._outcome(state) * discount ** (self.ply - ply)
            value = math.nan if rl.clean_values and place < unclean else targets.get(ply, outcome)
            weight = 0.0 if self.lost and self.lost[place] else 1.0
            cases.append(Case(state, distribution, value, weight))
        return cases

    def _outcome(self, state: State) -> float:
        """Return the outcome as the mover of a state sees it."""
        return 0.0 if self.winner == DRAW else 1.0 if self.winner == state[0] else -1.0

    def _bootstrapped(self, discount: float, share: float) -> dict[int, float]:
        """Return the critic's target at each labelled ply."""
        targets: dict[int, float] = {}
        for place in range(len(self.labelled) - 1, -1, -1):
            ply = self.labelled[place]
            state, after = self.states[ply], self.states[ply + 1]
            if ply + 1 in targets:
                later = targets[ply + 1] if after[0] == state[0] else -targets[ply + 1]
            else:
                later = self._outcome(state) * discount ** (self.ply - ply - 1)
            own = 1.0 if self.explored[place] else share
            targets[ply] = own * self.roots[place] + (1.0 - own) * discount * later
        return targets


SEARCH = "MCTS"
"""Who moves where every move is searched for, as observers are told."""


def title_of(number: int, params: Params) -> str:
    """Return what observers are told is played."""
    of_all = "" if params.rl.minutes else f" of {params.rl.episodes}"
    return f"episode {number}{of_all}"
