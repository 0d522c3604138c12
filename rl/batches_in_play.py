"""The batches of episodes in play: with ``rl.lag``, play goes on in parallel with learning.

While the net learns from a batch, the next ``rl.lag`` batches are played. Batch b is played with
the net after update b - 1 - lag, or with the untrained one before the first update. So the same
seed gives the same nets at any speed.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import chain
from threading import Event
from typing import Any

from agents.match import GameStoppedError, Observer
from agents.match.series import TICK_SECONDS
from anet import ANET
from base.jit import deferred_interrupts
from base.params import Params
from base.storage import with_prefix
from rl import schedule
from rl.episode import Episode
from rl.self_play_engine import NetWeights, SelfPlayEngine


class BatchesInPlay:
    """The batches in play, their nets, and their finished episodes.

    Attributes:
        finished: Episodes, by number, waiting for the rest of their batch.
    """

    def __init__(self, anet: ANET, params: Params) -> None:
        """Prepare to play; with a lag, ``anet``, which learns, is not the net of the engine."""
        self.finished: dict[int, Episode] = {}
        self._anet = anet
        self._params = params
        self._nets: list[NetWeights] = []
        """Weights for the next batch and each after it; the last are the current ones."""
        self._begun: dict[int, Future[None]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._stop = Event()

    def play(
        self,
        engine: SelfPlayEngine,
        episode: int,
        observers: Sequence[Observer],
        meanwhile: Callable[[], object],
        until: float,
    ) -> list[Episode]:
        """Play the batch after ``episode`` to its end, and begin the next.

        See ``SelfPlayEngine.play``. If the time was up, the batch is shorter, and its games are
        renumbered without gaps.
        """
        batches = schedule.batches(self._params, episode)
        for number in self.finished.keys() - set(chain(*batches)):
            del self.finished[number]  # from when the run was planned longer
        if self._params.rl.lag == 0:
            engine.play(batches[0], self.finished, observers, meanwhile, until=until)
            return self._played(batches[0])
        self._nets = self._nets or [self._anet.weights()] * (self._params.rl.lag + 1)
        if self._pool is None:
            # Threads play one batch after the other; a cluster plays all at once.
            self._pool = ThreadPoolExecutor(len(self._nets) if engine.cluster else 1)
            self._stop = Event()
        with deferred_interrupts():  # which could leave a lock of the pool taken
            for numbers, net in zip(batches, self._nets, strict=False):
                if numbers[0] not in self._begun:
                    self._begun[numbers[0]] = self._pool.submit(
                        engine.play, numbers, self.finished, (), self._check_going_on, net, until
                    )
        first = self._begun[episode + 1]
        while not wait([first], TICK_SECONDS).done:
            meanwhile()
        first.result()
        return self._played(batches[0])

    @deferred_interrupts()
    def _played(self, numbers: Sequence[int]) -> list[Episode]:
        """Return the finished episodes of a batch; if some are missing, end all other play."""
        played = [self.finished[number] for number in numbers if number in self.finished]
        if len(played) < len(numbers):
            self.end()
            for number, each in zip(numbers, played, strict=False):
                each.number = number
            self.finished = {each.number: each for each in played}
        return played

    def go_on(self, numbers: Sequence[int]) -> None:
        """Drop a batch after the net has learned from it, and move on to the next."""
        for number in numbers:
            del self.finished[number]
        if self._nets:
            self._begun.pop(numbers[0], None)
            self._nets = [*self._nets[1:], self._anet.weights()]

    def end(self) -> None:
        """Stop all play; finished episodes stay."""
        self._stop.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool, self._begun = None, {}

    def tensors(self) -> dict[str, Any]:
        """Return the older nets of coming batches for a checkpoint, without the current one."""
        return {
            f"lag.{place}.{name}": tensor
            for place, net in enumerate(self._nets[:-1])
            for name, tensor in net.items()
        }

    def restore(self, tensors: Mapping[str, Any]) -> None:
        """Restore the result of ``tensors`` from a checkpoint's tensors."""
        older = [with_prefix(tensors, f"lag.{place}.") for place in range(self._params.rl.lag)]
        self._nets = [*older, self._anet.weights()] if any(older) else []

    def _check_going_on(self) -> None:
        if self._stop.is_set():
            raise GameStoppedError
