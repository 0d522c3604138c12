"""An agent that reads the moves of a human."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from agents.agent import Agent, Decision
from agents.options import AgentOptions
from agents.spec import AgentError
from state_manager.errors import GameError

if TYPE_CHECKING:
    from state_manager import State

_MOST_NAMED = 12
_LINE = 72  # width of the list of legal moves, in columns


class HumanAgent(Agent):
    """Prompts until it gets a legal move; the end of the input and Ctrl-C pass through."""

    Options = AgentOptions

    def _prepare(self) -> None:
        if self._human_io is None:
            raise AgentError("expected a terminal for a human player, got none")
        self._ask, self._show, show_board, self._hint, name_of = self._human_io
        self._name_of = name_of or self._game.action_name
        self._show_board = show_board or (lambda state: self._show(self._game.text(state)))

    def choose_action(self, state: State) -> Decision:
        """Return the legal action that the human typed; ``?``, ``help`` or no word explains."""
        self._show_board(state)
        prompt = f"{self.name}, {self._player(self._game.to_play(state))}, your move (? for help): "
        while True:
            try:
                answer = self._ask(prompt)
            except UnicodeDecodeError:
                self._show("Not a move: expected UTF-8 text.")
                continue
            if not isinstance(answer, str):
                return answer
            text = answer.strip()
            if text.lower() in ("", "?", "help"):
                self._show(self._help(state))
                continue
            try:
                action = self._game.parse_action(text)
            except GameError as error:
                self._show(f"Not a move: {error}.")
                continue
            if action in self._game.legal_actions(state):
                return action
            self._show(f"Not legal now: {self._name_of(action)}. {self._legal(state)}")

    def _player(self, player: int) -> str:
        plain, name = f"player {player}", self._game.player_names[player - 1]
        about = name.removeprefix(plain), self._game.drawing.sides[player - 1]
        words = ", ".join(filter(None, about))
        return f"{plain} ({words})" if words else plain

    def _legal(self, state: State) -> str:
        legal = self._game.legal_actions(state)
        if len(legal) > _MOST_NAMED:
            return f"{len(legal)} moves are legal, such as {self._name_of(legal[0])}."
        glued = ", ".join(self._name_of(a).replace(" ", "\xa0") for a in legal)
        lines = textwrap.wrap(f"Legal moves: {glued}.", _LINE, break_long_words=False)
        return "\n".join(lines).replace("\xa0", " ")

    def _help(self, state: State) -> str:
        form = "a move"
        try:
            self._game.parse_action("")
        except GameError as error:  # the game's error for a wrong move names the form
            form = str(error).removeprefix("expected ").partition(", got ")[0]
        how = f"Type {form}; ? for these lines; Ctrl-D or Ctrl-C to leave the game."
        return "\n".join(filter(None, (self._legal(state), how, self._hint)))
