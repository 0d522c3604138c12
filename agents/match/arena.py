"""The arena: a round robin of any agents, with intervals, ratings and speeds."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from agents.match.arena_results import ArenaResults, ArenaRow, Effort, Matrix
from agents.match.game import DRAW, GameRecord, play_game
from agents.match.openings import iterate_openings, varied_openings
from agents.match.schedule import balanced_seats, round_robin
from agents.match.series import count_distinct
from agents.match.side_by_side import Held, play_side_by_side
from agents.match.statistics import cross_results, elo_intervals, elo_ratings

if TYPE_CHECKING:
    from agents import Agent
    from state_manager import State, StateManager


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


@dataclass(frozen=True)
class ArenaGame:
    """A finished game.

    Attributes:
        number: Which game of its pair it was, from 1.
        contestants: The places of player 1 and player 2 in ``Arena.contestants``.
        record: The game.
        efforts: What the moves of player 1 and of player 2 took, those of the opening left out.
    """

    number: int
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
    ``agents.match.openings``). All pairs advance together, so that an arena that is ended early has
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
        gauntlet: bool = False,
    ) -> None:
        """Prepare an arena.

        Args:
            game: The rules.
            contestants: At least two, of different names.
            games: Games of each pair; ``None`` for every first move from both sides.
            seed: Of all random numbers, at least 0.
            gauntlet: Whether only the first contestant meets all others, and they not each other.

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
        if gauntlet:
            self._pairs = tuple(pair for pair in self._pairs if 0 in pair)
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
            self._player(place, (pair, played, side), stop) for side, place in enumerate(players)
        )
        record = play_game(
            self.game, (first, second), seats.starting_player, self._openings[played]
        )
        efforts = first.effort, second.effort
        return ArenaGame(played + 1, (players[0], players[1]), record, efforts)

    def _player(self, place: int, key: tuple[int, ...], stop: Event) -> _Player:
        """Make a contestant's agent for one game."""
        contestant = self.contestants[place]
        agent = contestant.agent(self._seed_sequence(1, *key))
        agent.name = contestant.name
        return _Player(agent, stop)

    def results(self) -> ArenaResults:
        """Return the results of the games in ``records``, of those who have played."""
        played = ((game.contestants, game.winner) for game in self.records)
        present, wins, games = cross_results(played)
        drawn = games - wins - wins.T
        points = wins + 0.5 * drawn
        ratings, intervals = elo_ratings(points), elo_intervals(points)
        efforts: dict[int, list[Effort]] = defaultdict(list)
        for game in self.records:
            for place, effort in zip(game.contestants, game.efforts, strict=True):
                efforts[place].append(effort)
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
                effort=Effort.sum(efforts[place]),
            )
            for row, place in enumerate(present)
        )
        return ArenaResults(
            rows,
            wins=tuple(map(tuple, wins.tolist())),
            games=tuple(map(tuple, games.tolist())),
            distinct=self._distinct(present),
            total=len(self.records),
            planned=self.total_games,
        )

    def _distinct(self, present: Sequence[int]) -> Matrix:
        """Count the distinct games of each two of those who have played."""
        pairs: dict[frozenset[int], list[GameRecord]] = defaultdict(list)
        for game in self.records:
            pairs[frozenset(game.contestants)].append(game.record)
        return tuple(
            tuple(count_distinct(pairs[frozenset((one, other))]) for other in present)
            for one in present
        )

    def _seed_sequence(self, *key: int) -> np.random.SeedSequence:
        """Return the source of random numbers for one purpose."""
        return np.random.SeedSequence(self._seed, spawn_key=key)


class _Player(Held):
    """An agent whose effort is measured."""

    def __init__(self, agent: Agent, stop: Event) -> None:
        super().__init__(agent, stop)
        self._moves = 0
        self._seconds = 0.0

    def choose_action(self, state: State) -> int:
        started = time.perf_counter()
        action = super().choose_action(state)
        self._seconds += time.perf_counter() - started
        self._moves += 1
        return action

    @property
    def effort(self) -> Effort:
        """What the moves so far took; simulations are known of agents that count them."""
        return Effort(
            self._moves,
            self._seconds,
            getattr(self.agent, "simulations_run", 0),
            getattr(self.agent, "search_seconds", 0.0),
        )


def _first_moves(game: StateManager) -> int:
    """Return how many openings of one move there are; at least 1."""
    lengths = map(len, iterate_openings(game))
    return max(1, next((n for n, length in enumerate(lengths) if length > 1), 0))
