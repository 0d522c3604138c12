"""Agents that choose uniformly among all legal moves, or among the sharpest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.agent import Agent
from agents.options import AgentOptions
from agents.spec import AgentError
from state_manager import NodeLimitError

if TYPE_CHECKING:
    from state_manager import State


class RandomAgent(Agent):
    """Chooses a uniformly random legal action."""

    Options = AgentOptions

    def choose_action(self, state: State) -> int:
        """Return a random legal action."""
        return int(self._rng.choice(self._game.legal_actions(state)))


class ExactAgent(Agent):
    """Chooses a random one of the judge's sharpest moves, in games that can be solved."""

    Options = AgentOptions

    def _prepare(self) -> None:
        from judge import shared_judge

        self._judge = shared_judge(self._game)
        try:
            self._judge.check_whole_game()
        except NodeLimitError as error:
            raise AgentError(str(error)) from error

    def choose_action(self, state: State) -> int:
        """Return a random one of the sharpest actions; after a stop, a random legal one."""
        try:
            with self._judge.until(self.stopped):
                actions = self._judge.sharpest_actions(state)
        except NodeLimitError:
            if not self.stopped():
                raise
            actions = self._game.legal_actions(state)
        return int(self._rng.choice(actions))
