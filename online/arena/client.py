"""Series in the arena, one after the other."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from online.arena.connection import ArenaConnection, enter
from online.arena.wire import ArenaWire, RefusedError
from online.errors import ConnectionEndedError
from online.player import TournamentPlayer
from online.session import play_session

_RETURN_ATTEMPTS = 20
"""Attempts, a second apart, to go back to a seat: the server holds it for half a minute."""
_LONGEST_PAUSE = 60.0
"""Seconds before the next series, after the server gave no seat or was lost several times."""


@dataclass(frozen=True)
class Entry:
    """How to enter the arena, by ``enter``."""

    address: str
    way: str = "matchmake"
    query: dict[str, object] = field(default_factory=dict)
    attempts: int = 3
    series: int | None = 1  # how many; ``None``: no limit
    until: float = float("inf")  # the last one begins, in monotonic time
    move_limit: float = 600.0  # of an opponent, in seconds


class ArenaClient:
    """Plays series with one player; ``way_back`` is the slot and token of the seat."""

    def __init__(self, entry: Entry, player: TournamentPlayer, tell: Callable[[str], None]) -> None:
        """Play as ``entry`` says; report to ``tell``."""
        self._entry, self._player, self._tell = entry, player, tell
        self.way_back: tuple[int, str] | None = None

    def play(self) -> None:
        """Play all series; a ``TournamentError`` if a rule is broken, or the only one is lost."""
        failures = 0
        for number in itertools.count(1):
            try:
                self._play_series()
                failures = 0
            except (ConnectionEndedError, RefusedError) as error:
                failures += 1
                pause = min(2.0**failures, _LONGEST_PAUSE)
                is_last = number == self._entry.series or self._is_late(pause)
                if is_last or not self._player.result.series:
                    raise
                self._tell(f"{error}; the next series in {pause:g} s")
                time.sleep(pause)
            if number == self._entry.series or self._is_late():
                return

    def _is_late(self, pause: float = 0.0) -> bool:
        return time.monotonic() + pause > self._entry.until

    def _play_series(self) -> None:
        entry = self._entry
        connection = enter(entry.address, entry.way, entry.query, entry.attempts, self._tell)
        how = self._tell, self._player.names, entry.move_limit, entry.until
        wire = ArenaWire(connection, self._go_back, *how)
        try:
            play_session(wire, self._player, self._tell)
        finally:
            self.way_back = wire.way_back
            wire.close()

    def _go_back(self, slot: int, token: str) -> ArenaConnection:
        query = {"slot_id": slot, "token": token}
        return enter(self._entry.address, "reconnect", query, _RETURN_ATTEMPTS, self._tell)
