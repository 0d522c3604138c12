"""A policy drawn on its board: the darker a cell, the likelier the move.

Boards whose actions are places show them in the cells, boards on which pieces move show arrows,
and games on a row get a bar for each action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from display.heat import HeatMap
from display.heat_bars import MOST_BARS, draw_bars
from display.heat_diamond import diamond_extent, draw_heat_diamond
from display.heat_grid import draw_heat_grid, grid_extent
from display.palette import kind_of

if TYPE_CHECKING:
    from state_manager import StateManager

_BAR_INCHES = 0.155


def has_bars(game: StateManager) -> bool:
    """Tell whether a game's actions are drawn as bars, for want of a board to draw them on."""
    return kind_of(game) in ("heap", "ledge")


def heat_map_height(
    game: StateManager, width: float, *, numbered: bool = True, bars: int = MOST_BARS + 1
) -> float:
    """Return the height of a heat map in inches.

    Args:
        game: What is played.
        width: In inches.
        numbered: Whether rows and columns have their numbers.
        bars: For how many bars there is to be room, if there are bars.
    """
    if has_bars(game):
        return _BAR_INCHES * bars
    across, down = (
        diamond_extent(game.board_shape[0], numbered)
        if kind_of(game) == "diamond"
        else grid_extent(game.board_shape, numbered)
    )
    return width * down / across


def draw_heat_map(
    axes: Axes,
    heat_map: HeatMap,
    width: float,
    *,
    numbered: bool = True,
    bars: int = MOST_BARS + 1,
) -> None:
    """Draw a policy; the first choice has a golden edge, each move that is known to be best a dot.

    Args:
        axes: Where to draw, of the height that ``heat_map_height`` says.
        heat_map: What to draw.
        width: The width of the axes in inches.
        numbered: Whether rows and columns have their numbers.
        bars: For how many bars there is to be room, if there are bars.
    """
    axes.set_facecolor("none")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    if has_bars(heat_map.game):
        draw_bars(axes, heat_map, bars)
        return
    axes.set_aspect("equal")
    if kind_of(heat_map.game) == "diamond":
        draw_heat_diamond(axes, heat_map, width, numbered)
    else:
        draw_heat_grid(axes, heat_map, width, numbered)
