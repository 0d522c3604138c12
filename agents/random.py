"""Agents that choose one of some moves, each with the same probability: of all, or of the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agents.agent import AgentKind
from agents.spec import AgentError
from base.params import Section

if TYPE_CHECKING:
    from state_manager import State


class RandomAgent(AgentKind):
    """Chooses any legal action."""

    Options = Section

    def choose_action(self, state: State) -> int:
        """Return any legal action."""
        return int(self._rng.choice(self._game.legal_actions(state)))


class ExactAgent(AgentKind):
    """Chooses any of the moves that are best under perfect play, in games that can be solved.

    It knows who wins by force, not how fast: it may take its time to win, and it does not make
    losing hard for the other player.

    Attributes:
        stopped: Asked every few milliseconds whether to stop; ``play_game`` sets it.
    """

    Options = Section

    def _prepare(self) -> None:
        from state_manager import NodeLimitError, shared_judge

        self.stopped: Callable[[], bool] = lambda: False
        self._judge = shared_judge(self._game)
        try:
            self._judge.check_whole_game()
        except NodeLimitError as error:
            raise AgentError(str(error)) from error

    def choose_action(self, state: State) -> int:
        """Return one of the best actions; any legal one, if it was stopped meanwhile."""
        from state_manager import NodeLimitError

        try:
            with self._judge.until(self.stopped):
                actions = self._judge.best_actions(state)
        except NodeLimitError:
            if not self.stopped():
                raise
            actions = self._game.legal_actions(state)
        return int(self._rng.choice(actions))
