"""Limits on what clients can do: how many connect at once, and how many lines they cause."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from enum import Enum

from oht_client.errors import OHTError

REFUSALS = 8
"""Clients at once that are told why they may not stay; others are cut without a word."""

NOTICE_SECONDS = 60.0
"""How long a kind of notice is counted before more of it is said."""

_OTHER_FILES = 32
"""Open files besides the clients' connections: listeners, logs, nets, and some to spare."""

Verdict = Enum("Verdict", ["WELCOME", "REFUSED", "CUT"])
"""What becomes of a new connection."""


class Admission:
    """Counts connections: at most ``most`` at once, and ``most_per_address`` from one address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        """Allow these numbers, or as many as the system has room for.

        Raises:
            OHTError: It has room for none.
        """
        self.most = room_for(most, _OTHER_FILES + REFUSALS)
        self.most_per_address = most_per_address
        self._addresses: Counter[str] = Counter()
        self._refusals = 0

    def enter(self, address: str) -> Verdict:
        """Say what becomes of a connection from an address; unless it is cut, it must leave."""
        if self._addresses.total() < self.most and self._addresses[address] < self.most_per_address:
            self._addresses[address] += 1
            return Verdict.WELCOME
        if self._refusals < REFUSALS:
            self._refusals += 1
            return Verdict.REFUSED
        return Verdict.CUT

    def leave(self, address: str, verdict: Verdict) -> None:
        """Make room again."""
        if verdict is Verdict.REFUSED:
            self._refusals -= 1
        else:
            self._addresses -= Counter([address])  # and forget an address of which none is left


class Notices:
    """Says the first notices of each kind, counts the others, and says the count a minute later."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """Say everything to ``tell``."""
        self._tell = tell
        self._said: Counter[str] = Counter()
        self._unsaid: Counter[str] = Counter()

    def say(self, kind: str, text: str, most: int = 10) -> None:
        """Say a text, if less than ``most`` of its kind have been said within a minute.

        The kind is put as in "12 more connections refused".
        """
        if kind not in self._said:
            asyncio.get_running_loop().call_later(NOTICE_SECONDS, self._sum_up, kind)
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


def room_for(most: int, others: int) -> int:
    """Return how many connections there may be beside so many other files: at most ``most``.

    Raises:
        OHTError: The system has room for none.
    """
    files = _most_open_files()
    if files <= others:
        raise OHTError(
            f"expected at least {others + 1} files that may be open at once, got {files};"
            " ulimit -n sets it"
        )
    return min(most, files - others)


def _most_open_files() -> int:
    """Return how many files this process may have open; far more than enough if nobody says."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are not limited like that
        return 1 << 20
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
