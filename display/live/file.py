"""Games as files: an animation and a final picture for each game that is shown."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from base.params import DisplayParams
from display.boards.moment import GameView
from display.boards.picture import save_animation, save_board
from display.live.display import Display
from state_manager import StateManager

_SLUG_LENGTH = 60


class FileDisplay(Display):
    """Writes ``0001-episode-1-of-200.gif`` and ``.png`` for each shown game; never waits.

    The delay between moves is the time that a frame of the animation is shown. A game that the
    display is switched off in leaves no files; one that it is switched on in is kept from then on.
    """

    in_terminal = False

    def __init__(
        self, game: StateManager, params: DisplayParams, directory: Path, console: Console | None
    ) -> None:
        """Write to ``directory``, which is made for the first file, after those of earlier runs."""
        super().__init__(game, params, console)
        self._directory = directory
        self._first_move = 0  # of those that are kept, of the current game
        self._letters = params.letters  # whatever keys say

    def _begin(self) -> None:
        self._first_move = self._moments[-1].moves

    def _draw(self, view: GameView) -> None:
        self._first_move = min(self._first_move, view.moves)  # perhaps moves were taken back

    def _end(self, view: GameView) -> None:
        style: dict[str, Any] = {"insight": None, "letters": self._letters}
        views = [replace(each, **style) for each in self._moments[self._first_move :]]
        self._directory.mkdir(parents=True, exist_ok=True)
        numbers = (re.match(r"(\d+)-", path.name) for path in self._directory.glob("*.gif"))
        number = 1 + max((int(found[1]) for found in numbers if found), default=0)
        stem = self._directory / f"{number:04}-{slug(view.title)}"
        animation = stem.with_suffix(".gif")
        save_animation(animation, views, self.delay)
        save_board(stem.with_suffix(".png"), views[-1])
        self.message(f"{self._result} See {animation}")

    def _redraw(self, view: GameView) -> None:
        """Do nothing, since nothing is on a screen."""

    def _wait(self, seconds: float) -> None:
        """Files need no waiting."""


def slug(title: str) -> str:
    """Return a title as a part of a file name: small letters, digits and hyphens."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "game"
