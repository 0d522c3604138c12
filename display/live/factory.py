"""The display that the parameters ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from display.live.display import Display
from display.live.errors import DisplayError

if TYPE_CHECKING:
    from rich.console import Console

    from base.params import DisplayParams
    from state_manager import StateManager


def make_display(
    params: DisplayParams,
    game: StateManager,
    directory: Path | None = None,
    console: Console | None = None,
) -> Display:
    """Return a display for ``with``: an observer of games that also has the progress bar.

    Args:
        params: ``mode`` is ``terminal``, ``window``, ``file``, or ``off``: then there is only the
            progress bar until the key ``d`` switches boards on in the terminal.
        game: The game that will be shown.
        directory: Where mode ``file`` puts its files; the folder ``games`` if None.
        console: Where to write; the standard output if None.

    Raises:
        DisplayError: If no window can be opened, or the mode is unknown.
    """
    if params.mode in ("off", "terminal"):
        from display.live.terminal import TerminalDisplay

        return TerminalDisplay(game, params, console)
    if params.mode == "window":
        from display.live.window import WindowDisplay

        return WindowDisplay(game, params, console)
    if params.mode == "file":
        from display.live.file import FileDisplay

        return FileDisplay(game, params, directory or Path("games"), console)
    raise DisplayError(f"expected off, terminal, window or file, got {params.mode!r}")
