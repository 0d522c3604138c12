"""An agent that never errs, in games that are small enough to be searched exhaustively."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.agent import Seed
from agents.random import RandomAgent
from agents.spec import AgentError

if TYPE_CHECKING:
    from state_manager import State, StateManager


class ExactAgent(RandomAgent):
    """Chooses any of the moves that are best under perfect play, each with the same probability.

    It knows who wins by force, not how fast: it may take its time to win, and it does not make
    losing hard for the other player.
    """

    def __init__(self, game: StateManager, seed: Seed = 0, name: str = "exact") -> None:
        """Play ``game`` with random numbers from ``seed``.

        Raises:
            AgentError: The game has too many positions.
        """
        from state_manager import TooLargeError, exact_play

        super().__init__(game, seed, name)
        self._exact_play = exact_play(game)
        try:
            self._exact_play.outcome(game.initial_state())
        except TooLargeError as error:
            raise AgentError(str(error)) from error

    def choose_action(self, state: State) -> int:
        """Return one of the best actions."""
        return int(self._rng.choice(sorted(self._exact_play.best_actions(state))))
