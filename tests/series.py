"""A series between two agents, agents that choose by rank, and an observer."""

from collections.abc import Callable

import numpy as np

from agents import Agent, Seed
from agents.match import (
    GameRecord,
    Observer,
    PlannedGame,
    StartingPlayer,
    play_series,
    starting_players,
)
from state_manager import State, StateManager

Pick = Callable[[list[int], np.random.Generator], int]


def anything(actions: list[int], rng: np.random.Generator) -> int:
    return int(rng.choice(actions))


def lowest(actions: list[int], rng: np.random.Generator) -> int:
    return actions[0]


def highest(actions: list[int], rng: np.random.Generator) -> int:
    return actions[-1]


class Picker(Agent):
    """Chooses by a function of the legal actions, and reports simulations."""

    def __init__(self, game: StateManager, pick: Pick, seed: Seed = 0) -> None:
        self.name, self._game, self._pick = pick.__name__, game, pick
        self._rng = np.random.default_rng(seed)

    def choose_action(self, state: State) -> int:
        self.simulations_run += 10
        self.search_seconds += 0.25
        return self._pick(self._game.legal_actions(state).tolist(), self._rng)


class Titles(Observer):
    """Collects the titles of games, and may press Ctrl-C at the start of one."""

    def __init__(self, leave_at: int | None = None) -> None:
        self.titles: list[str] = []
        self.leave_at = leave_at

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.titles.append(title)
        if len(self.titles) == self.leave_at:
            raise KeyboardInterrupt


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
    return sum(record.winner == player for record in records)
