"""The standings of a tournament."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from agents.match import Results, Row, Score, rank_correlation

RANDOM = "random"
"""The word of the random player, who is no net and stands outside the order of training."""
_MOSTLY_AGREE = 0.5
_NAMED_EXCEPTIONS = 3


@dataclass(frozen=True)
class Setup:
    """The settings of a tournament."""

    game: str
    game_params: Mapping[str, object]
    seed: int
    games_per_pair: int
    action_choice: str
    epsilon: float  # share of random moves (``topp.epsilon``), if the choice was ``epsilon_greedy``
    openings: int  # number of different openings of a series; 0 without openings

    @property
    def variation(self) -> str:
        """One sentence: the source of variation between the games of a series."""
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
class Standings(Results):
    """The results of a tournament or of its games so far, in order of training."""

    setup: Setup
    # By the name of a net, the share in [0, 1] of won positions that it throws away.
    regrets: Mapping[str, float] = field(default_factory=dict)
    regret_positions: int = 0  # the number of positions of that measurement

    @cached_property
    def rank_correlation(self) -> float | None:
        """Kendall's tau-b between order of training and win rate (``agents.match.statistics``)."""
        return rank_correlation(self._training, [row.win_rate for row in self._nets])

    @property
    def verdict(self) -> str:
        """One sentence: whether order of training and order of strength agree; exceptions."""
        if self.total < self.planned:
            return f"No verdict: {self.total} of {self.planned} games were played."
        if len(self._nets) == 1:
            return "Order of training and order of strength need at least two nets."
        tau = self.rank_correlation
        orders = "Order of training and order of strength"
        if tau is None:
            return f"{orders} cannot be compared: all did equally well, or were trained equally."
        if tau == 1.0:
            return f"{orders} agree (Kendall's tau 1.00)."
        trained = [row for row in self.rows if row.episode]
        if len(trained) > 1 and max(r.low for r in trained) <= min(r.high for r in trained):
            return (
                f"The {len(trained)} trained nets are equally good, as far as {self.total} games "
                f"show: their intervals overlap (Kendall's tau {tau:.2f}).{self._thrown_away}"
            )
        how = "mostly agree" if tau >= _MOSTLY_AGREE else "do not agree"
        exceptions = list(self._exceptions())
        if len(exceptions) > _NAMED_EXCEPTIONS:
            more = len(exceptions) - _NAMED_EXCEPTIONS
            exceptions[_NAMED_EXCEPTIONS:] = [f"and {more} more"]
        where = f": {', '.join(exceptions)}" if exceptions else ""
        return f"{orders} {how} (Kendall's tau {tau:.2f}){where}."

    @property
    def _thrown_away(self) -> str:
        """A sentence on the regrets of trained and untrained nets, if they were measured."""
        regrets = {row.episode: self.regrets.get(row.name) for row in self.rows}
        trained = [regret for episode, regret in regrets.items() if episode and regret is not None]
        if not trained or (untrained := regrets.get(0)) is None:
            return ""
        least, most = min(trained), max(trained)
        return (
            f" They throw away {least:.0%} to {most:.0%} of won positions, the untrained net "
            f"{untrained:.0%}."
        )

    @property
    def _nets(self) -> list[Row]:
        return [row for row in self.rows if row.word != RANDOM]

    @property
    def _training(self) -> list[int]:
        """The episodes of the nets, or their places where an episode is unknown."""
        episodes = [row.episode for row in self._nets if row.episode is not None]
        return episodes if len(episodes) == len(self._nets) else list(range(len(self._nets)))

    def _exceptions(self) -> Iterator[str]:
        """Yield a phrase for each two neighbours in training if the later did not do better."""
        trained = zip(self._training, self._nets, strict=True)
        for (earlier, worse), (later, better) in pairwise(trained):
            if earlier == later or worse.win_rate < better.win_rate:
                continue
            if worse.win_rate == better.win_rate:
                yield f"{better.name} did no better than {worse.name}"
            else:
                yield f"{worse.name} did better than {better.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the standings as JSON data, with derived values for other readers."""
        rows = [
            {"name": row.name, "episode": row.episode, **Score.to_json(row), "elo": row.elo}
            | ({"regret": self.regrets[row.name]} if row.name in self.regrets else {})
            for row in self.rows
        ]
        return {
            "rows": rows,
            "wins": self.wins,
            "games": self.games,
            "distinct": self.distinct_games,
            "total": self.total,
            "planned": self.planned,
            "setup": {**asdict(self.setup), "variation": self.setup.variation},
            "ranking": [row.name for row in sorted(self.rows, key=lambda row: -row.win_rate)],
            "rank_correlation": self.rank_correlation,
            "verdict": self.verdict,
            **({"regret_positions": self.regret_positions} if self.regrets else {}),
        }
