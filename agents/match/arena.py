"""The arena: a round robin of any agents, in which each two play the same openings."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from agents.make import make_agent
from agents.match.openings import iterate_openings, varied_openings
from agents.match.results import Contestant, PlayedGame, Results, results_of
from agents.match.series import PlannedGame, game_title, play_series

if TYPE_CHECKING:
    from agents import Agent
    from agents.match.record import GameRecord, Observer
    from agents.sides import Side
    from state_manager import StateManager

    TwoAgents = tuple[Agent, Agent]


class Arena:
    """A round robin in which each two contestants play the same openings from both sides.

    The first stone stands on each cell in turn, then come openings of two moves, and so on (see
    ``agents.match.openings``). All pairs advance together, so that an arena that is ended early has
    treated them alike. Each game has random numbers of its own, which depend on the seed, the
    pair and the game's number: it does not matter how many threads play.

    Attributes:
        pairs: The places in ``contestants`` of the first and the second side of each pair.
        seats: Whether the first side is player 1 in each game of a pair, and who starts it, 1 or 2.
        openings: The opening of each game of a pair.
        watched: Places in the plan of the games that observers see move by move.
        names_first_side_first: Whether titles begin with the first side; else with player 1.
    """

    names_first_side_first = False

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant | str],
        games: int | None = None,
        seed: int = 0,
        gauntlet: bool = False,
    ) -> None:
        """Prepare an arena.

        Args:
            game: The rules.
            contestants: At least two, of different names; words of agents stand for themselves.
            games: Of each pair; ``None`` for every first move from both sides.
            seed: Of all random numbers, at least 0.
            gauntlet: Whether only the first contestant meets all others, and they not each other.

        Raises:
            ValueError: There are fewer than two contestants, or two of one name, or a word
                describes no agent of this game.
        """
        self.contestants = tuple(_contestant(each, game) for each in contestants)
        names = [contestant.name for contestant in self.contestants]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(f"expected at least two contestants of different names, got {names}")
        self.game = game
        self.games_per_pair = 2 * _first_moves(game) if games is None else games
        self.seed = seed
        self.pairs = tuple(pair for pair in round_robin(len(names)) if not gauntlet or 0 in pair)
        self.watched: Container[int] = ()
        self.seats = [seats(number) for number in range(self.games_per_pair)]
        starters = [starter for _, starter in self.seats]
        self.openings = varied_openings(game, starters, self.random(0))
        self._plan: Sequence[PlannedGame] = ()
        self._finished: dict[int, GameRecord] = {}

    @property
    def total_games(self) -> int:
        """How many games there are in all."""
        return len(self.pairs) * self.games_per_pair

    def play(
        self,
        workers: int = 1,
        observers: Sequence[Observer] = (),
        on_result: Callable[[PlayedGame], None] = lambda game: None,
    ) -> None:
        """Play all games, from the start, as ``play_series`` does; see ``results``."""
        self._finished.clear()
        self._plan = self.plan()
        play_series(
            self.game,
            self._plan,
            self._finished,
            workers,
            observers,
            self.watched,
            lambda place: on_result(self._played(place)),
        )

    @property
    def records(self) -> list[PlayedGame]:
        """The games that are finished, in the order of the plan, whatever ended ``play`` early."""
        return [self._played(place) for place in sorted(self._finished)]

    def results(self) -> Results:
        """Return the results of the games in ``records``, of those who have played."""
        return results_of(self.records, self.contestants, self.total_games)

    def plan(self) -> list[PlannedGame]:
        """Return all games, in the order in which they are played."""
        pairs, games = range(len(self.pairs)), range(self.games_per_pair)
        return [self.planned(pair, played) for played in games for pair in pairs]

    def planned(self, pair: int, played: int) -> PlannedGame:
        """Return the game of a pair that has played this number of games before."""
        first_is_player_1, starting_player = self.seats[played]
        places = self.pairs[pair] if first_is_player_1 else self.pairs[pair][::-1]
        named = self.pairs[pair] if self.names_first_side_first else places
        names = [self.contestants[place].name for place in named]
        return PlannedGame(
            partial(self.agents, pair, played, places),
            starting_player,
            self.openings[played],
            game_title(names, played + 1, self.games_per_pair),
            places,
            played + 1,
        )

    def agents(self, pair: int, played: int, places: tuple[int, int]) -> TwoAgents:
        """Return player 1 and player 2 of a game of a pair, by their places."""
        first, second = places
        return self.agent(first, 1, pair, played, 0), self.agent(second, 1, pair, played, 1)

    def agent(self, place: int, *key: int) -> Agent:
        """Make an agent of a contestant, with the random numbers of this key."""
        contestant = self.contestants[place]
        agent = contestant.agent(self.random(*key))
        agent.name = contestant.name
        return agent

    def random(self, *key: int) -> np.random.SeedSequence:
        """Return the source of random numbers for one purpose."""
        return np.random.SeedSequence(self.seed, spawn_key=key)

    def _played(self, place: int) -> PlayedGame:
        """Return the finished game at a place of the plan."""
        planned = self._plan[place]
        return PlayedGame(planned.number, planned.places, self._finished[place])


class WonStarts(Arena):
    """The first contestant plays what it can hold against each other one, and nothing else.

    Attributes:
        sides: What there is to hold; a game each.
    """

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant],
        sides: Sequence[Side],
        seed: int = 0,
    ) -> None:
        """Prepare the games; see ``Arena``. The sides are those of ``agents.sides.sides_of``."""
        super().__init__(game, contestants, len(sides), seed, gauntlet=True)
        self.sides = tuple(sides)
        self.pairs = tuple((0, other) for other in range(1, len(contestants)))
        self.seats = [(side.player == 1, 1) for side in sides]
        self.openings = tuple(side.opening for side in sides)

    def lost(self, opponent: int) -> list[Side]:
        """Return the sides that the first contestant has not held against one, so far."""
        return [
            side
            for each in self.records
            if opponent in each.places
            and each.record.winner not in (side := self.sides[each.number - 1]).held
        ]


def _contestant(given: Contestant | str, game: StateManager) -> Contestant:
    """Return a contestant, made of an agent's word if it is one."""
    if not isinstance(given, str):
        return given
    make_agent(given, game)  # so that a mistake is found before any game

    def agent(seed: np.random.SeedSequence) -> Agent:
        return make_agent(given, game, seed=seed)

    return Contestant(given, agent, given)


def seats(number: int) -> tuple[bool, int]:
    """Return whether a pair's first side is player 1 in their game ``number``, and who starts it.

    In each two games the sides change places altogether, so that both play both sides of the same
    opening; then the colour that starts changes. At any moment each side has had each colour, and
    has started, as often as the other, within one game.
    """
    return number % 2 == 0, 1 + number // 2 % 2


def round_robin(contestants: int) -> tuple[tuple[int, int], ...]:
    """Return the first and the second side of each pair of a round robin.

    Everybody is the first side, who has the odd game, as often as the second, within one pair.
    """
    return tuple(
        (low, high) if (low + high) % 2 else (high, low)
        for low, high in combinations(range(contestants), 2)
    )


def _first_moves(game: StateManager) -> int:
    """Return how many openings of one move there are; at least 1."""
    lengths = map(len, iterate_openings(game))
    return max(1, next((n for n, length in enumerate(lengths) if length > 1), 0))
