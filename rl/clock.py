"""The clock of a run: training time, and the division of the time left."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from base.params import Params

T = TypeVar("T")

_CLOSING_SECONDS, _CLOSING_SHARE = 2.0, 0.25
"""Defaults of ``RunClock.closing``, and the least share of the start-up time on a busy machine."""
_LEARNING_SHARE = 0.25
"""Share of the time left that is kept for the first update, which is not measured yet."""
_ROUND_SHARE = 0.5
"""Longest round of the exploiter, as a share of the time since the last one."""


class RunClock:
    """Counts the seconds of a run, and sets deadlines if ``rl.minutes`` limits it."""

    def __init__(self, params: Params) -> None:
        """Start the clock."""
        minutes = params.rl.minutes
        self.before = 0.0  # seconds of the parts before ``--resume``
        self.closing = _CLOSING_SECONDS  # for the last checkpoint, the curves, the process's end
        self.length = math.inf if minutes is None else 60.0 * minutes  # of the whole run
        self._began = self._played = self._learned = self._update = self._after = 0.0
        self._share = _LEARNING_SHARE
        self.start()

    def start(self, began: float | None = None) -> None:
        """Count from now, or from the beginning of this part, by ``time.perf_counter``."""
        now = time.perf_counter()
        self._started, self._round = now if began is None else began, self.before
        self._end = self.length - max(self.closing, _CLOSING_SHARE * (now - self._started))

    @property
    def seconds(self) -> float:
        """Training time of the run, including earlier parts."""
        return self.before + time.perf_counter() - self._started

    def games_end(self) -> float:
        """Return the deadline of games that begin now, by ``time.time``; it may be infinite.

        Time is left after it for an update as long as the longest so far. Where the time does not
        suffice for a whole batch, both the batch and its update are shorter.
        """
        self._began = self.seconds
        left = max(0.0, self._end - self._began)
        kept = min(self._share * left, self._update or left)
        return time.time() + left - kept if left < math.inf else math.inf

    def note_games(self, is_cut: bool) -> float:
        """Note the end of the games; return how many seconds of the run are done.

        If the batch ``is_cut``, games were dropped as the time is up: all are done.
        """
        self._played = self.seconds
        return max(self._played, self.length) if is_cut else self._played

    def while_time_is_left(self, minibatches: Iterable[T]) -> Iterator[T]:
        """Yield the first minibatch of an update, and others until the work after it must begin."""
        for each in minibatches:
            yield each
            self._learned = self.seconds
            if self._learned >= self._end - self._after:
                return

    def round_end(self) -> float:
        """Return the deadline of a round of the exploiter that begins now, by ``perf_counter``.

        A round takes at most half as long as the games and updates since the last one, and ends
        when the work after the last update must begin.
        """
        now = self.seconds
        left = min(_ROUND_SHARE * (now - self._round), self._end - self._after - now)
        return time.perf_counter() + left if self.length < math.inf else math.inf

    def leave_out(self, seconds: float) -> None:
        """Leave the seconds of a round of the exploiter out of the time of the update."""
        self._began, self._played, self._learned = (
            each + seconds for each in (self._began, self._played, self._learned)
        )
        self._round = self.seconds

    def note_update(self) -> None:
        """Note the end of an update."""
        now = self.seconds
        self._update = max(self._update, now - self._played)
        self._after = max(self._after, now - self._learned)
        self._share = (now - self._played) / max(now - self._began, 1e-9)
