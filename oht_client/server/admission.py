"""Who may connect: a number of clients at once from one address, and a number in all."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from oht_client.errors import OHTError

REFUSALS = 8
"""Clients at once that are told why they may not stay; others are cut without a word."""

_OTHER_FILES = 32
"""Open files besides the clients' connections: listeners, logs, nets, and some to spare."""


class Verdict(Enum):
    """What becomes of a new connection."""

    WELCOME = 0
    REFUSED = 1
    CUT = 2


class Admission:
    """Counts connections.

    Attributes:
        most: Connections at once, in all.
        most_per_address: The same from one address.
    """

    def __init__(self, most: int, most_per_address: int) -> None:
        """Allow these numbers, or as many as the system has room for.

        Raises:
            OHTError: It has room for none.
        """
        files = _most_open_files()
        room = files - _OTHER_FILES - REFUSALS
        if room < 1:
            raise OHTError(
                f"expected at least {_OTHER_FILES + REFUSALS + 1} files that may be open at once,"
                f" got {files}; ulimit -n sets it"
            )
        self.most = min(most, room)
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


def _most_open_files() -> int:
    """Return how many files this process may have open; far more than enough if nobody says."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are not limited like that
        return 1 << 20
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
