"""A bar in a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.measure import Measurement
from rich.text import Text

from display.boards.terminal import RED_WORD

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_BAR_WIDTH = 12


class Bar:
    """A bar for a share from 0 to 1, to half a column; shrinks first when space is short."""

    def __init__(self, share: float) -> None:
        """Draw a share."""
        self._share = share

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it in the available width."""
        halves = round(2 * min(options.max_width, _BAR_WIDTH) * self._share)
        yield Text("━" * (halves // 2) + "╸" * (halves % 2), RED_WORD)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return its range of widths."""
        return Measurement(1, _BAR_WIDTH)
