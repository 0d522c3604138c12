"""What came of a tournament: kept game by game, and summed up by opponent."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from storage import AppendLog, write_json

if TYPE_CHECKING:
    from state_manager import StateManager


@dataclass
class SeriesResult:
    """The games against one opponent.

    Attributes:
        opponent: The opponent's unique id.
        series_id: Which player we are, 1 or 2.
        num_games: How many games were announced.
        board_size: K.
        agent: Who plays for us.
        won: Games that we have won so far.
        lost: Games that we have lost so far.
        faults: Moves that the fallback made, as the agent was late or failed.
        stats: The server's own count of our wins and losses, once it has come.
    """

    opponent: int
    series_id: int
    num_games: int
    board_size: int
    agent: str
    won: int = 0
    lost: int = 0
    faults: int = 0
    stats: tuple[int, int] | None = None

    @property
    def disputed(self) -> bool:
        """Whether the server has counted otherwise than we have."""
        return self.stats is not None and self.stats != (self.won, self.lost)


@dataclass
class TournamentResult:
    """All series of a tournament.

    Attributes:
        series: One for each opponent, in order.
        score: Percentage of games won, from the server; ``None`` if it did not come to that.
        illegal_actions: Moves that the server refused.
    """

    series: list[SeriesResult] = field(default_factory=list)
    score: float | None = None
    illegal_actions: int = 0

    @property
    def won(self) -> int:
        """Games won in all."""
        return sum(series.won for series in self.series)

    @property
    def lost(self) -> int:
        """Games lost in all."""
        return sum(series.lost for series in self.series)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {**asdict(self), "won": self.won, "lost": self.lost}


class TournamentRecord:
    """The run directory of a tournament: ``games.jsonl`` as it goes, ``result.json`` at the end."""

    def __init__(self, folder: Path) -> None:
        """Begin a record in a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._games = AppendLog(folder / "games.jsonl")

    def __enter__(self) -> Self:
        """Return the record itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file of games."""
        # What does not fit on the disk was missed when it was added.
        with contextlib.suppress(OSError):
            self._games.close()

    def add_game(self, series: SeriesResult, game: PlayedGame) -> None:
        """Keep a finished game."""
        self._games.append(
            {
                "opponent": series.opponent,
                "series_id": series.series_id,
                "board_size": series.board_size,
                **asdict(game),
            }
        )

    def finish(self, result: TournamentResult) -> None:
        """Write the result."""
        write_json(self.folder / "result.json", result.to_json())


@dataclass(frozen=True)
class PlayedGame:
    """A finished game.

    Attributes:
        starting_player: Who made the first move, 1 or 2.
        winner: Who won, 1 or 2.
        actions: The cells of all stones in turn, row by row from 0, as far as the states that
            came in tell them.
        end_state: The flat state at the end.
    """

    starting_player: int
    winner: int
    actions: Sequence[int]
    end_state: Sequence[int]


class GameWatcher:
    """Follows a game from the states that come in, for displays and records alone.

    Whoever chooses moves never asks it: each request holds the whole board.
    """

    def __init__(self, game: StateManager, starting_player: int) -> None:
        """Watch a game from its empty board."""
        self.starting_player = starting_player
        self.actions: list[int] = []
        self.state = game.initial_state(starting_player)
        self._game = game

    def see(self, flat: Sequence[int]) -> bool:
        """Take in a board; return whether exactly one legal stone is new on it."""
        before = self._game.to_flat(self.state)[1:]
        if len(flat) != 1 + len(before):
            return False
        new = [cell for cell, stone in enumerate(flat[1:]) if stone != before[cell]]
        if len(new) != 1 or flat[1 + new[0]] != self.state[0] or before[new[0]] != 0:
            return False
        self.play(new[0])
        return True

    def play(self, action: int) -> None:
        """Take in a move."""
        self.state = self._game.child_state(self.state, action)
        self.actions.append(action)
