"""How long a run has trained, and how what is left of its minutes is shared out."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator

from anet import Minibatch
from base.params import Params

_CLOSING_SECONDS, _CLOSING_SHARE = 2.0, 0.25
"""What is left for the last checkpoint, the curves, and the end of the process: so much, or this
share of what the start has taken, which is long where the machine is busy."""
_LEARNING_SHARE = 0.25
"""Of the time that is left, what is kept for the first update: it has not been measured yet."""


class Clock:
    """The seconds of a run, and where ``rl.minutes`` are its length what they leave time for.

    Attributes:
        before: Seconds of the parts before ``--resume``.
        length: Of the whole run, in seconds; infinite where episodes are its length.
    """

    def __init__(self, params: Params) -> None:
        """Begin to count."""
        minutes = params.rl.minutes
        self.before = 0.0
        self.length = math.inf if minutes is None else 60.0 * minutes
        self._began = self._played = self._learned = self._update = self._after = 0.0
        self._share = _LEARNING_SHARE
        self.start()

    def start(self, began: float | None = None) -> None:
        """Count from now, or from when this part of the run began, by ``time.perf_counter``."""
        now = time.perf_counter()
        self._started = now if began is None else began
        self._end = self.length - max(_CLOSING_SECONDS, _CLOSING_SHARE * (now - self._started))

    @property
    def seconds(self) -> float:
        """How long the run has trained, earlier parts included."""
        return self.before + time.perf_counter() - self._started

    def games_end(self) -> float:
        """Return when games that begin now must end, by ``time.time``; it may be infinite.

        What is left then is enough for an update as long as the longest so far; if a whole batch
        does not fit in before it, for one that is shorter as the batch is.
        """
        self._began = self.seconds
        left = max(0.0, self._end - self._began)
        kept = min(self._share * left, self._update or left)
        return time.time() + left - kept if left < math.inf else math.inf

    def note_games(self, is_cut: bool) -> float:
        """Hear that games are over; return how much of the run is done.

        Args:
            is_cut: Whether some were dropped, as the time is up. Then it is all done.
        """
        self._played = self.seconds
        return max(self._played, self.length) if is_cut else self._played

    def while_time_is_left(self, minibatches: Iterable[Minibatch]) -> Iterator[Minibatch]:
        """Yield the first minibatch of an update, and others until what follows must begin."""
        for each in minibatches:
            yield each
            self._learned = self.seconds
            if self._learned >= self._end - self._after:
                return

    def note_update(self) -> None:
        """Hear that an update has ended."""
        now = self.seconds
        self._update = max(self._update, now - self._played)
        self._after = max(self._after, now - self._learned)
        self._share = (now - self._played) / max(now - self._began, 1e-9)
