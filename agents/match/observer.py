"""Who is told about games while they are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mcts import Thought
    from state_manager import State


class Observer(Protocol):
    """Hears of every game, move by move; a display is one, and so is a recorder.

    The protocol is structural: observers do not import this module.
    """

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """Hear that a game starts.

        Args:
            title: What is played, such as "anet_00050 against anet_00200, game 3 of 50".
            players: The names of player 1 and player 2, whoever starts.
            state: The initial state; the moves of an opening follow as ordinary moves.
        """

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """Hear of a move.

        Args:
            state: The state after ``action``.
            action: The move.
            thought: What the mover thought before it, where that is known.
        """

    def on_game_over(self, state: State, winner: int) -> None:
        """Hear that the game is over; ``winner`` is 1 or 2, or 3 for a draw."""
