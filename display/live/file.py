"""Games as files: an animation and a final picture for each game that is shown."""

import re
from dataclasses import replace
from pathlib import Path

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
        self._views: list[GameView] = []
        self._letters = params.letters  # whatever keys say

    def _begin(self) -> None:
        super()._begin()
        self._views = []

    def _draw(self, view: GameView) -> None:
        kept = replace(view, state=view.state.copy(), insight=None, letters=self._letters)
        self._views = [each for each in self._views if each.moves < view.moves] + [kept]

    def _end(self, view: GameView) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        numbers = (re.match(r"(\d+)-", path.name) for path in self._directory.glob("*.gif"))
        number = 1 + max((int(found[1]) for found in numbers if found), default=0)
        stem = self._directory / f"{number:04}-{slug(view.title)}"
        animation = stem.with_suffix(".gif")
        save_animation(animation, self._views, self.delay)
        save_board(stem.with_suffix(".png"), replace(self._views[-1], state=view.state))
        self.message(f"{self._result} See {animation}")

    def _redraw(self) -> None:
        """Do nothing, since nothing is on a screen."""

    def _wait(self, seconds: float) -> None:
        """Files need no waiting."""


def slug(title: str) -> str:
    """Return a title as a part of a file name: small letters, digits and hyphens."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "game"
