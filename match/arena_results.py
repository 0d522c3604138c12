"""What came out of an arena: scores with intervals, ratings, speeds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from match.statistics import wilson_interval

Matrix = tuple[tuple[int, ...], ...]


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
        """Return the score as JSON data, with what follows from it; no rating is ``None``."""
        data = {**asdict(self), "win_rate": self.win_rate, "low": self.low, "high": self.high}
        return {key: None if _is_nan(value) else value for key, value in data.items()}


@dataclass(frozen=True)
class ArenaRow(Score):
    """One contestant's results against all others.

    Attributes:
        name: See ``Contestant``, as for ``word``.
        elo: Elo points relative to the first row, which has 0; nan if no games join the two.
        elo_low: Lower end of its 95 % interval; see ``elo_intervals``.
        elo_high: Upper end.
        simulations: Simulations of all its searches.
        seconds: How long they took.
    """

    name: str
    word: str
    elo: float
    elo_low: float
    elo_high: float
    simulations: int
    seconds: float

    @property
    def simulations_per_second(self) -> float | None:
        """Speed while it searched, beside the other games; ``None`` for who does not search."""
        return self.simulations / self.seconds if self.seconds else None

    def to_json(self) -> dict[str, Any]:
        """See ``Score``."""
        return {**super().to_json(), "simulations_per_second": self.simulations_per_second}


@dataclass(frozen=True)
class ArenaResults:
    """What came out of an arena, or of as much of it as was played.

    Attributes:
        rows: The contestants who have played, in their order.
        wins: ``wins[i][j]``, games that row i won against row j.
        games: ``games[i][j]``, games that they played.
        distinct: Distinct games, counted within each pair and summed.
        total: Games played.
        planned: Games of the whole arena.
    """

    rows: tuple[ArenaRow, ...]
    wins: Matrix
    games: Matrix
    distinct: int
    total: int
    planned: int

    def pair(self, one: int, other: int) -> Score:
        """Return the score of row ``one`` against row ``other``, who have met."""
        games, wins, losses = self.games[one][other], self.wins[one][other], self.wins[other][one]
        return Score(games, wins, losses, games - wins - losses)

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON data, with the score of each pair."""
        return {
            "agents": [row.to_json() for row in self.rows],
            "pairs": [
                {
                    "first": self.rows[one].name,
                    "second": self.rows[other].name,
                    **self.pair(one, other).to_json(),
                }
                for one, other in combinations(range(len(self.rows)), 2)
                if self.games[one][other]
            ],
            "wins": [list(row) for row in self.wins],
            "games": [list(row) for row in self.games],
            "distinct": self.distinct,
            "total": self.total,
            "planned": self.planned,
        }


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
