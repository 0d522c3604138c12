"""RBUF: the newest cases (root, D) of the actual games.

Letters: C capacity, N cases held, S length of a state, F features, A actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anet import Minibatch
from base.params import RLParams
from state_manager import State, StateManager


@dataclass(frozen=True)
class Case:
    """One training case.

    Attributes:
        state: `[S]` int8, the root.
        distribution: `[A]`, D, the normalised visit counts of the edges at the root.
        value: The critic's target in [-1, 1], seen by the mover: the game's outcome, discounted.
    """

    state: State
    distribution: NDArray[np.float64]
    value: float


class Replaced(NamedTuple):
    """What some new cases have replaced.

    Attributes:
        places: `[n]` int64, the places of the new cases.
        rows: What was there before, of each of the buffer's arrays.
        added: How many cases had been added before.
    """

    places: NDArray[np.int64]
    rows: list[NDArray[Any]]
    added: int


class ReplayBuffer:
    """Keeps the newest cases, and draws random minibatches from them."""

    def __init__(self, game: StateManager, capacity: int, symmetry: bool) -> None:
        """Make an empty buffer.

        Args:
            game: Whose states are kept.
            capacity: C, how many cases are kept; the oldest go first.
            symmetry: Whether each case drawn is turned by a random symmetry of the game.
        """
        self._game = game
        self._symmetries = game.symmetries if symmetry else ()
        self._states = np.zeros((capacity, game.state_length), np.int8)
        self._distributions = np.zeros((capacity, game.num_actions), np.float32)
        self._values = np.zeros(capacity, np.float32)
        # What a net is shown of a state follows from it, but is asked for again and again.
        self._features = np.zeros((capacity, game.num_features), np.bool_)
        self._legal = np.zeros((capacity, game.num_actions), np.bool_)
        self._added = 0

    def __len__(self) -> int:
        """Return N."""
        return min(self._added, len(self._states))

    def add(self, case: Case) -> None:
        """Add a case, in the place of the oldest if the buffer is full."""
        place = self._added % len(self._states)
        self._states[place] = case.state
        self._distributions[place] = case.distribution
        self._values[place] = case.value
        self._look_at(np.array([place]))
        self._added += 1

    def add_all(self, cases: Iterable[Case]) -> Replaced:
        """Add cases, and return what ``take_back`` needs to put the buffer back."""
        cases, added, capacity = list(cases), self._added, len(self._states)
        count = min(len(cases), capacity)
        places = np.arange(added + len(cases) - count, added + len(cases)) % capacity
        replaced = Replaced(places, [array[places] for array in self._arrays], added)
        for case in cases:
            self.add(case)
        return replaced

    def take_back(self, replaced: Replaced) -> None:
        """Put back what was there before the last ``add_all``."""
        for array, rows in zip(self._arrays, replaced.rows, strict=True):
            array[replaced.places] = rows
        self._added = replaced.added

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, one row a case."""
        return self._states, self._distributions, self._values, self._features, self._legal

    def _look_at(self, places: NDArray[np.int64]) -> None:
        """Work out features and legal actions of the states in these places."""
        states = self._states[places]
        self._features[places] = self._game.observations(states)
        self._legal[places] = self._game.legal_mask(states)

    def minibatches(self, rl: RLParams, rng: np.random.Generator) -> Iterator[Minibatch]:
        """Yield what one update learns from: some random minibatches, or epochs of all cases."""
        if rl.epochs is None:
            return (self.random_minibatch(rl.minibatch_size, rng) for _ in range(rl.minibatches))
        return chain.from_iterable(self.epoch(rl.minibatch_size, rng) for _ in range(rl.epochs))

    def random_minibatch(self, size: int, rng: np.random.Generator) -> Minibatch:
        """Draw ``size`` different cases, or all there are if they are fewer.

        Raises:
            ValueError: If the buffer is empty.
        """
        if not len(self):
            raise ValueError("expected cases in the replay buffer, it is empty")
        chosen = rng.choice(len(self), size=min(size, len(self)), replace=False)
        return self._minibatch(chosen, rng)

    def epoch(self, size: int, rng: np.random.Generator) -> Iterator[Minibatch]:
        """Yield every case once, in random order, ``size`` at a time; the last may be fewer."""
        order = rng.permutation(len(self))
        for begin in range(0, len(order), size):
            yield self._minibatch(order[begin : begin + size], rng)

    def _minibatch(self, chosen: NDArray[np.int64], rng: np.random.Generator) -> Minibatch:
        """Return the cases in these places, each turned by a random symmetry."""
        minibatch = Minibatch(
            observations=self._features[chosen].astype(np.float32),
            movers=self._states[chosen, 0],
            legal=self._legal[chosen],
            targets=self._distributions[chosen],
            values=self._values[chosen],
        )
        self._turn(minibatch, rng)
        return minibatch

    def _turn(self, minibatch: Minibatch, rng: np.random.Generator) -> None:
        """Turn each case by a random symmetry, the identity among them, in place.

        A value is seen by the mover, so it stays even when the players are swapped.
        """
        if not self._symmetries:
            return
        which = rng.integers(len(self._symmetries) + 1, size=len(minibatch))
        for number, symmetry in enumerate(self._symmetries, start=1):
            rows = np.flatnonzero(which == number)
            from_features = np.argsort(symmetry.features)
            from_actions = np.argsort(symmetry.actions)
            minibatch.observations[rows] = minibatch.observations[rows][:, from_features]
            minibatch.legal[rows] = minibatch.legal[rows][:, from_actions]
            minibatch.targets[rows] = minibatch.targets[rows][:, from_actions]
            if symmetry.swaps_players:
                minibatch.movers[rows] = 3 - minibatch.movers[rows]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that the buffer holds, as arrays."""
        count = len(self)
        return {
            "states": self._states[:count],
            "distributions": self._distributions[:count],
            "values": self._values[:count],
            "added": np.array([self._added], np.int64),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what ``state`` returned, from a buffer of the same game and capacity.

        Raises:
            ValueError: If the arrays do not fit.
        """
        states, added = arrays["states"], arrays["added"]
        own: dict[str, NDArray[Any]] = {
            "states": self._states[: len(states)],
            "distributions": self._distributions[: len(states)],
            "values": self._values[: len(states)],
        }
        if (
            added.shape != (1,)
            or added.dtype != np.int64
            or len(states) != min(added[0], len(self._states))
            or any(
                (arrays[name].shape, arrays[name].dtype) != (array.shape, array.dtype)
                for name, array in own.items()
            )
        ):
            raise ValueError("expected a replay buffer of the same game and capacity")
        rows, columns = self._game.board_shape
        if not (
            np.isin(states[:, 0], (1, 2)).all()
            and np.isin(states[:, 1 : 1 + rows * columns], (0, 1, 2)).all()
            and all(np.isfinite(arrays[name]).all() for name in ("distributions", "values"))
        ):
            raise ValueError("expected states and numbers in the replay buffer, got others")
        for name, array in own.items():
            array[:] = arrays[name]
        self._look_at(np.arange(len(states)))
        self._added = int(added[0])
