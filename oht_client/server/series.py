"""One series: several games between the same two players, starting in turn."""

import abc
import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import NamedTuple

from agents import Agent, chosen_action
from oht_client.server.connection import WireFault
from online.flat import coordinates
from online.results import PlayedGame
from state_manager import State, StateManager


class SeriesSide(abc.ABC):
    """A client, or an agent of the server; ``fault`` is why it has left, if so."""

    name: str
    unique_id: int
    fault: WireFault | None = None

    @abc.abstractmethod
    async def choose_action(self, state: State) -> int | None:
        """Return a legal action; ``None`` loses the game, a ``WireFault`` all remaining ones."""

    @abc.abstractmethod
    async def say(self, topic: str, **content: object) -> None:
        """Receive a message with the second generation's topic, such as ``game_start``.

        The other values are in the order of the first; states are tuples, other tables lists.
        """


@dataclass(eq=False)
class AgentSide(SeriesSide):
    """An agent, which runs in a thread; ``make`` is called there at the first move."""

    name: str
    unique_id: int
    make: Callable[[], Agent]
    executor: Executor
    _agent: Agent | None = field(default=None, init=False)

    async def choose_action(self, state: State) -> int | None:
        """See ``SeriesSide``."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, self._choose, state)

    async def say(self, topic: str, **content: object) -> None:
        """Ignore it: the states are enough."""

    def _choose(self, state: State) -> int:
        if self._agent is None:
            self._agent = self.make()
        return chosen_action(self._agent, state)


class Standing(NamedTuple):
    """The score of a series for one side, ``player`` 1 or 2, as stored in records."""

    opponent: str
    player: int
    wins: int
    losses: int


@dataclass
class Series:
    """A series between player 1 and player 2; a side that leaves loses the games that are left."""

    sides: tuple[SeriesSide, SeriesSide]
    num_games: int
    wins: list[int] = field(default_factory=lambda: [0, 0])  # of both, in the end ``num_games``
    played: int = 0  # completed games

    def standing(self, side: SeriesSide) -> Standing:
        """Return the score for one of the sides."""
        own = self.sides.index(side)
        return Standing(self.sides[1 - own].name, own + 1, self.wins[own], self.wins[1 - own])

    async def tell(self, topic: str, **content: object) -> None:
        """Send a message to both sides, unless they have left; see ``Client.say``."""
        for side in self.sides:
            if side.fault is None:
                await side.say(topic, **content)


OnGame = Callable[[Series, PlayedGame], None]
"""Called after each game of a series."""


async def play_series(
    game: StateManager, series: Series, first_starter: int, on_game: OnGame
) -> None:
    """Play a new series, whose first game player ``first_starter``, 1 or 2, starts."""
    sides, wins = series.sides, series.wins
    player_map = [(side.unique_id, player) for player, side in enumerate(sides, start=1)]
    about = {"num_games": series.num_games, "game_params": [game.board_shape[0]]}
    for side in (side for side in sides if side.fault is None):
        named = {"unique_player_id": side.unique_id, "player_id_map": player_map}
        await side.say("series_start", **named, **about)
    starter = first_starter
    for remaining in range(series.num_games, 0, -1):
        await series.tell("game_start", start_player=starter)
        played, forfeited = await _play_game(game, sides, starter)
        winner = played.winner
        await series.tell("game_over", winner=winner, end_state=tuple(played.end_state))
        if forfeited:
            wins[winner - 1] += remaining
            break
        wins[winner - 1] += 1
        series.played += 1
        on_game(series, played)
        starter = 3 - starter
    stats = [(each, player, wins[player - 1], wins[2 - player]) for each, player in player_map]
    await series.tell("series_over", stats=stats)


async def _play_game(
    game: StateManager, sides: tuple[SeriesSide, SeriesSide], starter: int
) -> tuple[PlayedGame, bool]:
    state = game.initial_state(starter)
    moves: list[tuple[int, int]] = []
    winner, forfeited = 0, False
    while not game.is_final(state):
        player = game.to_play(state)
        try:
            action = await sides[player - 1].choose_action(state)
        except WireFault:
            action, forfeited = None, True
        if action is None:
            winner = 3 - player
            break
        moves.append(coordinates(game, action))
        state = game.child_state(state, action)
    return PlayedGame(starter, winner or game.winner(state), moves, game.to_flat(state)), forfeited
