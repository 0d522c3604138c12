"""A batch of games between two agents, for ``play``."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from agents import make_agent
from agents.match import (
    Held,
    announce,
    count_distinct,
    game_title,
    play_game,
    play_side_by_side,
)
from commands.human_view import HumanView
from commands.system import System
from display.boards.palette import player_name
from display.reports.tables import series_table

if TYPE_CHECKING:
    from agents import Agent, AgentSpec, HumanIO
    from agents.match import GameRecord, Observer
    from display.live.display import Display
    from state_manager import StateManager


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
        self._finished: dict[int, GameRecord] = {}

    @property
    def _records(self) -> list[GameRecord]:
        return [self._finished[number] for number in sorted(self._finished)]

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
        display.tells_results = True
        if games > 1:
            display.start_progress("games", games)
        try:
            for number in range(watched):
                self._finished[number] = self._play_one(number, display.observers)
                self._advance(display)
            self._play_unwatched(range(watched, games), display)
        finally:
            display.stop_progress()
            self._print_results(display)
        return self._records

    def _play_unwatched(self, numbers: range, display: Display) -> None:
        """Play games several at a time; what ends them early loses none that is finished."""
        played = iter(numbers)  # results come in this order

        def on_result(record: GameRecord) -> None:
            """Let the display see the game, in case it is wanted now."""
            announce(self._game, record, display.observers, self._title(next(played)))
            self._advance(display)

        if numbers:
            self._agents(numbers[0])  # compiles here, where Ctrl-C is heard at once
        play_side_by_side(
            lambda number, worker, stop: self._play_one(number, (), stop),
            numbers,
            self._system.params.play.workers,
            self._finished,
            on_result,
        )

    def play_with_human(self, display: Display) -> list[GameRecord]:
        """Play all games one after the other, at the terminal and in a window if there is one."""
        games = len(self._starting_players)
        view = HumanView(self._game, [spec.kind == "human" for spec in self._specs], display)
        observers: list[Observer] = [view, *([] if display.in_terminal else display.observers)]
        display.show_first(games)
        display.new_series()
        display.tells_results = True
        try:
            for number in range(games):
                if number and display.has_window:
                    display.ask("Press Enter for the next game: ")
                self._finished[number] = self._play_one(number, observers, human_io=view.human_io)
        except EOFError:
            display.message("The input has ended, and the game with it.")
        finally:
            self._print_results(display)
        return self._records

    def _play_one(
        self,
        number: int,
        observers: Sequence[Observer] = (),
        stop: Event | None = None,
        human_io: HumanIO | None = None,
    ) -> GameRecord:
        """Play one game, unless it is stopped before it is over."""
        first, second = self._agents(number, human_io)
        agents = (first, second) if stop is None else (Held(first, stop), Held(second, stop))
        return play_game(
            self._game,
            agents,
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

    def _advance(self, display: Display) -> None:
        """Move the progress bar on by a game."""
        if len(self._starting_players) > 1:
            display.advance(1)

    def _print_results(self, display: Display) -> None:
        """Print the wins of both sides by who started, and how many games were distinct.

        A single game needs no table.
        """
        if len(self._starting_players) > 1 and self._records:
            outcomes = [(record.starting_player, record.winner) for record in self._records]
            colours = (player_name(self._game, 1), player_name(self._game, 2))
            display.write(series_table(self._records[0].players, outcomes, colours))
            distinct = count_distinct(self._records)
            display.message(f"{distinct} of {len(self._records)} games were distinct.")
