"""A batch of games between two agents, for ``play``."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from agents import HumanIO, make_agent
from commands.system import System
from display import GameView, series_table
from match import count_distinct, game_title, play_game

if TYPE_CHECKING:
    from agents import Agent, AgentSpec
    from display import Display
    from match import GameRecord, Observer
    from state_manager import State, StateManager


class Batch:
    """A number of games between the same two agents.

    Each game has agents and random numbers of its own, so that it does not matter which thread
    plays it.
    """

    def __init__(
        self,
        system: System,
        game: StateManager,
        specs: tuple[AgentSpec, AgentSpec],
        starting_players: Sequence[int],
    ) -> None:
        """Prepare as many games as there are starting players."""
        self._system = system
        self._game = game
        self._specs = specs
        self._starting_players = starting_players
        self._records: list[GameRecord] = []

    def play(self, display: Display) -> list[GameRecord]:
        """Play all games; print what is finished, however it ends.

        Games that are shown are played one after the other as they are watched, the rest several
        at a time.
        """
        games = len(self._starting_players)
        params = self._system.params
        watched = min(games, params.display.games) if display.enabled else 0
        display.show_first(params.display.games)
        display.new_series()
        if games > 1:
            display.start_progress("games", games)
        try:
            for number in range(watched):
                self._keep(self._play_one(number, display.observers), display)
            with ThreadPoolExecutor(params.play.workers) as pool:
                try:
                    for record in pool.map(self._play_one, range(watched, games)):
                        self._announce(record, display)
                        self._keep(record, display)
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        finally:
            display.stop_progress()
            self._print_table(display)
        return self._records

    def play_with_human(self, display: Display) -> list[GameRecord]:
        """Play all games one after the other, at the terminal."""

        def ask(prompt: str) -> str:
            with display.paused():
                return input(prompt)

        def show_board(state: State) -> None:
            display.write(GameView(self._game, state))

        human_io = HumanIO(ask, display.message, show_board)
        try:
            for number, starting_player in enumerate(self._starting_players):
                agents = self._agents(number, human_io)
                record = play_game(self._game, agents, starting_player)
                self._show_end(record, display)
                self._records.append(record)
        except EOFError:
            display.message("The input has ended, and the game with it.")
        finally:
            self._print_table(display)
        return self._records

    def _play_one(self, number: int, observers: Sequence[Observer] = ()) -> GameRecord:
        """Play one game."""
        return play_game(
            self._game,
            self._agents(number),
            self._starting_players[number],
            observers=observers,
            title=self._title(number),
        )

    def _agents(self, number: int, human_io: HumanIO | None = None) -> tuple[Agent, Agent]:
        """Make both agents for a game, with random numbers of their own."""
        params = self._system.params
        first, second = (
            make_agent(
                spec,
                self._game,
                seed=np.random.SeedSequence(params.seed, spawn_key=(number, side)),
                defaults=params,
                human_io=human_io,
            )
            for side, spec in enumerate(self._specs)
        )
        if first.name == second.name:
            first.name, second.name = f"{first.name} (1)", f"{second.name} (2)"
        return first, second

    def _title(self, number: int) -> str:
        """Return what observers are told of a game, counted from 0."""
        names = (self._specs[0].name, self._specs[1].name)
        return game_title(names, number + 1, len(self._starting_players))

    def _keep(self, record: GameRecord, display: Display) -> None:
        """Keep a finished game."""
        self._records.append(record)
        if len(self._starting_players) > 1:
            display.advance(1)

    def _announce(self, record: GameRecord, display: Display) -> None:
        """Let the display see a game that was played out of its sight, in case it is wanted now."""
        first, second = record.players
        play_game(
            self._game,
            (_Absent(first), _Absent(second)),
            record.starting_player,
            opening=record.actions,
            observers=display.observers,
            title=self._title(len(self._records)),
        )

    def _show_end(self, record: GameRecord, display: Display) -> None:
        """Show how a game ended, and who has won."""
        state = self._game.initial_state(record.starting_player)
        for action in record.actions:
            state = self._game.child_state(state, action)
        moves, last = len(record.actions), record.actions[-1]
        display.write(GameView(self._game, state, "", record.players, moves, last, record.winner))

    def _print_table(self, display: Display) -> None:
        """Print the wins of both sides by who started, and how many games were distinct."""
        if self._records:
            outcomes = [(record.starting_player, record.winner) for record in self._records]
            display.write(series_table(self._records[0].players, outcomes))
        if len(self._records) > 1:
            distinct = count_distinct(self._records)
            display.message(f"{distinct} of {len(self._records)} games were distinct.")


class _Absent:
    """Stands for the agent of a game that is over: the opening holds all of its moves."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose_action(self, state: State) -> int:
        """Never asked."""
        raise AssertionError("a finished game asks for no move")
