"""RBUF: the newest cases (root, D) of the actual games.

Letters: C capacity, N cases held, S length of a state, F features, A actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anet import Minibatch
from anet.training import turn
from state_manager import Indices, State, StateManager, Symmetry

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Cases:
    """Training cases (root, D)."""

    states: State  # [N, S], the roots
    distributions: Floats  # [N, A], D, the normalised visit counts at the root
    # [N], the critic's targets in [-1, 1], seen by the mover, such as the discounted outcome; NaN
    # where there is none
    values: Floats
    weights: Floats  # [N], of the distribution in the loss, at least 0

    def __len__(self) -> int:
        """Return N."""
        return len(self.states)

    def columns(self) -> Iterable[NDArray[Any]]:
        """Return the arrays."""
        return vars(self).values()

    def part(self, places: Indices | NDArray[np.bool_] | slice) -> Cases:
        """Return some of the cases."""
        return Cases(*(column[places] for column in self.columns()))

    @classmethod
    def joined(cls, parts: Sequence[Cases]) -> Cases:
        """Return the cases of all parts, one at least."""
        columns = zip(*(part.columns() for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


def new_cases(game: StateManager, count: int) -> Cases:
    """Return room for N cases."""
    return Cases(
        states=np.zeros((count, game.state_length), np.int8),
        distributions=np.zeros((count, game.num_actions), np.float32),
        values=np.zeros(count, np.float32),
        weights=np.ones(count, np.float32),
    )


class ReplayBuffer:
    """Keeps the newest cases, ``newest`` of them from the last batch, and draws minibatches."""

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
        self._kept = new_cases(game, capacity)
        self._added = self.newest = 0

    def __len__(self) -> int:
        """Return N."""
        return min(self._added, len(self._kept))

    def add_all(self, cases: Cases) -> Callable[[], None]:
        """Add cases, in a full buffer for the oldest ones; return a function that undoes this."""
        capacity, before = len(self._kept), (self._added, self.newest)
        self.newest = len(cases)
        self._added += len(cases)
        newest = cases.part(slice(-capacity, None))
        places = np.arange(self._added - len(newest), self._added) % capacity
        replaced = self._kept.part(places)
        self._set(places, newest)

        def take_back() -> None:
            self._set(places, replaced)
            self._added, self.newest = before

        return take_back

    def _set(self, places: Indices, cases: Cases) -> None:
        for array, column in zip(self._kept.columns(), cases.columns(), strict=True):
            array[places] = column

    def random_minibatch(self, size: int, rng: np.random.Generator) -> Minibatch:
        """Draw ``size`` different cases, or all if there are fewer."""
        chosen = rng.choice(len(self), size=min(size, len(self)), replace=False)
        return self._minibatch(chosen, rng)

    def drawn_minibatch(
        self, size: int, rng: np.random.Generator, newest: int | None = None
    ) -> Minibatch:
        """Draw cases, by default from all, with replacement, which is faster in a large buffer."""
        if newest is None:
            return self._minibatch(rng.integers(len(self), size=size), rng)
        places = self._added - 1 - rng.integers(newest, size=size)
        return self._minibatch(places % len(self._kept), rng)

    def epoch(self, size: int, rng: np.random.Generator) -> Iterator[Minibatch]:
        """Yield every case once, in random order, ``size`` at a time; the last may be fewer."""
        order = rng.permutation(len(self))
        for begin in range(0, len(order), size):
            yield self._minibatch(order[begin : begin + size], rng)

    def _minibatch(self, chosen: NDArray[np.int64], rng: np.random.Generator) -> Minibatch:
        """Return the cases in these places, each turned by a random symmetry."""
        turns = rng.integers(len(self._sources), size=len(chosen))
        cases = self._kept.part(chosen)
        states, movers = cases.states, cases.states[:, 0]
        minibatch = Minibatch(
            observations=np.empty((len(chosen), self._game.num_features), np.float32),
            movers=np.where(self._swaps_players[turns], 3 - movers, movers),
            legal=np.empty((len(chosen), self._game.num_actions), np.bool_),
            targets=np.empty((len(chosen), self._game.num_actions), np.float32),
            values=cases.values,  # seen by the mover, before and after a swap of players
            weights=cases.weights,
        )
        # Kept in the buffer, these would take half as much memory again.
        shown = np.hstack([self._game.observations(states) > 0, self._game.legal_mask(states)])
        written = minibatch.observations, minibatch.legal, minibatch.targets
        turn(shown, cases.distributions, self._sources, turns, *written)
        return minibatch

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the contents of the buffer as arrays."""
        held = self._kept.part(slice(len(self)))
        return {**vars(held), "added": np.array([self._added, self.newest], np.int64)}

    def restore(self, tensors: Mapping[str, Any]) -> None:
        """Restore the result of ``state`` as tensors; a ``ValueError`` if they do not fit."""
        arrays: dict[str, NDArray[Any]] = {name: np.asarray(each) for name, each in tensors.items()}
        states, added = arrays["states"], arrays["added"]
        own = self._kept.part(slice(len(states)))
        if (
            added.shape != (2,)
            or added.dtype != np.int64
            or len(states) != min(added[0], len(self._kept))
            or not 0 <= added[1] <= added[0]
            or any(
                (arrays[name].shape, arrays[name].dtype) != (array.shape, array.dtype)
                for name, array in vars(own).items()
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
        for name, array in vars(own).items():
            array[:] = arrays[name]
        self._added, self.newest = added.tolist()
