"""Lines for people that do not become a flood, whatever clients do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

SECONDS = 60.0
"""How long a kind of notice is counted before more of it is said."""


@dataclass
class _Count:
    said: int = 0
    unsaid: int = 0


class Notices:
    """Says the first notices of each kind, counts the others, and says the count a minute later."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """Say everything to ``tell``."""
        self._tell = tell
        self._counts: dict[str, _Count] = {}

    def say(self, kind: str, text: str, most: int = 10) -> None:
        """Say something, if less than ``most`` of its kind has been said within a minute.

        Args:
            kind: What it is, as in "12 more connections refused".
            text: What to say.
            most: How many notices of the kind are said in full.
        """
        if kind not in self._counts:
            self._counts[kind] = _Count()
            asyncio.get_running_loop().call_later(SECONDS, self._sum_up, kind)
        count = self._counts[kind]
        if count.said < most:
            count.said += 1
            self._tell(text)
        else:
            count.unsaid += 1

    def sum_up(self) -> None:
        """Say what has not been said."""
        for kind in list(self._counts):
            self._sum_up(kind)

    def _sum_up(self, kind: str) -> None:
        count = self._counts.pop(kind, _Count())
        if count.unsaid:
            self._tell(f"{count.unsaid} more {kind}")
