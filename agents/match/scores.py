"""Results of a round robin: scores with intervals, ratings, efforts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.match.game_record import Effort, GameRecord
from agents.match.series import count_distinct
from agents.match.statistics import elo_ratings, wilson_interval
from state_manager import DRAW

if TYPE_CHECKING:
    from anet.evaluator import Evaluator

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Contestant:
    """A participant of a round robin, under a unique name."""

    name: str
    agent: Callable[[np.random.SeedSequence], Agent]  # with these random numbers
    word: str = ""  # that describes the agent
    episode: int | None = None  # training episodes of the net, if it is a net
    net: Evaluator | None = None  # if it plays without search


class ScoredGame(NamedTuple):
    """A finished game of a round robin; see ``PlannedGame`` for its number and places."""

    number: int
    places: tuple[int, int]
    record: GameRecord

    @property
    def winner(self) -> int | None:
        """The place of the winner; ``None`` for a draw."""
        return None if self.record.winner == DRAW else self.places[self.record.winner - 1]


@dataclass(frozen=True)
class Score:
    """Games of one side against another or all others; ``games`` is their number."""

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
        return wilson_interval(self.wins + 0.5 * self.draws, self.games)[0]

    @property
    def high(self) -> float:
        """Upper end of the win rate's 95 % Wilson interval."""
        return wilson_interval(self.wins + 0.5 * self.draws, self.games)[1]

    def to_json(self) -> dict[str, Any]:
        """Return the score as JSON data, with the derived rates."""
        names = ("games", "wins", "losses", "draws", "win_rate", "low", "high")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Row(Score):
    """One contestant's results against all others; see also ``Contestant``."""

    name: str
    word: str
    elo: float  # in points relative to the first row, which has 0; nan if no games join the two
    elo_low: float  # the ends of its 95 % interval
    elo_high: float
    effort: Effort
    episode: int | None = None
    judged: tuple[int, ...] = ()  # moves before its exact judge decided, in each such game

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data; a missing rating is ``None``."""
        data = {"name": self.name, "agent": self.word, **super().to_json()}
        for name in ("elo", "elo_low", "elo_high"):
            data[name] = None if math.isnan(getattr(self, name)) else getattr(self, name)
        judged = {"judged": self.judged} if self.judged else {}
        return {**data, "effort": self.effort.to_json(), **judged}


@dataclass(frozen=True)
class Pair(Score):
    """Games of two contestants, seen from the first; ``distinct`` counts different games."""

    first: str
    second: str
    distinct: int

    def to_json(self) -> dict[str, Any]:
        """See ``Score``."""
        score = super().to_json()
        return {"first": self.first, "second": self.second, **score, "distinct": self.distinct}


@dataclass(frozen=True)
class Results:
    """The results of a round robin, or of its games so far."""

    rows: tuple[Row, ...]  # the contestants that have played, in their order
    wins: Matrix  # ``wins[i][j]``, games that row i won against row j
    games: Matrix  # of each two rows
    distinct: Matrix  # the number of different ones
    planned: int  # of the whole round robin

    @property
    def total(self) -> int:
        """Games played."""
        return sum(map(sum, self.games)) // 2

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The scores of each two rows with games, the earlier row first."""
        found = []
        for (i, one), (j, other) in combinations(enumerate(self.rows), 2):
            if games := self.games[i][j]:
                wins, losses = self.wins[i][j], self.wins[j][i]
                score = games, wins, losses, games - wins - losses
                found.append(Pair(*score, one.name, other.name, self.distinct[i][j]))
        return tuple(found)

    @property
    def distinct_games(self) -> int:
        """Distinct games, counted within each pair and summed."""
        return sum(map(sum, self.distinct)) // 2

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
        return {
            "total": self.total,
            "planned": self.planned,
            "distinct": self.distinct_games,
            "agents": [row.to_json() for row in self.rows],
            "pairs": [pair.to_json() for pair in self.pairs],
            "wins": self.wins,
            "games": self.games,
        }


def results_of(
    played: Iterable[ScoredGame], contestants: Sequence[Contestant], planned: int
) -> Results:
    """Return the results of the contestants with games; ``planned`` is the number of all games."""
    records: dict[frozenset[int], list[GameRecord]] = defaultdict(list)
    wins: Counter[tuple[int, int]] = Counter()
    efforts: dict[int, list[Effort]] = defaultdict(list)
    judged: dict[int, list[int]] = defaultdict(list)
    for game in played:
        records[frozenset(game.places)].append(game.record)
        if game.winner is not None:
            wins[game.winner, sum(game.places) - game.winner] += 1
        of_both = zip(game.places, game.record.efforts, game.record.judged, strict=True)
        for place, effort, moves in of_both:
            efforts[place].append(effort)
            judged[place] += [] if moves is None else [moves]
    present = sorted(efforts)
    won = tuple(tuple(wins[one, other] for other in present) for one in present)
    met = [[records[frozenset((one, other))] for other in present] for one in present]
    games = tuple(tuple(map(len, row)) for row in met)
    points = np.array(won, np.float64).reshape(len(present), len(present))
    points += 0.5 * (np.reshape(games, points.shape) - points - points.T)
    rows = []
    by_row = zip(present, games, won, zip(*won, strict=True), elo_ratings(points), strict=True)
    for place, met_by, beaten, beaten_by, elo in by_row:
        total, wins_, losses = sum(met_by), sum(beaten), sum(beaten_by)
        each, effort = contestants[place], Effort.sum(efforts[place])
        score = total, wins_, losses, total - wins_ - losses
        rating, low, high = elo.tolist()
        about = effort, each.episode, tuple(judged[place])
        rows.append(Row(*score, each.name, each.word, rating, low, high, *about))
    distinct = tuple(tuple(map(count_distinct, row)) for row in met)
    return Results(tuple(rows), won, games, distinct, planned)
