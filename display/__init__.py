"""Everything that draws: boards in the terminal, in windows and files, tables and plots.

What is drawn comes in as plain data or through the observer's three calls; nothing here decides
anything. ``rich`` and matplotlib are imported when they are used, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from display.errors import DisplayError
from display.filter import GameFilter

if TYPE_CHECKING:
    from display.comparison_plot import plot_comparison
    from display.comparison_tables import comparison_table, effort_table, pairs_table
    from display.compiling import show_compiling
    from display.display import Display
    from display.factory import make_display
    from display.file import FileDisplay
    from display.keys import KeyListener
    from display.picture import draw_board, save_animation, save_board
    from display.plots import plot_standings, plot_training
    from display.tables import cross_table, series_table, standings_table, tournament_table
    from display.terminal import GameView, TerminalDisplay
    from display.window import WindowDisplay

_HEAVY = {
    "Display": "display",
    "FileDisplay": "file",
    "GameView": "terminal",
    "KeyListener": "keys",
    "TerminalDisplay": "terminal",
    "WindowDisplay": "window",
    "comparison_table": "comparison_tables",
    "cross_table": "tables",
    "draw_board": "picture",
    "effort_table": "comparison_tables",
    "make_display": "factory",
    "pairs_table": "comparison_tables",
    "plot_comparison": "comparison_plot",
    "plot_standings": "plots",
    "plot_training": "plots",
    "save_animation": "picture",
    "save_board": "picture",
    "series_table": "tables",
    "show_compiling": "compiling",
    "standings_table": "tables",
    "tournament_table": "tables",
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
