"""The arena: a round robin of agents in which all pairs play the same openings."""

from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from agents.agent import Agent, foreign
from agents.make import make_agent
from agents.match.game_record import GameRecord, Observer
from agents.match.openings import iterate_openings, varied_openings
from agents.match.scores import Contestant, Results, ScoredGame, results_of
from agents.match.series import PlannedGame, game_title, play_series
from base.cluster import Workers
from state_manager import State, StateManager
from state_manager.sides import Side


class Arena:
    """A round robin in which all pairs play the same openings from both sides.

    For openings see ``agents.match.openings``. All pairs advance together, so that an arena that
    ends early has treated them alike. The random numbers of a game depend on the seed, the pair and
    the game's number, not on the number of threads. ``pairs`` has the places of both sides in
    ``contestants``; ``seats``, for each game of a pair, whether the first side is player 1, and the
    starting player; ``watched`` the places of games that observers see move by move.
    """

    names_first_side_first = False  # in titles; else player 1

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant | str | Callable[[State], int]],
        games: int | None = None,
        seed: int = 0,
        gauntlet: bool = False,
        cluster: Workers | None = None,
    ) -> None:
        """Prepare an arena; an agent's word, or a function to choose a move, makes a contestant.

        ``games`` is per pair; ``None`` for every first move from both sides. In a ``gauntlet`` only
        the first contestant meets the others. ``cluster`` plays the games that are not watched;
        ``None`` for threads. Fewer than two contestants, or equal names, are a ``ValueError``.
        """
        self.contestants = tuple(_contestant(each, game) for each in contestants)
        names = [contestant.name for contestant in self.contestants]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(f"expected at least two contestants of different names, got {names}")
        self.game, self.seed, self._cluster = game, seed, cluster
        lengths = enumerate(map(len, iterate_openings(game)))
        first_moves = max(1, next((n for n, length in lengths if length > 1), 0))
        self.games_per_pair = 2 * first_moves if games is None else games
        self.pairs = tuple(pair for pair in round_robin(len(names)) if not gauntlet or 0 in pair)
        self.watched: Container[int] = ()
        self.seats = [seats(number) for number in range(self.games_per_pair)]
        starters = [starter for _, starter in self.seats]
        self.openings = varied_openings(game, starters, self.random(0))
        self._plan: Sequence[PlannedGame] = ()
        self._finished: dict[int, GameRecord] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what the cluster's processes need to make the agents: all but the cluster."""
        return self.__dict__ | {"_cluster": None}

    @property
    def total_games(self) -> int:
        """The number of all games."""
        return len(self.pairs) * self.games_per_pair

    def play(
        self,
        workers: int = 1,
        observers: Sequence[Observer] = (),
        on_result: Callable[[ScoredGame], None] = lambda game: None,
    ) -> None:
        """Play all games from the start with ``play_series``; see ``results``."""
        self._finished.clear()
        self._plan = self.plan()
        how = self._cluster or workers, observers, self.watched
        own = self.game, self._plan, self._finished
        play_series(*own, *how, lambda place: on_result(self._played(place)))

    @property
    def records(self) -> list[ScoredGame]:
        """The finished games, in the order of the plan, even if ``play`` ended early."""
        return [self._played(place) for place in sorted(self._finished)]

    def results(self) -> Results:
        """Return the results of the games in ``records``, without contestants that have none."""
        return results_of(self.records, self.contestants, self.total_games)

    def plan(self) -> list[PlannedGame]:
        """Return all games in playing order."""
        pairs, games = range(len(self.pairs)), range(self.games_per_pair)
        return [self.planned(pair, played) for played in games for pair in pairs]

    def planned(self, pair: int, played: int) -> PlannedGame:
        """Return the game of a pair after this number of earlier games."""
        first_is_player_1, starting_player = self.seats[played]
        places = self.pairs[pair] if first_is_player_1 else self.pairs[pair][::-1]
        named = self.pairs[pair] if self.names_first_side_first else places
        names = [self.contestants[place].name for place in named]
        agents, opening = partial(self.agents, pair, played, places), self.openings[played]
        title = game_title(names, played + 1, self.games_per_pair)
        return PlannedGame(agents, starting_player, opening, title, places, played + 1)

    def agents(self, pair: int, played: int, places: tuple[int, int]) -> tuple[Agent, Agent]:
        """Return player 1 and player 2 of a game of a pair, by their places."""
        first, second = places
        return self.agent(first, 1, pair, played, 0), self.agent(second, 1, pair, played, 1)

    def agent(self, place: int, *key: int) -> Agent:
        """Make an agent of a contestant, with the random source of this key."""
        contestant = self.contestants[place]
        agent = contestant.agent(self.random(*key))
        agent.name = contestant.name
        return agent

    def random(self, *key: int) -> np.random.SeedSequence:
        """Return the random source of a key."""
        return np.random.SeedSequence(self.seed, spawn_key=key)

    def _played(self, place: int) -> ScoredGame:
        planned = self._plan[place]
        return ScoredGame(planned.number, planned.places, self._finished[place])


class WonStarts(Arena):
    """The first contestant plays the ``sides`` that it can hold, once each, against all others."""

    def __init__(
        self,
        game: StateManager,
        contestants: Sequence[Contestant],
        sides: Sequence[Side],
        seed: int = 0,
        cluster: Workers | None = None,
    ) -> None:
        """Prepare the games; see ``Arena``. The sides are from ``state_manager.sides.sides_of``."""
        super().__init__(game, contestants, len(sides), seed, True, cluster)
        self.sides = tuple(sides)
        self.pairs = tuple((0, other) for other in range(1, len(contestants)))
        self.seats = [(side.player == 1, 1) for side in sides]
        self.openings = tuple(side.opening for side in sides)

    def lost(self, opponent: int) -> list[Side]:
        """Return the sides that the first contestant failed to hold against an opponent, so far."""
        games = [each for each in self.records if opponent in each.places]
        played = [(self.sides[each.number - 1], each.record.winner) for each in games]
        return [side for side, winner in played if winner not in side.held]


def _contestant(given: Contestant | str | Callable[[State], int], game: StateManager) -> Contestant:
    if isinstance(given, Contestant):
        return given
    if callable(given):
        name, choose = given.__name__, given
        return Contestant(name, lambda seed: foreign(choose), name)
    make_agent(given, game)  # raises a mistake before any game
    return Contestant(given, lambda seed: make_agent(given, game, seed=seed), given)


def seats(number: int) -> tuple[bool, int]:
    """Return whether a pair's first side is player 1 in game ``number``, and the starting player.

    Each two games have one opening, with the sides exchanged; then the starting colour changes. At
    any moment both sides have had each colour, and have started, equally often, within one game.
    """
    return number % 2 == 0, 1 + number // 2 % 2


def round_robin(contestants: int) -> tuple[tuple[int, int], ...]:
    """Return the sides of each pair; each contestant is first as often as second, within one."""
    return tuple(
        (low, high) if (low + high) % 2 else (high, low)
        for low, high in combinations(range(contestants), 2)
    )
