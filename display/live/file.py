"""Games as files: an animation and a final picture for each game that is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from display.boards.picture import save_animation, save_board
from display.live.display import Display

if TYPE_CHECKING:
    from rich.console import Console

    from base.params import DisplayParams
    from state_manager import State, StateManager

_SLUG_LENGTH = 60


class FileDisplay(Display):
    """Writes ``0001-episode-1-of-200.gif`` and ``.png`` for each shown game; never waits.

    The delay between moves is the time that a frame of the animation is shown. A game that the
    display is switched off in leaves no files; one that it is switched on in is kept from then on.

    Attributes:
        directory: Where the files go; it is made when the first one is written.
    """

    def __init__(
        self,
        game: StateManager,
        params: DisplayParams,
        directory: Path,
        console: Console | None = None,
    ) -> None:
        """Write to ``directory``, after the files of earlier runs that are there."""
        super().__init__(game, params, console)
        self.directory = directory
        numbers = (re.match(r"(\d+)-", path.name) for path in directory.glob("*.gif"))
        self._number = max((int(found[1]) for found in numbers if found), default=0)
        self._states: list[State] = []
        self._actions: list[int] = []

    def _begin(self) -> None:
        """Forget the game before."""
        super()._begin()
        self._states, self._actions = [], []

    def _draw(self, state: State, action: int | None) -> None:
        """Keep a copy of the state."""
        if self._states and action is not None:
            self._actions.append(action)
        self._states.append(state.copy())

    def _end(self, state: State, winner: int) -> None:
        """Write both files."""
        self._number += 1
        self.directory.mkdir(parents=True, exist_ok=True)
        stem = self.directory / f"{self._number:04}-{slug(self._title)}"
        animation, picture = stem.with_suffix(".gif"), stem.with_suffix(".png")
        last = self._actions[-1] if self._actions else None
        save_animation(
            animation,
            self.game,
            self._states,
            self._actions,
            self._title,
            self._players,
            self.delay,
        )
        save_board(picture, self.game, state, last, self._title, self._players)
        self.message(f"{self._result(winner)} See {animation}")

    def _redraw(self) -> None:
        """Nothing is seen that could be drawn anew."""

    def _wait(self, seconds: float) -> None:
        """Files need no waiting."""


def slug(title: str) -> str:
    """Return a title as a part of a file name: small letters, digits and hyphens."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "game"
