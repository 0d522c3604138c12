"""What came out of a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from agents.match import elo_ratings, rank_correlation, wilson_interval

Matrix = tuple[tuple[int, ...], ...]

_MOSTLY_AGREE = 0.5
_NAMED_EXCEPTIONS = 3


@dataclass(frozen=True)
class Row:
    """One participant's results against all others.

    Attributes:
        name: What it is called.
        episode: After how many episodes of training it was saved, if that is known.
        games: Games played: ``wins + losses + draws``.
        wins: Games won.
        losses: Games lost.
        draws: Games that nobody won.
        win_rate: In [0, 1]; a draw is half a win.
        low: Lower end of the win rate's 95 % Wilson interval.
        high: Upper end.
        elo: Elo points relative to the first row, which has 0.
    """

    name: str
    episode: int | None
    games: int
    wins: int
    losses: int
    draws: int
    win_rate: float
    low: float
    high: float
    elo: float


@dataclass(frozen=True)
class Setup:
    """How a tournament was played.

    Attributes:
        game: The game's name.
        game_params: Its parameters, such as ``{"size": 5}``.
        seed: Of all random numbers.
        games_per_pair: G.
        action_choice: How a net's distribution became a move.
        epsilon: Probability of a random move, if the choice was ``epsilon_greedy``.
        openings: From how many different openings the games of a series started; 0 if all of
            them started from the initial position.
    """

    game: str
    game_params: Mapping[str, object]
    seed: int
    games_per_pair: int
    action_choice: str
    epsilon: float
    openings: int

    @property
    def variation(self) -> str:
        """One sentence: what made the games of a series differ."""
        if self.openings:
            last = ", the last from one side only" if self.games_per_pair % 2 else ""
            many = "1 opening" if self.openings == 1 else f"{self.openings} different openings"
            return f"Greedy choice; each series starts from {many}, both sides in turn{last}."
        if self.action_choice == "probabilistic":
            return "Moves are drawn in proportion to the nets' probabilities."
        if self.action_choice == "epsilon_greedy":
            return f"Greedy choice, but a random move with probability {self.epsilon:g}."
        return "Greedy choice, always from the initial position."


@dataclass(frozen=True)
class Standings:
    """The results of a tournament, or of as much of it as was played.

    Attributes:
        rows: The participants, in order of training.
        wins: ``wins[i][j]``, games that row i won against row j.
        games: ``games[i][j]``, games that they played.
        distinct: Distinct games, counted within each series and summed.
        total: Games played.
        planned: Games that a whole tournament has.
        setup: How they were played.
    """

    rows: tuple[Row, ...]
    wins: Matrix
    games: Matrix
    distinct: int
    total: int
    planned: int
    setup: Setup

    @classmethod
    def from_results(
        cls,
        names: Sequence[str],
        episodes: Sequence[int | None],
        wins: Sequence[Sequence[int]],
        games: Sequence[Sequence[int]],
        distinct: int,
        planned: int,
        setup: Setup,
    ) -> Self:
        """Work out the rows; the arguments are the attributes of the class and of ``Row``.

        Raises:
            ValueError: Some participant has met neither the first one nor, through others, anyone
                who has.
        """
        won, played = np.array(wins, np.int64), np.array(games, np.int64)
        drawn = played - won - won.T
        elo = elo_ratings(won + 0.5 * drawn)
        if np.isnan(elo).any():
            alone = [name for name, rating in zip(names, elo, strict=True) if np.isnan(rating)]
            raise ValueError(f"expected games that join everyone to {names[0]}, none join {alone}")
        rows = tuple(
            _row(names[i], episodes[i], won[i].sum(), won[:, i].sum(), drawn[i].sum(), elo[i])
            for i in range(len(names))
        )
        total = int(played.sum()) // 2
        return cls(rows, _matrix(won), _matrix(played), distinct, total, planned, setup)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(row.name for row in self.rows)

    def ranking(self) -> tuple[Row, ...]:
        """Return the rows by win rate, the best first; equals in order of training."""
        return tuple(sorted(self.rows, key=lambda row: -row.win_rate))

    @cached_property
    def rank_correlation(self) -> float | None:
        """Kendall's tau-b between order of training and win rate (``agents.match.statistics``)."""
        return rank_correlation(self._training, [row.win_rate for row in self.rows])

    @property
    def verdict(self) -> str:
        """One sentence: do order of training and order of strength agree, and where not."""
        if self.total < self.planned:
            return f"No verdict: {self.total} of {self.planned} games were played."
        tau = self.rank_correlation
        orders = "Order of training and order of strength"
        if tau is None:
            return f"{orders} cannot be compared: all did equally well, or were trained equally."
        if tau == 1.0:
            return f"{orders} agree (Kendall's tau 1.00)."
        how = "mostly agree" if tau >= _MOSTLY_AGREE else "do not agree"
        exceptions = list(self._exceptions())
        if len(exceptions) > _NAMED_EXCEPTIONS:
            more = len(exceptions) - _NAMED_EXCEPTIONS
            exceptions[_NAMED_EXCEPTIONS:] = [f"and {more} more"]
        where = f": {', '.join(exceptions)}" if exceptions else ""
        return f"{orders} {how} (Kendall's tau {tau:.2f}){where}."

    @property
    def _training(self) -> list[int]:
        """The episodes of the rows, or their places where an episode is unknown."""
        episodes = [row.episode for row in self.rows if row.episode is not None]
        return episodes if len(episodes) == len(self.rows) else list(range(len(self.rows)))

    def _exceptions(self) -> Iterator[str]:
        """Name the neighbours in order of training of whom the later did not do better."""
        trained = zip(self._training, self.rows, strict=True)
        for (earlier, worse), (later, better) in pairwise(trained):
            if earlier == later or worse.win_rate < better.win_rate:
                continue
            if worse.win_rate == better.win_rate:
                yield f"{better.name} did no better than {worse.name}"
            else:
                yield f"{worse.name} did better than {better.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the standings as JSON data, with what follows from them for other readers."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            **data,
            "rows": [asdict(row) for row in self.rows],
            "wins": [list(row) for row in self.wins],
            "games": [list(row) for row in self.games],
            "setup": {**asdict(self.setup), "variation": self.setup.variation},
            "ranking": [row.name for row in self.ranking()],
            "rank_correlation": self.rank_correlation,
            "verdict": self.verdict,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the standings that ``to_json`` made this data from.

        Raises:
            ValueError: The data has another form.
        """
        try:
            return cls(
                rows=tuple(Row(**row) for row in data["rows"]),
                wins=_matrix(data["wins"]),
                games=_matrix(data["games"]),
                distinct=data["distinct"],
                total=data["total"],
                planned=data["planned"],
                setup=Setup(**{f.name: data["setup"][f.name] for f in fields(Setup)}),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"expected standings, got other data: {error}") from error


def _row(name: str, episode: int | None, wins: int, losses: int, draws: int, elo: float) -> Row:
    """Work out one participant's row from its sums."""
    games = int(wins + losses + draws)
    points = float(wins + 0.5 * draws)
    low, high = wilson_interval(points, games)
    win_rate = points / games if games else 0.5
    return Row(
        name, episode, games, int(wins), int(losses), int(draws), win_rate, low, high, float(elo)
    )


def _matrix(rows: Any) -> Matrix:
    """Return rows of numbers as tuples of Python integers."""
    return tuple(tuple(int(value) for value in row) for row in rows)
