"""A series between two agents, for tests of playing strength."""

from __future__ import annotations

from agents import Agent
from agents.match import (
    GameRecord,
    PlannedGame,
    StartingPlayer,
    play_series,
    starting_players,
)
from state_manager import StateManager


def played(
    game: StateManager,
    agents: tuple[Agent, Agent],
    games: int,
    starting_player: StartingPlayer = "alternate",
) -> list[GameRecord]:
    """Play a series, in which the agents keep their colours and go on from game to game."""
    plan = [
        PlannedGame(lambda: agents, first) for first in starting_players(games, starting_player)
    ]
    finished: dict[int, GameRecord] = {}
    play_series(game, plan, finished)
    return [finished[number] for number in range(games)]


def wins(records: list[GameRecord], player: int) -> int:
    """Return how many games player 1 or 2 won."""
    return sum(record.winner == player for record in records)
