"""What came out of an arena: scores with intervals, ratings, efforts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

from agents.match.statistics import wilson_interval

Matrix = tuple[tuple[int, ...], ...]


class Effort(NamedTuple):
    """What an agent's moves took; other games were played beside.

    Attributes:
        moves: Moves that it chose.
        seconds: How long it thought in all.
        simulations: Simulations of its searches; 0 for one that does not search.
        search_seconds: How long the searches took.
    """

    moves: int
    seconds: float
    simulations: int
    search_seconds: float

    @classmethod
    def sum(cls, efforts: Iterable[Self]) -> Self:
        """Return several efforts in one."""
        columns = list(zip(cls(0, 0.0, 0, 0.0), *efforts, strict=True))
        return cls(*map(sum, columns))

    @property
    def seconds_per_move(self) -> float | None:
        """Time for a move; ``None`` before the first."""
        return self.seconds / self.moves if self.moves else None

    @property
    def simulations_per_move(self) -> float | None:
        """How thorough it is; ``None`` for who does not search."""
        return self.simulations / self.moves if self.simulations else None

    @property
    def simulations_per_second(self) -> float | None:
        """Speed while it searches; ``None`` for who does not search."""
        return self.simulations / self.search_seconds if self.search_seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return the effort as JSON data, with what follows from it."""
        return {
            **self._asdict(),
            "seconds_per_move": self.seconds_per_move,
            "simulations_per_move": self.simulations_per_move,
            "simulations_per_second": self.simulations_per_second,
        }


@dataclass(frozen=True)
class Score:
    """Games of one side against another, or against all others.

    Attributes:
        games: Games played: ``wins + losses + draws``.
        wins: Games won.
        losses: Games lost.
        draws: Games that nobody won.
    """

    games: int
    wins: int
    losses: int
    draws: int

    @property
    def win_rate(self) -> float:
        """In [0, 1]; a draw is half a win."""
        return (self.wins + 0.5 * self.draws) / self.games

    @property
    def low(self) -> float:
        """Lower end of the win rate's 95 % Wilson interval."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """Upper end of the win rate's 95 % Wilson interval."""
        return self._interval[1]

    @property
    def _interval(self) -> tuple[float, float]:
        return wilson_interval(self.wins + 0.5 * self.draws, self.games)

    def to_json(self) -> dict[str, Any]:
        """Return the score as JSON data, with what follows from it."""
        counts = {name: getattr(self, name) for name in ("games", "wins", "losses", "draws")}
        return {**counts, "win_rate": self.win_rate, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class ArenaRow(Score):
    """One contestant's results against all others.

    Attributes:
        name: See ``Contestant``, as for ``word``.
        elo: Elo points relative to the first row, which has 0; nan if no games join the two.
        elo_low: Lower end of its 95 % interval; see ``elo_intervals``.
        elo_high: Upper end.
        effort: What its moves took.
    """

    name: str
    word: str
    elo: float
    elo_low: float
    elo_high: float
    effort: Effort

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data; a rating that there is not is ``None``."""
        ratings = {name: getattr(self, name) for name in ("elo", "elo_low", "elo_high")}
        return {
            "name": self.name,
            "agent": self.word,
            **super().to_json(),
            **{name: None if math.isnan(value) else value for name, value in ratings.items()},
            "effort": self.effort.to_json(),
        }


@dataclass(frozen=True)
class Pair(Score):
    """Two contestants' games against each other, seen from the first.

    Attributes:
        first: The name of one.
        second: The name of the other.
        distinct: How many of the games differ; see ``count_distinct``.
    """

    first: str
    second: str
    distinct: int

    def to_json(self) -> dict[str, Any]:
        """See ``Score``."""
        names = {"first": self.first, "second": self.second}
        return {**names, **super().to_json(), "distinct": self.distinct}


@dataclass(frozen=True)
class ArenaResults:
    """What came out of an arena, or of as much of it as was played.

    Attributes:
        rows: The contestants who have played, in their order.
        wins: ``wins[i][j]``, games that row i won against row j.
        games: ``games[i][j]``, games that they played.
        distinct: ``distinct[i][j]``, how many of these differ.
        total: Games played.
        planned: Games of the whole arena.
    """

    rows: tuple[ArenaRow, ...]
    wins: Matrix
    games: Matrix
    distinct: Matrix
    total: int
    planned: int

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The scores of each two rows that have met, the earlier row first."""
        return tuple(
            self._pair(one, other)
            for one, other in combinations(range(len(self.rows)), 2)
            if self.games[one][other]
        )

    def _pair(self, one: int, other: int) -> Pair:
        """Return the score of row ``one`` against row ``other``."""
        games, wins, losses = self.games[one][other], self.wins[one][other], self.wins[other][one]
        return Pair(
            games,
            wins,
            losses,
            draws=games - wins - losses,
            first=self.rows[one].name,
            second=self.rows[other].name,
            distinct=self.distinct[one][other],
        )

    @property
    def distinct_games(self) -> int:
        """Distinct games, counted within each pair and summed."""
        return sum(pair.distinct for pair in self.pairs)

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
        return {
            "total": self.total,
            "planned": self.planned,
            "distinct": self.distinct_games,
            "agents": [row.to_json() for row in self.rows],
            "pairs": [pair.to_json() for pair in self.pairs],
            "wins": [list(row) for row in self.wins],
            "games": [list(row) for row in self.games],
        }
