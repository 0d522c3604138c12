"""A batch of games between two agents, for ``play``, and what a human sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from agents import HumanIO, make_agent
from agents.match import GameRecord, PlannedGame, count_distinct, game_title, play_series
from commands.system import System
from display.boards.cells import Coordinates
from display.boards.palette import player_name
from display.boards.view import GameView, Insight
from display.reports.tables import series_table

if TYPE_CHECKING:
    from agents import Agent, AgentSpec
    from agents.match import Observer
    from display.live.display import Display
    from mcts import Thought
    from state_manager import State, StateManager


@dataclass
class Batch:
    """A number of games between the same two agents.

    Each game has agents and random numbers of its own, so that it does not matter which thread
    plays it.

    Attributes:
        system: The parameters.
        game: The rules.
        specs: Who plays.
        starting_players: Of each game.
        display: Where to show them.
    """

    system: System
    game: StateManager
    specs: tuple[AgentSpec, AgentSpec]
    starting_players: Sequence[int]
    display: Display
    _finished: dict[int, GameRecord] = field(default_factory=dict)

    def play(self) -> int:
        """Play all games; print what is finished, however it ends.

        Games with a human, and games that are shown, are played one after the other as they are
        watched, the rest several at a time.

        Returns:
            How many games were played to their end.
        """
        self.display.new_series()
        self.display.tells_results = True
        try:
            if any(spec.kind == "human" for spec in self.specs):
                self._play_with_human()
            else:
                self._play_agents()
        finally:
            self.display.stop_progress()
            self._print_results()
        return len(self._finished)

    def _play_agents(self) -> None:
        """Let agents play that need nobody at the keyboard."""
        games, params, display = len(self.starting_players), self.system.params, self.display
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
            self.game,
            self._plan(),
            self._finished,
            params.play.workers,
            [display],
            watched,
            on_result,
        )

    def _play_with_human(self) -> None:
        """Let a human play, at the terminal and in a window if there is one."""
        games, display = len(self.starting_players), self.display
        view = HumanView(self.game, [spec.kind == "human" for spec in self.specs], display)
        observers: list[Observer] = [view, *([] if display.in_terminal else [display])]
        display.show_first(games)

        def on_result(number: int) -> None:
            if number + 1 < games and display.has_window:
                display.ask("Press Enter for the next game: ")

        try:
            play_series(
                self.game,
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
        names = (self.specs[0].name, self.specs[1].name)
        return [
            PlannedGame(
                partial(self._agents, number, human_io),
                starting_player,
                title=game_title(names, number + 1, len(self.starting_players)),
            )
            for number, starting_player in enumerate(self.starting_players)
        ]

    def _agents(self, number: int, human_io: HumanIO | None = None) -> tuple[Agent, Agent]:
        """Make both agents for a game, with random numbers of their own."""
        params = self.system.params
        first, second = (
            make_agent(
                spec,
                self.game,
                seed=np.random.SeedSequence(params.seed, spawn_key=(number, side)),
                defaults=params,
                human_io=human_io,
            )
            for side, spec in enumerate(self.specs)
        )
        if first.name == second.name:
            first.name, second.name = f"{first.name} (1)", f"{second.name} (2)"
        return first, second

    def _print_results(self) -> None:
        """Print the wins of both sides by who started, and how many games were distinct.

        A single game needs no table.
        """
        records = [self._finished[number] for number in sorted(self._finished)]
        if len(self.starting_players) > 1 and records:
            outcomes = [(record.starting_player, record.winner) for record in records]
            colours = (player_name(self.game, 1), player_name(self.game, 2))
            self.display.write(series_table(records[0].players, outcomes, colours))
            self.display.message(
                f"{count_distinct(records)} of {len(records)} games were distinct."
            )


class HumanView:
    """Shows a human the board, in the terminal unless there is a window, and what the others do.

    Attributes:
        human_io: How the human is spoken to.
    """

    def __init__(self, game: StateManager, humans: Sequence[bool], display: Display) -> None:
        """Watch games.

        Args:
            game: The rules.
            humans: Whether player 1 and player 2 are humans.
            display: Where to write, and what shows games elsewhere than in the terminal.
        """
        self._game = game
        self._humans = humans
        self._display = display
        self._title, self._players = "", ("", "")
        self._state = game.initial_state()
        self._moves = 0
        self._insight: Insight | None = None
        hint = f"{display.controls.switches}."
        if display.has_window:
            hint = f"Or click in the window. {hint}"
        self.human_io = HumanIO(self._ask, display.message, self._show_before_move, hint)

    def _ask(self, prompt: str) -> str:
        """Ask for a line; keys that change what boards show are typed like moves."""
        while True:
            text = self._display.ask(prompt)
            if not self._display.controls.press(text.strip().lower()):
                return text
            self._show_before_move(self._state)

    def _show_before_move(self, state: State) -> None:
        """Show where the game stands, unless the window does."""
        if not self._display.has_window:
            self._show_board(state)

    def _show_board(self, state: State, winner: int = 0) -> None:
        controls, insight = self._display.controls, self._insight
        last = None if insight is None else insight.action
        about = (self._title, self._players, self._moves, last, winner)
        shown = insight if controls.thoughts else None
        self._display.write(GameView(self._game, state, *about, shown, controls.letters))

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Begin a game."""
        self._title, self._players = title, players
        self._state, self._moves, self._insight = state, 0, None

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """See a move, and say it unless a human has just typed it."""
        mover = self._game.to_play(self._state)
        self._insight = Insight(self._game, self._state, action, thought)
        self._state, self._moves = state, self._moves + 1
        if not self._humans[mover - 1]:
            coordinates = Coordinates(self._game, self._display.controls.letters)
            why = self._insight.words(coordinates) if self._display.controls.thoughts else ""
            who = f"{player_name(self._game, mover)} ({self._players[mover - 1]})"
            self._display.message(f"{who}: {coordinates.move(action)}{why}")

    def on_game_over(self, state: State, winner: int) -> None:
        """Show the end, unless the window does, and says so."""
        if not self._display.has_window:
            self._show_board(state, winner)
