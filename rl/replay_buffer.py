"""RBUF: the newest cases (root, D) of the actual games.

Letters: C capacity, N cases held, S length of a state, F features, A actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anet import Minibatch
from anet.training import turn
from state_manager import State, StateManager, Symmetry


class Case(NamedTuple):
    """One training case."""

    state: State  # [S], the root
    distribution: NDArray[np.float64]  # [A], D, the normalised visit counts at the root
    # The critic's target in [-1, 1], seen by the mover, such as the discounted outcome, or NaN.
    value: float
    weight: float = 1.0  # of the distribution in the loss, 0 to 1


class ReplayBuffer:
    """Keeps the newest cases, and draws random minibatches from them.

    Attributes:
        newest: Number of cases that were added last.
    """

    def __init__(
        self, game: StateManager, capacity: int, symmetry: bool, lacks_values: bool = False
    ) -> None:
        """Make an empty buffer for C cases; ``lacks_values`` allows cases without a value.

        ``symmetry`` turns each case drawn by a random symmetry of the game.
        """
        self._game = game
        self._lacks_values = lacks_values
        identity = Symmetry(np.arange(game.num_features), np.arange(game.num_actions), False)
        turns = (identity, *(game.symmetries if symmetry else ()))
        places = [np.r_[each.features, game.num_features + each.actions] for each in turns]
        self._sources = np.argsort(places, axis=1)
        self._swaps_players = np.array([each.swaps_players for each in turns])
        self._states = np.zeros((capacity, game.state_length), np.int8)
        self._distributions = np.zeros((capacity, game.num_actions), np.float32)
        self._values = np.zeros(capacity, np.float32)
        self._weights = np.ones(capacity, np.float32)
        names = "states", "distributions", "values", "weights"
        self._kept: dict[str, NDArray[Any]] = {name: vars(self)[f"_{name}"] for name in names}
        self._added = self.newest = 0

    def __len__(self) -> int:
        """Return N."""
        return min(self._added, len(self._states))

    def add_all(self, cases: Iterable[Case]) -> Callable[[], None]:
        """Add cases, in a full buffer for the oldest ones; return a function that undoes this."""
        cases, capacity, newest_before = list(cases), len(self._states), self.newest
        self.newest = len(cases)
        self._added += len(cases)
        kept = cases[-capacity:]
        places = np.arange(self._added - len(kept), self._added) % capacity
        replaced = [array[places] for array in self._kept.values()]
        if kept:
            for array, column in zip(self._kept.values(), zip(*kept, strict=True), strict=True):
                array[places] = column

        def take_back() -> None:
            for array, rows in zip(self._kept.values(), replaced, strict=True):
                array[places] = rows
            self._added -= len(cases)
            self.newest = newest_before

        return take_back

    def random_minibatch(self, size: int, rng: np.random.Generator) -> Minibatch:
        """Draw ``size`` different cases, or all if there are fewer; a ``ValueError`` if none."""
        if not len(self):
            raise ValueError("expected cases in the replay buffer, it is empty")
        chosen = rng.choice(len(self), size=min(size, len(self)), replace=False)
        return self._minibatch(chosen, rng)

    def drawn_minibatch(
        self, size: int, rng: np.random.Generator, newest: int | None = None
    ) -> Minibatch:
        """Draw cases, by default from all, with replacement, which is faster in a large buffer."""
        if newest is None:
            return self._minibatch(rng.integers(len(self), size=size), rng)
        places = self._added - 1 - rng.integers(newest, size=size)
        return self._minibatch(places % len(self._states), rng)

    def epoch(self, size: int, rng: np.random.Generator) -> Iterator[Minibatch]:
        """Yield every case once, in random order, ``size`` at a time; the last may be fewer."""
        order = rng.permutation(len(self))
        for begin in range(0, len(order), size):
            yield self._minibatch(order[begin : begin + size], rng)

    def _minibatch(self, chosen: NDArray[np.int64], rng: np.random.Generator) -> Minibatch:
        """Return the cases in these places, each turned by a random symmetry."""
        turns = rng.integers(len(self._sources), size=len(chosen))
        states = self._states[chosen]
        movers = states[:, 0]
        minibatch = Minibatch(
            observations=np.empty((len(chosen), self._game.num_features), np.float32),
            movers=np.where(self._swaps_players[turns], 3 - movers, movers),
            legal=np.empty((len(chosen), self._game.num_actions), np.bool_),
            targets=np.empty((len(chosen), self._game.num_actions), np.float32),
            values=self._values[chosen],  # seen by the mover, before and after a swap of players
            weights=self._weights[chosen],
        )
        # Kept in the buffer, these would take half as much memory again.
        shown = np.hstack([self._game.observations(states) > 0, self._game.legal_mask(states)])
        written = minibatch.observations, minibatch.legal, minibatch.targets
        turn(shown, self._distributions[chosen], self._sources, turns, *written)
        return minibatch

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the contents of the buffer as arrays."""
        held = {name: array[: len(self)] for name, array in self._kept.items()}
        return {**held, "added": np.array([self._added, self.newest], np.int64)}

    def restore(self, tensors: Mapping[str, Any]) -> None:
        """Restore the result of ``state`` as tensors; a ``ValueError`` if they do not fit."""
        arrays: dict[str, NDArray[Any]] = {name: np.asarray(each) for name, each in tensors.items()}
        states, added = arrays["states"], arrays["added"]
        own = {name: array[: len(states)] for name, array in self._kept.items()}
        if (
            added.shape != (2,)
            or added.dtype != np.int64
            or len(states) != min(added[0], len(self._states))
            or not 0 <= added[1] <= added[0]
            or any(
                (arrays[name].shape, arrays[name].dtype) != (array.shape, array.dtype)
                for name, array in own.items()
            )
        ):
            raise ValueError("expected a replay buffer of the same game and capacity")
        rows, columns = self._game.board_shape
        values = arrays["values"]
        known = values[~np.isnan(values)] if self._lacks_values else values
        if not (
            np.isin(states[:, 0], (1, 2)).all()
            and np.isin(states[:, 1 : 1 + rows * columns], (0, 1, 2)).all()
            and all(
                np.isfinite(each).all()
                for each in (arrays["distributions"], known, arrays["weights"])
            )
        ):
            raise ValueError("expected states and numbers in the replay buffer, got others")
        for name, array in own.items():
            array[:] = arrays[name]
        self._added, self.newest = added.tolist()
