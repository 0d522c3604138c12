"""The Tournament of Progressive Policies: saved nets play each other; none of them learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from agents.match import (
    DRAW,
    GameRecord,
    Opening,
    Seats,
    balanced_seats,
    count_distinct,
    cross_results,
    game_title,
    play_game,
    round_robin,
    varied_openings,
)
from topp.entrants import Entrant, load_entrants
from topp.standings import Setup, Standings

if TYPE_CHECKING:
    from agents.match import Observer
    from base.params import TOPPParams
    from state_manager import StateManager


@dataclass(frozen=True)
class TOPPGame:
    """A finished game of the tournament.

    Attributes:
        entrants: The places of player 1 and player 2 in ``TOPP.entrants``.
        record: The game.
    """

    entrants: tuple[int, int]
    record: GameRecord

    @property
    def winner(self) -> int | None:
        """The place of the winner; ``None`` for a draw."""
        return None if self.record.winner == DRAW else self.entrants[self.record.winner - 1]

    def to_json(self) -> dict[str, Any]:
        """Return the game as JSON data."""
        return {"entrants": list(self.entrants), **self.record.to_json()}


class TOPP:
    """A round robin in which each two participants play one series of G games.

    The same seed gives the same games. Each series has random numbers of its own, so that its
    games do not depend on those before it.

    Attributes:
        game: The rules.
        entrants: The participants, in order of training where all their episodes are known.
        records: The games that are finished. Whatever ends ``play`` early (Ctrl-C, say) leaves
            them here, and ``standings`` works them out.
    """

    def __init__(
        self,
        game: StateManager,
        entrants: Sequence[Entrant],
        params: TOPPParams,
        seed: int = 0,
    ) -> None:
        """Prepare a tournament.

        Args:
            game: The rules.
            entrants: At least two participants, of different names.
            params: G, and how the participants choose their actions: openings are varied where
                the choice leaves nothing to chance.
            seed: Of all random numbers, at least 0.

        Raises:
            ValueError: There are fewer than two participants, or two of one name.
        """
        names = [entrant.name for entrant in entrants]
        if len(names) < 2:
            raise ValueError(f"expected at least two nets for a tournament, got {names}")
        if len(set(names)) < len(names):
            raise ValueError(f"expected nets of different names, got {names}")
        episodes = {entrant.name: entrant.episode for entrant in entrants}
        if None not in episodes.values():
            entrants = sorted(entrants, key=lambda entrant: entrant.episode or 0)
        self.game = game
        self.entrants = tuple(entrants)
        self.records: list[TOPPGame] = []
        self._params = params
        self._seed = seed
        self._series = round_robin(len(entrants))
        self._seats = balanced_seats(params.games)
        self._openings = self._varied_openings()

    @classmethod
    def from_files(
        cls,
        paths: Sequence[Path],
        params: TOPPParams,
        seed: int = 0,
        game: StateManager | None = None,
    ) -> Self:
        """Prepare a tournament of saved nets.

        Args:
            paths: The files of the nets.
            params: See the class.
            seed: See the class.
            game: The game that is to be played; by default that of the nets.

        Raises:
            AgentError: See ``load_entrants``.
            ValueError: There are fewer than two nets.
        """
        game, entrants = load_entrants(paths, params.action_choice, params.epsilon, game)
        return cls(game, entrants, params, seed)

    @property
    def total_series(self) -> int:
        """How many series a whole tournament has."""
        return len(self._series)

    @property
    def total_games(self) -> int:
        """How many games a whole tournament has."""
        return len(self._series) * self._params.games

    def play(
        self,
        observers: Sequence[Observer] = (),
        on_series: Callable[[Entrant, Entrant], None] | None = None,
        on_result: Callable[[TOPPGame], None] | None = None,
    ) -> Standings:
        """Play the whole tournament, from the start.

        Args:
            observers: Who is told of every game and move.
            on_series: Called with the two participants before each series.
            on_result: Called with each game once it is over.

        Raises:
            IllegalActionError: A participant broke the rules.
        """
        self.records = []
        for number, sides in enumerate(self._series):
            if on_series is not None:
                on_series(self.entrants[sides[0]], self.entrants[sides[1]])
            self._play_series(number, sides, observers, on_result)
        return self.standings()

    def _play_series(
        self,
        number: int,
        sides: tuple[int, int],
        observers: Sequence[Observer],
        on_result: Callable[[TOPPGame], None] | None,
    ) -> None:
        """Play one series, with fresh agents."""
        names = (self.entrants[sides[0]].name, self.entrants[sides[1]].name)
        agents = [
            self.entrants[entrant].agent(self._seed_sequence(1 + number, side))
            for side, entrant in enumerate(sides)
        ]
        plan: Sequence[tuple[Seats, Opening]] = list(zip(self._seats, self._openings, strict=True))
        for played, (seats, opening) in enumerate(plan):
            player_1, player_2 = (0, 1) if seats.first_is_player_1 else (1, 0)
            record = play_game(
                self.game,
                (agents[player_1], agents[player_2]),
                starting_player=seats.starting_player,
                opening=opening,
                observers=observers,
                title=game_title(names, played + 1, len(plan)),
            )
            self.records.append(TOPPGame((sides[player_1], sides[player_2]), record))
            if on_result is not None:
                on_result(self.records[-1])

    def standings(self) -> Standings:
        """Return the standings after the games in ``records``, of those who have played.

        Raises:
            ValueError: No game is finished.
        """
        if not self.records:
            raise ValueError("expected at least one finished game of the tournament, got none")
        present, wins, games = cross_results((game.entrants, game.winner) for game in self.records)
        series: dict[frozenset[int], list[GameRecord]] = {}
        for game in self.records:
            series.setdefault(frozenset(game.entrants), []).append(game.record)
        return Standings.from_results(
            names=[self.entrants[entrant].name for entrant in present],
            episodes=[self.entrants[entrant].episode for entrant in present],
            wins=wins.tolist(),
            games=games.tolist(),
            distinct=sum(count_distinct(records) for records in series.values()),
            planned=self.total_games,
            setup=self._setup(),
        )

    def _setup(self) -> Setup:
        """Say how the tournament is played."""
        openings = {
            (seats.starting_player, opening)
            for seats, opening in zip(self._seats, self._openings, strict=True)
            if opening
        }
        return Setup(
            game=self.game.name,
            game_params={
                key: list(value) if isinstance(value, tuple) else value
                for key, value in self.game.params.items()
            },
            seed=self._seed,
            games_per_pair=self._params.games,
            action_choice=self._params.action_choice,
            epsilon=self._params.epsilon,
            openings=len(openings),
        )

    def _varied_openings(self) -> tuple[Opening, ...]:
        """Return an opening for each game of a series, the same in every series.

        Openings are empty where chance makes the games differ.
        """
        choice, epsilon = self._params.action_choice, self._params.epsilon
        if choice == "greedy" or (choice == "epsilon_greedy" and epsilon == 0.0):
            starters = [seats.starting_player for seats in self._seats]
            return varied_openings(self.game, starters, self._seed_sequence(0))
        return ((),) * self._params.games

    def _seed_sequence(self, *key: int) -> np.random.SeedSequence:
        """Return the source of random numbers for one purpose."""
        return np.random.SeedSequence(self._seed, spawn_key=key)
