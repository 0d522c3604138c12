"""Live displays: games in the terminal, a window or files, and progress bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from base.params import DisplayParams
    from display.live.display import Display
    from state_manager import StateManager


def make_display(params: DisplayParams, game: StateManager, directory: Path) -> Display:
    """Return a display for ``with``: an observer of games that also has the progress bar.

    In mode ``off`` there is only the progress bar until the key ``d`` switches boards on in the
    terminal; mode ``file`` puts its files into ``directory``. Raises a ``DisplayError`` if no
    window can be opened.
    """
    if params.mode == "window":
        from display.live.window import WindowDisplay

        return WindowDisplay(game, params)
    if params.mode == "file":
        from display.live.file import FileDisplay

        return FileDisplay(game, params, directory, console=None)
    from display.live.display import Display

    return Display(game, params)
