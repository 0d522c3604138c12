"""The arena: a round robin of any agents, with intervals, ratings and speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from match.arena_results import ArenaResults, ArenaRow
from match.game import DRAW, GameRecord, play_game
from match.openings import iterate_openings, varied_openings
from match.schedule import balanced_seats, round_robin
from match.series import count_distinct
from match.side_by_side import Held, play_side_by_side
from match.statistics import cross_results, elo_intervals, elo_ratings

if TYPE_CHECKING:
    from agents import Agent
    from state_manager import StateManager


@dataclass(frozen=True)
class Contestant:
    """A participant, which makes a fresh agent for each of its games.

    Attributes:
        name: What it is called, in this arena by nobody else.
        word: What describes its agent.
        agent: Makes its agent for one game, with random numbers from this sequence.
    """

    name: str
    word: str
    agent: Callable[[np.random.SeedSequence], Agent]


class Effort(NamedTuple):
    """What an agent's searches took: nothing for one that does not search."""

    simulations: int
    seconds: float


@dataclass(frozen=True)
class ArenaGame:
    """A finished game.

    Attributes:
        contestants: The places of player 1 and player 2 in ``Arena.contestants``.
        record: The game.
        efforts: What the searches of player 1 and of player 2 took.
    """

    contestants: tuple[int, int]
    record: GameRecord
    efforts: tuple[Effort, Effort]

    @property
    def winner(self) -> int | None:
        """The place of the winner; ``None`` for a draw."""
        return None if self.record.winner == DRAW else self.contestants[self.record.winner - 1]


class Arena:
    """A round robin in which each two contestants play the same openings from both sides.

    The first stone stands on each cell in turn, then come openings of two moves, and so on (see
    ``match.openings``). All pairs advance together, so that an arena that is ended early has
    treated them alike. Each game has random numbers of its own, which depend on the seed, the
    pair and the game's number: it does not matter which thread plays it, nor how many there are.

    Attributes:
        game: The rules.
        contestants: Who takes part.
        records: The games that are finished. Whatever ends ``play`` early (Ctrl-C, say) leaves
            them here, and ``results`` works them out.
    """

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant],
        games: int | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare an arena.

        Args:
            game: The rules.
            contestants: At least two, of different names.
            games: Games of each pair; ``None`` for every first move from both sides.
            seed: Of all random numbers, at least 0.

        Raises:
            ValueError: There are fewer than two contestants, or two of one name.
        """
        names = [contestant.name for contestant in contestants]
        if len(names) < 2:
            raise ValueError(f"expected at least two agents to compare, got {len(names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"expected agents of different names, got {names}")
        self.game = game
        self.contestants = tuple(contestants)
        self.games_per_pair = 2 * _first_moves(game) if games is None else games
        self.records: list[ArenaGame] = []
        self._seed = seed
        self._pairs = round_robin(len(names))
        self._seats = balanced_seats(self.games_per_pair)
        starters = [seats.starting_player for seats in self._seats]
        self._openings = varied_openings(game, starters, self._seed_sequence(0))

    @property
    def total_games(self) -> int:
        """How many games the whole arena has."""
        return len(self._pairs) * self.games_per_pair

    def play(
        self, workers: int = 1, on_result: Callable[[ArenaGame], None] = lambda game: None
    ) -> ArenaResults:
        """Play the whole arena, from the start.

        Args:
            workers: How many threads play.
            on_result: Called with each game once it is over, in the order of the plan.

        Raises:
            IllegalActionError: A contestant broke the rules.
        """
        self.records = []
        numbers = range(self.total_games)
        play_side_by_side(self._play_one, numbers, workers, self.records, on_result)
        return self.results()

    def _play_one(self, number: int, stop: Event) -> ArenaGame:
        """Play a game, unless it is stopped before it is over; pairs take turns."""
        played, pair = divmod(number, len(self._pairs))
        seats, sides = self._seats[played], self._pairs[pair]
        players = sides if seats.first_is_player_1 else sides[::-1]
        first, second = (
            self.contestants[place].agent(self._seed_sequence(1, pair, played, player))
            for player, place in enumerate(players)
        )
        for agent, place in zip((first, second), players, strict=True):
            agent.name = self.contestants[place].name
        record = play_game(
            self.game,
            (Held(first, stop), Held(second, stop)),
            seats.starting_player,
            self._openings[played],
        )
        return ArenaGame((players[0], players[1]), record, (_effort(first), _effort(second)))

    def results(self) -> ArenaResults:
        """Return the results of the games in ``records``, of those who have played."""
        played = ((game.contestants, game.winner) for game in self.records)
        present, wins, games = cross_results(played)
        drawn = games - wins - wins.T
        points = wins + 0.5 * drawn
        ratings, intervals = elo_ratings(points), elo_intervals(points)
        efforts = np.zeros((len(self.contestants), 2))
        pairs: dict[frozenset[int], list[GameRecord]] = {}
        for game in self.records:
            pairs.setdefault(frozenset(game.contestants), []).append(game.record)
            for place, effort in zip(game.contestants, game.efforts, strict=True):
                efforts[place] += effort
        rows = tuple(
            ArenaRow(
                games=int(games[row].sum()),
                wins=int(wins[row].sum()),
                losses=int(wins[:, row].sum()),
                draws=int(drawn[row].sum()),
                name=self.contestants[place].name,
                word=self.contestants[place].word,
                elo=float(ratings[row]),
                elo_low=float(intervals[row, 0]),
                elo_high=float(intervals[row, 1]),
                simulations=round(efforts[place, 0]),
                seconds=float(efforts[place, 1]),
            )
            for row, place in enumerate(present)
        )
        return ArenaResults(
            rows,
            wins=tuple(map(tuple, wins.tolist())),
            games=tuple(map(tuple, games.tolist())),
            distinct=sum(map(count_distinct, pairs.values())),
            total=len(self.records),
            planned=self.total_games,
        )

    def _seed_sequence(self, *key: int) -> np.random.SeedSequence:
        """Return the source of random numbers for one purpose."""
        return np.random.SeedSequence(self._seed, spawn_key=key)


def _effort(agent: Agent) -> Effort:
    """Return what an agent's searches took, if it counts them."""
    return Effort(getattr(agent, "simulations_run", 0), getattr(agent, "search_seconds", 0.0))


def _first_moves(game: StateManager) -> int:
    """Return how many openings of one move there are; at least 1."""
    lengths = map(len, iterate_openings(game))
    return max(1, next((n for n, length in enumerate(lengths) if length > 1), 0))
