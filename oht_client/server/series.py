"""One series: several games between the same two players, who start in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oht_client.flat import coordinates
from oht_client.results import PlayedGame
from oht_client.server.sides import Side
from oht_client.server.wire import Wire, WireFault

if TYPE_CHECKING:
    from state_manager import StateManager


OnGame = Callable[[tuple[Side, Side], PlayedGame], None]
"""Hears of a game of two sides that has come to its end."""


@dataclass
class SeriesResult:
    """How a series stands, or ended.

    Attributes:
        wins: Games won by player 1 and by player 2; in the end, together all games of the series.
        played: How many games came to their end, the others being lost by who left.
    """

    wins: list[int] = field(default_factory=lambda: [0, 0])
    played: int = 0


async def play_series(
    game: StateManager,
    sides: tuple[Side, Side],
    num_games: int,
    first_starter: int,
    result: SeriesResult,
    on_game: OnGame,
) -> None:
    """Play a series; who leaves, loses all games that remain.

    Args:
        game: The rules.
        sides: Player 1 and player 2.
        num_games: How many games to play, at least 1.
        first_starter: The player who starts the first game, 1 or 2.
        result: A fresh one, which is kept up to date.
        on_game: Called when a game is over.
    """
    player_map = [(side.unique_id, player) for player, side in enumerate(sides, start=1)]
    for side, listener in _listeners(sides):
        await listener.series_start(side.unique_id, player_map, num_games, [game.board_shape[0]])
    wins = result.wins
    starter = first_starter
    for remaining in range(num_games, 0, -1):
        for _, listener in _listeners(sides):
            await listener.game_start(starter)
        played, forfeited = await _play_game(game, sides, starter)
        winner = played.winner
        for _, listener in _listeners(sides):
            await listener.game_over(winner, played.end_state)
        if forfeited:
            wins[winner - 1] += remaining
            break
        wins[winner - 1] += 1
        result.played += 1
        on_game(sides, played)
        starter = 3 - starter
    stats = [
        (unique_id, player, wins[player - 1], wins[2 - player]) for unique_id, player in player_map
    ]
    for _, listener in _listeners(sides):
        await listener.series_over(stats)


def _listeners(sides: tuple[Side, Side]) -> Iterator[tuple[Side, Wire]]:
    """Yield the sides that want to be told what happens."""
    for side in sides:
        if side.listener is not None:
            yield side, side.listener


async def _play_game(
    game: StateManager, sides: tuple[Side, Side], starter: int
) -> tuple[PlayedGame, bool]:
    """Play a game; return it, and whether the loser has left."""
    state = game.initial_state(starter)
    moves: list[tuple[int, int]] = []

    def won_by(winner: int) -> PlayedGame:
        return PlayedGame(starter, winner, moves, game.to_flat(state))

    while not game.is_final(state):
        player = game.to_play(state)
        try:
            action = await sides[player - 1].choose_action(state)
        except WireFault:
            return won_by(3 - player), True
        if action is None:
            return won_by(3 - player), False
        moves.append(coordinates(game, action))
        state = game.child_state(state, action)
    return won_by(game.winner(state)), False
