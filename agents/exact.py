"""An agent that never errs, in games that are small enough to be solved."""

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
        from state_manager import NodeLimitError, shared_judge

        super().__init__(game, seed, name)
        self._judge = shared_judge(game)
        try:
            self._judge.check_whole_game()
        except NodeLimitError as error:
            raise AgentError(str(error)) from error

    def choose_action(self, state: State) -> int:
        """Return one of the best actions."""
        return int(self._rng.choice(self._judge.best_actions(state)))
