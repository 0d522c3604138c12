"""Games of a tournament as a person sees them: nothing that is shown may cost a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from display.live.display import Display
    from mcts import Thought
    from state_manager import State


class Watching:
    """Hands a tournament's games on to a display, at once or after the last one.

    An animation takes about a second to write, which is the time for a whole move. Games on another
    board than the display's are not shown. A display that fails is told nothing more.
    """

    def __init__(self, display: Display, later: bool) -> None:
        """Hand everything on to ``display``: at once, or ``later``, when ``show`` is called."""
        self._display = display
        self._later = later
        self._kept: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._fits = True
        self._failed = False

    def new_series(self) -> None:
        """Say that the next game is the first of a series."""
        self._do(self._display.new_series)

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        """See ``Observer``, as for the two below."""
        self._fits = len(state) == self._display.game.state_length
        if self._fits:
            self._do(self._display.on_game_start, title, players, state)

    def on_move(self, state: State, action: int, thought: Thought | None) -> None:
        """A move was made."""
        if self._fits:
            self._do(self._display.on_move, state, action, thought)

    def on_game_over(self, state: State, winner: int) -> None:
        """A game is over."""
        if self._fits:
            self._do(self._display.on_game_over, state, winner)

    def show(self) -> None:
        """Hand on what was kept for later."""
        kept, self._kept, self._later = self._kept, [], False
        for call, arguments in kept:
            self._do(call, *arguments)

    def _do(self, call: Callable[..., None], *arguments: Any) -> None:
        if self._later:
            self._kept.append((call, arguments))
        elif not self._failed:
            try:
                call(*arguments)
            except Exception as error:
                self._failed = True
                self._display.message(f"WARNING: games are shown no more: {error}")
