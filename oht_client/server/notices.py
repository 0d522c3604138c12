"""Lines for people, of which there are only a few a minute, whatever clients do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

SECONDS = 60.0
"""How long a kind of notice is counted before more of it is said."""


class Notices:
    """Says the first notices of each kind, counts the others, and says the count a minute later."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """Say everything to ``tell``."""
        self._tell = tell
        self._said: Counter[str] = Counter()
        self._unsaid: Counter[str] = Counter()

    def say(self, kind: str, text: str, most: int = 10) -> None:
        """Say something, if less than ``most`` of its kind has been said within a minute.

        Args:
            kind: What it is, as in "12 more connections refused".
            text: What to say.
            most: How many notices of the kind are said in full.
        """
        if kind not in self._said:
            asyncio.get_running_loop().call_later(SECONDS, self._sum_up, kind)
        if self._said[kind] < most:
            self._said[kind] += 1
            self._tell(text)
        else:
            self._unsaid[kind] += 1

    def sum_up(self) -> None:
        """Say what has not been said."""
        for kind in list(self._said):
            self._sum_up(kind)

    def _sum_up(self, kind: str) -> None:
        self._said.pop(kind, None)
        if count := self._unsaid.pop(kind, 0):
            self._tell(f"{count} more {kind}")
