"""The opponents of the house, and how many games are played against each."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from agents import make_agent, parse_agent
from oht_client.server.sides import AgentSide, Side

if TYPE_CHECKING:
    from base.params import Params
    from state_manager import StateManager

_RANDOM = "random"
_FIRST_ID = 2000

Schedule = list[tuple[Side, int]]


class House:
    """Makes opponents: fresh ones for each tournament, each with random numbers of its own."""

    def __init__(self, game: StateManager, params: Params, executor: Executor) -> None:
        """Check that every opponent can be made; they think in the threads of ``executor``.

        Raises:
            AgentError: One of them cannot be made, or does not fit the board.
        """
        self._game = game
        self._params = params
        self._executor = executor
        self._tournaments = 0
        for word in params.oht_server.opponents:
            make_agent(word, game, defaults=params)

    def official(self) -> Schedule:
        """Return the opponents of an official tournament, and the number of games against each."""
        server = self._params.oht_server
        return self._schedule(server.opponents, [server.official_games] * len(server.opponents))

    def verification(self) -> Schedule:
        """Return the same opponents for a short tournament; those without a game are left out."""
        server = self._params.oht_server
        each, rest = divmod(server.verification_games, len(server.opponents))
        games = [each + rest] + [each] * (len(server.opponents) - 1)
        return self._schedule(server.opponents, games)

    def practice(self) -> Schedule:
        """Return a random opponent."""
        return self._schedule([_RANDOM], [self._params.oht_server.verification_games])

    def _schedule(self, words: list[str] | tuple[str, ...], games: list[int]) -> Schedule:
        self._tournaments += 1
        return [
            (self._side(word, number), count)
            for number, (word, count) in enumerate(zip(words, games, strict=True), start=1)
            if count > 0
        ]

    def _side(self, word: str, number: int) -> AgentSide:
        seed = np.random.SeedSequence(self._params.seed, spawn_key=(self._tournaments, number))
        make = partial(make_agent, word, self._game, seed=seed, defaults=self._params)
        return AgentSide(parse_agent(word).name, _FIRST_ID + number, make, self._executor)
