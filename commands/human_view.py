"""What a human sees of a game in which they play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from display import GameView
from display.palette import player_name

if TYPE_CHECKING:
    from display import Display
    from state_manager import State, StateManager


class HumanView:
    """Shows a human the board, and what the others do."""

    def __init__(self, game: StateManager, humans: Sequence[bool], display: Display) -> None:
        """Watch games.

        Args:
            game: The rules.
            humans: Whether player 1 and player 2 are humans.
            display: Where to write.
        """
        self._game = game
        self._humans = humans
        self._display = display
        self._title, self._players = "", ("", "")
        self._player = 1
        self._moves = 0
        self._last_action: int | None = None

    def show_board(self, state: State, winner: int = 0) -> None:
        """Show where the game stands."""
        about = (self._title, self._players, self._moves, self._last_action, winner)
        self._display.write(GameView(self._game, state, *about))

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Begin a game."""
        self._title, self._players = title, players
        self._moves, self._last_action = 0, None
        self._player = self._game.to_play(state)

    def on_move(self, state: State, action: int) -> None:
        """See a move, and say it unless a human has just typed it."""
        mover, self._player = self._player, self._game.to_play(state)
        self._moves += 1
        self._last_action = action
        if not self._humans[mover - 1]:
            who = f"{player_name(self._game, mover)} ({self._players[mover - 1]})"
            self._display.message(f"{who}: {self._game.action_name(action)}")

    def on_game_over(self, state: State, winner: int) -> None:
        """Show the end."""
        self.show_board(state, winner)
