"""Hard cases: positions in which play that beats the net was found.

They are a fixed share of each minibatch, and none is dropped unless the run is extended. Those that
are not lost also begin some of the later games. A hook finds them in rounds, see ``rl.hooks``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anet import Minibatch
from base.params import RLParams
from rl.replay_buffer import Cases, ReplayBuffer
from state_manager import StateManager

UNKNOWN = -1
"""``refuted`` where nothing was refuted, and nothing is proven."""


@dataclass(frozen=True)
class Round:
    """The result of a round; ``starts`` and ``refuted`` are as in ``HardCases``."""

    starts: list[tuple[int, ...]]
    cases: Cases  # new hard cases
    refuted: int
    record: dict[str, Any]  # fields for ``metrics.jsonl``


class HardCases:
    """The results of all ``rounds`` on one board."""

    def __init__(self, game: StateManager, rl: RLParams) -> None:
        """Begin without any."""
        self.rounds = self._last = 0
        self.newest = 0  # number of hard cases from the last two rounds
        self.refuted = 0  # of positions in the last round; 0 if the net's play is proven
        # Games to refuted positions that are not proven lost, the newest first; player 1 begins.
        self.starts: list[tuple[int, ...]] = []
        self.cases = ReplayBuffer(game, max(1, len(rl.exploiter) * rl.exploiter_cases), rl.symmetry)
        self._game, self._rl = game, rl

    @property
    def is_proven(self) -> bool:
        """Whether the last round proved the net's play."""
        return self.rounds > 0 and self.refuted == 0

    def add(self, found: Round) -> Callable[[], None]:
        """Keep the result of a round; return a function that undoes this."""
        before = self.rounds, self.refuted, self.newest, self._last, self.starts
        take_back_cases = self.cases.add_all(found.cases)
        self.starts = [*found.starts, *self.starts][: self._rl.exploiter_cases]
        self.refuted = found.refuted
        most = len(self.cases)  # an extended run may find more than it can keep
        self.newest = min(self._last + len(found.cases), most)
        self._last = min(len(found.cases), most)
        self.rounds += 1

        def take_back() -> None:
            take_back_cases()
            self.rounds, self.refuted, self.newest, self._last, self.starts = before

        return take_back

    def mix_in(self, minibatch: Minibatch, rng: np.random.Generator) -> Minibatch:
        """Return the minibatch with its first cases replaced by hard ones."""
        count = round(self._rl.exploiter_share * len(minibatch))
        newest = round(self._rl.exploiter_newest * count) if self.newest else 0
        if not len(self.cases) or count == 0:
            return minibatch
        parts = [self.cases.drawn_minibatch(count - newest, rng)]
        if newest:
            parts.append(self.cases.drawn_minibatch(newest, rng, self.newest))
        return Minibatch(
            **{
                name: np.concatenate([*(getattr(part, name) for part in parts), array[count:]])
                for name, array in vars(minibatch).items()
            }
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the results of all rounds as arrays."""
        if not self.rounds:
            return {}
        longest = max(map(len, self.starts), default=0)
        starts = np.full((len(self.starts), longest), -1, np.int32)
        for row, actions in zip(starts, self.starts, strict=True):
            row[: len(actions)] = actions
        rounds = np.array([self.rounds, self.refuted, self.newest, self._last], np.int64)
        return {"rounds": rounds, "starts": starts, **self.cases.state()}

    def restore(self, tensors: Mapping[str, Any]) -> None:
        """Restore the result of ``state`` as tensors; a ``ValueError`` if they do not fit."""
        if not tensors:
            return
        rounds, starts = tensors["rounds"].numpy(), tensors["starts"].numpy()
        if (
            (rounds.shape, starts.ndim) != ((4,), 2)
            or (rounds.dtype, starts.dtype) != (np.int64, np.int32)
            or rounds[0] < 1
            or not np.isin(starts, np.arange(-1, self._game.num_actions)).all()
        ):
            raise ValueError("expected the exploiter's rounds and starts, got others")
        self.cases.restore(tensors)
        if not 0 <= rounds[3] <= rounds[2] <= len(self.cases):
            raise ValueError("expected as many hard cases as the last rounds have found")
        self.rounds, self.refuted, self.newest, self._last = rounds.tolist()
        self.starts = [tuple(int(a) for a in row if a >= 0) for row in starts]
