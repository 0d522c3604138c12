"""Notices for the owner of the page, summed up; and the number of files that may be open."""

import asyncio
from collections import Counter
from collections.abc import Callable

from oht_client.errors import OHTError

NOTICE_SECONDS = 60.0
"""Rate-limit window of a kind of notice, in seconds."""


class Notices:
    """Reports the first notices of each kind, counts the others, and reports the count later."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """Report to ``tell``."""
        self._tell = tell
        self._said: Counter[str] = Counter()
        self._unsaid: Counter[str] = Counter()

    def say(self, kind: str, text: str, most: int = 10) -> None:
        """Report a text, at most ``most`` times per kind, as in "12 more KIND", and window."""
        if kind not in self._said:
            asyncio.get_running_loop().call_later(NOTICE_SECONDS, self._sum_up, kind)
        if self._said[kind] < most:
            self._said[kind] += 1
            self._tell(text)
        else:
            self._unsaid[kind] += 1

    def sum_up(self) -> None:
        """Report the pending counts."""
        for kind in list(self._said):
            self._sum_up(kind)

    def _sum_up(self, kind: str) -> None:
        self._said.pop(kind, None)
        if count := self._unsaid.pop(kind, 0):
            self._tell(f"{count} more {kind}")


def room_for(most: int, others: int) -> int:
    """Return the possible number of connections beside ``others`` open files, at most ``most``.

    If the system's limit of open files leaves room for none, raise an ``OHTError``.
    """
    try:
        import resource
    except ImportError:  # Windows, which has no such limit for sockets
        return most
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return most
    if files <= others:
        raise OHTError(
            f"expected at least {others + 1} files that may be open at once, got {files};"
            " ulimit -n sets it"
        )
    return min(most, files - others)
