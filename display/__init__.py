"""Everything that draws: boards in the terminal, in windows and files, tables and plots.

What is drawn comes in as plain data or through the observer's three calls; nothing here decides
anything. ``rich`` and matplotlib are imported when they are used, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from display.live.errors import DisplayError
from display.live.filter import GameFilter

if TYPE_CHECKING:
    from display.boards.picture import draw_board, save_animation, save_board
    from display.live.compiling import show_compiling
    from display.live.display import Display
    from display.live.factory import make_display
    from display.live.file import FileDisplay
    from display.live.keys import KeyListener
    from display.live.terminal import GameView, TerminalDisplay
    from display.live.window import WindowDisplay
    from display.reports.comparison_plot import plot_comparison
    from display.reports.comparison_tables import comparison_table, effort_table, pairs_table
    from display.reports.plots import plot_standings, plot_training
    from display.reports.tables import cross_table, series_table, standings_table, tournament_table

_HEAVY = {
    "Display": "live.display",
    "FileDisplay": "live.file",
    "GameView": "live.terminal",
    "KeyListener": "live.keys",
    "TerminalDisplay": "live.terminal",
    "WindowDisplay": "live.window",
    "comparison_table": "reports.comparison_tables",
    "cross_table": "reports.tables",
    "draw_board": "boards.picture",
    "effort_table": "reports.comparison_tables",
    "make_display": "live.factory",
    "pairs_table": "reports.comparison_tables",
    "plot_comparison": "reports.comparison_plot",
    "plot_standings": "reports.plots",
    "plot_training": "reports.plots",
    "save_animation": "boards.picture",
    "save_board": "boards.picture",
    "series_table": "reports.tables",
    "show_compiling": "live.compiling",
    "standings_table": "reports.tables",
    "tournament_table": "reports.tables",
}

__all__ = [
    "Display",
    "DisplayError",
    "FileDisplay",
    "GameFilter",
    "GameView",
    "KeyListener",
    "TerminalDisplay",
    "WindowDisplay",
    "comparison_table",
    "cross_table",
    "draw_board",
    "effort_table",
    "make_display",
    "pairs_table",
    "plot_comparison",
    "plot_standings",
    "plot_training",
    "save_animation",
    "save_board",
    "series_table",
    "show_compiling",
    "standings_table",
    "tournament_table",
]


def __getattr__(name: str) -> object:
    """Import on first use what brings ``rich`` or matplotlib with it."""
    if name in _HEAVY:
        return getattr(importlib.import_module(f"display.{_HEAVY[name]}"), name)
    raise AttributeError(f"module 'display' has no attribute {name!r}")
