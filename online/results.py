"""The results of a tournament: kept game by game, and summed up by opponent.

Moves are pairs (row, column) from 0, as in the tournament.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from base.storage import AppendLog, write_json


def utc_now() -> str:
    """Return the time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def opponent_in_words(opponent: int | str) -> str:
    """Return the words for an opponent: its name, else its number."""
    return opponent if isinstance(opponent, str) else f"player {opponent}"


@dataclass(frozen=True)
class PlayedGame:
    """A finished game; ``moves`` are all stones in turn, as far as the received states show."""

    starting_player: int
    winner: int
    moves: Sequence[tuple[int, int]]
    end_state: Sequence[int]


@dataclass
class SeriesResult:
    """The games against one opponent."""

    opponent: int | str  # its name or unique id
    series_id: int  # ours, 1 or 2
    num_games: int
    board_size: int
    agent: str
    won: int = 0
    lost: int = 0
    unplayed: int = 0  # games won or lost unfinished, because one side had left
    faults: int = 0  # moves that the fallback made, as the agent was late or failed
    judged: list[int] = field(default_factory=list)  # moves before our exact judge decided
    stats: tuple[int, int] | None = None  # the server's own count of our wins and losses

    @property
    def opponent_words(self) -> str:
        """The opponent in a sentence."""
        return opponent_in_words(self.opponent)

    @property
    def remaining(self) -> int:
        """The announced games that are not over."""
        return max(self.num_games - self.won - self.lost, 0)

    @property
    def disputed(self) -> bool:
        """Whether the server's count differs from ours."""
        return self.stats is not None and self.stats != (self.won, self.lost)

    def settle(self, wins: int, losses: int) -> None:
        """Apply the server's count: a side that leaves loses all remaining games."""
        self.stats = (wins, losses)
        won, lost = wins - self.won, losses - self.lost
        if won >= 0 and lost >= 0 and won + lost == self.remaining:
            self.won, self.lost, self.unplayed = wins, losses, won + lost


@dataclass
class TournamentResult:
    """All series of a tournament."""

    series: list[SeriesResult] = field(default_factory=list)
    score: float | None = None  # percentage of games won, if known
    illegal_actions: int = 0  # refused moves
    broken_off: str = ""  # why it ended early

    @property
    def won(self) -> int:
        """Games won in all."""
        return sum(series.won for series in self.series)

    @property
    def lost(self) -> int:
        """Games lost in all."""
        return sum(series.lost for series in self.series)


@dataclass
class Event:
    """The identity of a tournament; the first lines of ``result.json``."""

    server: str
    protocol: int
    kind: str | None = None  # ``verification``, ``official``, ``league`` or ``arena``, if known
    name: str | None = None  # of our player, if the server asked
    attempts_left: int | None = None  # official ones, after it
    started: str = field(default_factory=utc_now)
    ended: str | None = None


class TournamentRecord:
    """The files of a tournament: its games, then the result; ``lost`` games are not written."""

    def __init__(self, folder: Path) -> None:
        """Begin a record in a folder; write nothing before the end of the first game."""
        self.folder = folder
        self.lost, self.is_finished = 0, False
        self._games: AppendLog | None = None

    def close(self) -> None:
        """Close the file of games."""
        # A full disk was already reported when the game was added.
        with contextlib.suppress(OSError):
            if self._games is not None:
                self._games.close()

    def add_game(self, series: SeriesResult, game: PlayedGame) -> None:
        """Keep a finished game; an ``OSError`` if that fails."""
        if self._games is None:
            self._games = AppendLog(self.folder / "games.jsonl")
        where = {name: getattr(series, name) for name in ("opponent", "series_id", "board_size")}
        self._games.append(where | asdict(game))

    def finish(self, event: Event, result: TournamentResult) -> None:
        """Write the result; an ``OSError`` if that fails."""
        event.ended = utc_now()
        content = {**asdict(event), **asdict(result), "won": result.won, "lost": result.lost}
        write_json(self.folder / "result.json", content)
        self.is_finished = True
