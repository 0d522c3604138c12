"""Which of the games that are announced shall be shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class GameFilter:
    """Decides for each game, in the order in which games are announced.

    It counts the announcements itself, since a title is only text.

    Attributes:
        every: For training: show episode 1 and then every so many, with 50 episodes 1, 50, 100 and
            so on. ``None`` for a tournament.
        first: For a tournament: how many games are shown of each series, which ``new_series``
            begins.
        announced: How many games were announced: of a run that is resumed, all before.
    """

    every: int | None = None
    first: int = 0
    announced: int = 0

    def new_series(self) -> None:
        """Start counting anew; the count of episodes goes on as before."""
        if self.every is None:
            self.announced = 0

    def announce(self) -> bool:
        """Count one more game, and tell whether it shall be shown."""
        self.announced += 1
        if self.every is None:
            return self.announced <= self.first
        return self.announced == 1 or self.announced % self.every == 0
