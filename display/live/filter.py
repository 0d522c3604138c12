"""Which of the games that are announced shall be shown."""

from __future__ import annotations


class GameFilter:
    """Decides for each game, in the order in which games are announced.

    It counts the announcements itself, since a title is only text. Build one with ``every`` for
    training or with ``first_of_series`` for a tournament.
    """

    def __init__(self, *, every: int | None, first: int, played: int) -> None:
        """Use ``every`` or ``first_of_series`` instead."""
        self._every = every
        self._first = first
        self._announced = played

    @classmethod
    def every(cls, every: int, played: int = 0) -> GameFilter:
        """Show episode 1 and then every so many: with 50, episodes 1, 50, 100 and so on.

        Args:
            every: At least 1; 1 shows all of them.
            played: Episodes that an earlier run has played, when one is resumed.
        """
        return cls(every=every, first=0, played=played)

    @classmethod
    def first_of_series(cls, games: int) -> GameFilter:
        """Show the first games of each series, which ``new_series`` begins.

        Args:
            games: Games shown in a series; 0 shows none.
        """
        return cls(every=None, first=games, played=0)

    def new_series(self) -> None:
        """Start counting anew; a filter made with ``every`` goes on as before."""
        if self._every is None:
            self._announced = 0

    def announce(self) -> bool:
        """Count one more game, and tell whether it shall be shown."""
        self._announced += 1
        if self._every is None:
            return self._announced <= self._first
        return self._announced == 1 or self._announced % self._every == 0
