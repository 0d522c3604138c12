"""The clocks of a game between two people, which the server keeps."""

from typing import Annotated, Literal, Self

from pydantic import Field

from web.server.requests import PageRequest

ClockKind = Literal["none", "3+2", "10+5", "1 day"]
_TIMES = {"none": (0.0, 0.0), "3+2": (180.0, 2.0), "10+5": (600.0, 5.0), "1 day": (86_400.0, 0.0)}
"""Seconds at the beginning, and seconds that a move adds; of "1 day", each move has all of it."""

_Seconds = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class Clock(PageRequest):
    """The clocks of both seats, in seconds; pairs are in the order of seats 0 and 1."""

    kind: ClockKind = "none"
    left: tuple[_Seconds, _Seconds] = (0.0, 0.0)  # when the clock that runs was started
    runs: Literal[0, 1] | None = None  # the seat whose clock runs
    since: float = 0.0  # when it was started, in seconds of the room's ``now``

    @classmethod
    def new(cls, kind: ClockKind) -> Self:
        """Return the clock of a new game."""
        return cls(kind=kind, left=(_TIMES[kind][0], _TIMES[kind][0]))

    def resumed(self, now: float) -> Self:
        """Return the clock that goes on from the time that it had when it was saved."""
        return self if self.runs is None else self.model_copy(update={"since": now})

    def times(self, now: float) -> tuple[float, float]:
        """Return the seconds that both seats have left."""
        times = list(self.left)
        if self.runs is not None:
            times[self.runs] = max(0.0, times[self.runs] - (now - self.since))
        return times[0], times[1]

    def late(self, now: float) -> int | None:
        """Return the seat whose time is up."""
        return None if self.runs is None or self.times(now)[self.runs] else self.runs

    def switched(self, runs: int | None, now: float, moved: bool) -> Self:
        """Return the clock from now on, when it runs for a seat, or for none.

        If the seat whose clock ran has ``moved``, it is given the seconds that a move adds.
        """
        whole, added = _TIMES[self.kind]
        times = list(self.times(now))
        if self.kind == "1 day" and runs is not None:
            times = [whole, whole]
        elif self.runs is not None and moved:
            times[self.runs] += added
        runs = None if self.kind == "none" else runs
        return self.model_copy(update={"left": tuple(times), "runs": runs, "since": now})
