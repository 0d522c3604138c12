"""A batch of games between two agents, for ``play``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from agents import make_agent
from agents.match import GameRecord, PlannedGame, count_distinct, game_title, play_series
from commands.human_view import HumanView
from commands.system import System
from display.boards.palette import player_name
from display.reports.tables import series_table

if TYPE_CHECKING:
    from agents import Agent, AgentSpec, HumanIO
    from agents.match import Observer
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
        display: Display,
    ) -> None:
        """Prepare as many games as there are starting players."""
        self._system = system
        self._game = game
        self._specs = specs
        self._starting_players = starting_players
        self._display = display
        self._finished: dict[int, GameRecord] = {}

    def play(self) -> int:
        """Play all games; print what is finished, however it ends.

        Games with a human, and games that are shown, are played one after the other as they are
        watched, the rest several at a time.

        Returns:
            How many games were played to their end.
        """
        self._display.new_series()
        self._display.tells_results = True
        try:
            if any(spec.kind == "human" for spec in self._specs):
                self._play_with_human()
            else:
                self._play_agents()
        finally:
            self._display.stop_progress()
            self._print_results()
        return len(self._finished)

    def _play_agents(self) -> None:
        """Let agents play that need nobody at the keyboard."""
        games, params, display = len(self._starting_players), self._system.params, self._display
        watched = min(games, params.display.games) if display.enabled else 0
        display.show_first(params.display.games)
        if games > 1:
            display.start_progress("games", games)
        if not watched:
            self._agents(0)  # compiles here, where Ctrl-C is heard at once

        def on_result(number: int) -> None:
            if games > 1:
                display.advance(1)

        play_series(
            self._game,
            self._plan(),
            self._finished,
            params.play.workers,
            [display],
            watched,
            on_result,
        )

    def _play_with_human(self) -> None:
        """Let a human play, at the terminal and in a window if there is one."""
        games, display = len(self._starting_players), self._display
        view = HumanView(self._game, [spec.kind == "human" for spec in self._specs], display)
        observers: list[Observer] = [view, *([] if display.in_terminal else [display])]
        display.show_first(games)

        def on_result(number: int) -> None:
            if number + 1 < games and display.has_window:
                display.ask("Press Enter for the next game: ")

        try:
            play_series(
                self._game,
                self._plan(view.human_io),
                self._finished,
                observers=observers,
                watched=games,
                on_result=on_result,
            )
        except EOFError:
            display.message("The input has ended, and the game with it.")

    def _plan(self, human_io: HumanIO | None = None) -> list[PlannedGame]:
        """Return all games."""
        names = (self._specs[0].name, self._specs[1].name)
        return [
            PlannedGame(
                partial(self._agents, number, human_io),
                starting_player,
                title=game_title(names, number + 1, len(self._starting_players)),
            )
            for number, starting_player in enumerate(self._starting_players)
        ]

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

    def _print_results(self) -> None:
        """Print the wins of both sides by who started, and how many games were distinct.

        A single game needs no table.
        """
        records = [self._finished[number] for number in sorted(self._finished)]
        if len(self._starting_players) > 1 and records:
            outcomes = [(record.starting_player, record.winner) for record in records]
            colours = (player_name(self._game, 1), player_name(self._game, 2))
            self._display.write(series_table(records[0].players, outcomes, colours))
            self._display.message(
                f"{count_distinct(records)} of {len(records)} games were distinct."
            )
