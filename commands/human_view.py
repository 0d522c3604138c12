"""What a human sees of a game in which they play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents import HumanIO
from display.boards.insight import Insight
from display.boards.moves import Coordinates
from display.boards.palette import player_name
from display.live.terminal import GameView

if TYPE_CHECKING:
    from display.live.display import Display
    from mcts import Thought
    from state_manager import State, StateManager


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
