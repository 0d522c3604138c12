"""A policy as bars, for games that are played on a row; and the row."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from display.boards.board_picture import write
from display.boards.heat import (
    HEAT,
    POINTS,
    SCALE,
    SMALLEST_LETTERS,
    HeatMap,
    mark_first_choice,
)
from display.boards.palette import (
    CELL,
    CELL_EDGE,
    COPPER,
    FAINT,
    GOLD,
    INK,
    PEBBLE,
    board_of,
    percent,
)

MOST_BARS = 12
_LETTERS = 6
_COINS = {1: COPPER, 2: GOLD}
_MOST_STONES = 30


def bars_of(heat_map: HeatMap) -> int:
    """Return how many bars a policy has, that of all others included."""
    return min(MOST_BARS + 1, len(heat_map.game.legal_actions(heat_map.state)))


def draw_bars(axes: Axes, heat_map: HeatMap, bars: int) -> None:
    """Draw a bar for each legal action, for the likeliest ones if there are many.

    Args:
        axes: Where to draw.
        heat_map: What to draw.
        bars: For how many there is to be room, so that bars of several axes are alike.
    """
    game, policy = heat_map.game, heat_map.policy
    legal = game.legal_actions(heat_map.state).tolist()
    shown = legal
    if len(legal) > MOST_BARS:
        shown = sorted(sorted(legal, key=lambda action: -policy[action])[:MOST_BARS])
    names = [game.action_name(action) for action in shown]
    shares = [float(policy[action]) for action in shown]
    if len(shown) < len(legal):
        names.append(f"{len(legal) - len(shown)} others")
        shares.append(max(0.0, 1.0 - sum(shares)))
    axes.set_facecolor("none")
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    places = np.arange(len(names))
    thin: dict[str, Any] = {"edgecolor": CELL_EDGE, "linewidth": 0.5}
    drawn = axes.barh(places, shares, height=0.74, color=HEAT(SCALE(shares)), **thin)
    mark_first_choice(drawn[shown.index(heat_map.first_choice)], 1.1)
    for place, share in enumerate(shares):
        best = place < len(shown) and heat_map.is_best(shown[place])
        label = percent(share) + (" •" if best else "")
        write(axes, share + 0.03, place, label, _LETTERS, ha="left", va="center_baseline")
    axes.set_yticks(places, names, fontsize=_LETTERS, color=INK)
    axes.tick_params(length=0, pad=2)
    axes.set_xlim(0, 1.25)
    axes.set_ylim(bars - 0.4, -0.6)


def draw_row(axes: Axes, heat_map: HeatMap, width: float) -> None:
    """Draw the stones of a heap that are left, or the coins on a ledge, whose edge is at the left.

    Args:
        axes: Where to draw, a fourth of an inch high.
        heat_map: The position.
        width: The width of the axes in inches.
    """
    board = board_of(heat_map.game, heat_map.state).reshape(-1)
    heap = heat_map.game.drawing == "heap"
    axes.set_axis_off()
    axes.set_aspect("equal")
    cell = min(0.15, width / len(board))
    across, down = width / cell, 0.25 / cell
    axes.set_xlim(len(board) / 2 - across / 2, len(board) / 2 + across / 2)
    axes.set_ylim(-down / 2, down / 2)
    if heap and len(board) > _MOST_STONES:
        write(axes, len(board) / 2, 0, f"{np.count_nonzero(board)} stones left", _LETTERS)
        return
    thin: dict[str, Any] = {"edgecolor": CELL_EDGE, "linewidth": 0.5}
    letters = min(5.5, 0.7 * cell * POINTS)
    for place, piece in enumerate(board.tolist()):
        middle = (place + 0.5, 0.0)
        if heap:
            axes.add_patch(Circle(middle, 0.38, facecolor=PEBBLE if piece else "none", **thin))
            continue
        axes.add_patch(Rectangle((place, -0.5), 1, 1, facecolor=CELL, **thin))
        if piece:
            coin = _COINS[piece]
            axes.add_patch(Circle(middle, 0.36, facecolor=coin, edgecolor=INK, linewidth=0.4))
        if letters >= SMALLEST_LETTERS:
            write(axes, place + 0.5, -0.95, str(place), letters, color=FAINT)
