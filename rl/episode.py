"""An episode: an actual game and its training cases."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.match import DRAW, Observer
from base.params import Params, RLParams
from mcts import SearchResult, Thought
from rl.replay_buffer import Case
from state_manager import GOES_ON, State


@dataclass(eq=False)
class Episode:
    """An actual game."""

    number: int  # from 1
    starting_player: int  # 1 or 2
    states: list[State]  # before each action, and the last one
    actions: list[int] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)  # plies that were searched, ascending
    distributions: list[NDArray[np.float64]] = field(default_factory=list)  # D at each labelled ply
    # The search's value of the move made there, in [-1, 1], seen from player 1.
    values: list[float | None] = field(default_factory=list)
    roots: list[float] = field(default_factory=list)  # values of the states, for movers, or empty
    explored: list[bool] = field(default_factory=list)  # whether the search's choice is another
    lost: list[bool] = field(default_factory=list)  # proven for the mover, so all moves are equal
    winner: int = GOES_ON  # 1, 2, or 3 for a draw; 0 during the game
    simulations: int = 0  # of all its searches
    search_seconds: float = 0.0  # of all its searches

    @property
    def state(self) -> State:
        """The current state."""
        return self.states[-1]

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return len(self.actions)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields with two arrays, which pickle ten times as fast as two lists."""
        arrays = {"states": self.states, "distributions": self.distributions}
        return vars(self) | {name: np.array(array) for name, array in arrays.items()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Restore the result of ``__getstate__``."""
        vars(self).update(kept)
        self.states, self.distributions = list(self.states), list(self.distributions)

    def label(self, ply: int, result: SearchResult) -> None:
        """Add the result of a search from the state of a ply, as a case."""
        thought = result.thought(self.actions[ply])
        self.labelled.append(ply)
        self.distributions.append(thought.distribution)
        self.values.append(thought.value)
        self.simulations += result.simulations
        self.search_seconds += result.seconds

    def show(self, observers: Sequence[Observer], player: str, title: str) -> None:
        """Show observers the finished game move by move, with this name for both players."""
        found = zip(self.labelled, self.distributions, self.values, strict=True)
        thoughts = {ply: Thought(distribution, value) for ply, distribution, value in found}
        for observer in observers:
            observer.on_game_start(title, (player, player), self.states[0])
            for ply, action in enumerate(self.actions):
                observer.on_move(self.states[ply + 1], action, thoughts.get(ply))
            observer.on_game_over(self.state, self.winner)

    def cases(self, rl: RLParams) -> list[Case]:
        """Return a case (root, D) for each search.

        The critic's target is the discounted outcome; or, with a share b of bootstrapping, b * the
        search's value + (1 - b) * the discounted target of the next state, seen by the mover. After
        an explored move, the next state does not reflect the value, so b is 1. Search values are a
        few hundredths too high for the mover, since the search prefers overrated moves; with
        ``rl.clean_values``, states up to the last explored move have no target (NaN).
        """
        discount, share = rl.discount, rl.bootstrap if self.roots else 0.0
        unclean = max((place + 1 for place, each in enumerate(self.explored) if each), default=0)
        targets: dict[int, float] = {}
        cases = []
        for place in range(len(self.labelled) - 1, -1, -1):
            ply = self.labelled[place]
            state, after = self.states[ply], self.states[ply + 1]
            if share == 0.0:
                target = self._outcome(state) * discount ** (self.ply - ply)
            else:
                if ply + 1 in targets:
                    later = targets[ply + 1] if after[0] == state[0] else -targets[ply + 1]
                else:
                    later = self._outcome(state) * discount ** (self.ply - ply - 1)
                own = 1.0 if self.explored[place] else share
                target = own * self.roots[place] + (1.0 - own) * discount * later
            targets[ply] = target
            value = math.nan if rl.clean_values and place < unclean else target
            weight = 0.0 if self.lost and self.lost[place] else 1.0
            cases.append(Case(state, self.distributions[place], value, weight))
        return cases[::-1]

    def _outcome(self, state: State) -> float:
        return 0.0 if self.winner == DRAW else 1.0 if self.winner == state[0] else -1.0


SEARCH = "MCTS"
"""Name of the players for observers where every move is searched."""


def title_of(number: int, params: Params) -> str:
    """Return the title of an episode for observers."""
    of_all = "" if params.rl.minutes else f" of {params.rl.episodes}"
    return f"episode {number}{of_all}"
