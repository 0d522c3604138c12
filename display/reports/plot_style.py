"""The look that all plots share."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from display.boards.palette import CELL_EDGE, FAINT, INK, PAPER

BLUE = "#2f6690"
OCHRE = "#c98a1b"
DASHED: dict[str, Any] = {"color": FAINT, "linewidth": 0.9, "linestyle": (0, (4, 4))}
"""How lines are drawn that only help the eye."""


def new_figure(title: str, width: float, height: float, subtitle: str = "") -> Figure:
    """Return a figure of so many inches with a heading, a line below it, and air around it."""
    # The line below the heading has its room above everything that is laid out.
    top = 1 - 0.62 / height if subtitle else 1
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12, rect=(0, 0, 1, top))
    figure = Figure(figsize=(width, height), facecolor=PAPER, layout=layout)
    heading = figure.suptitle(title, color=INK, fontsize=14, fontweight="bold")
    if subtitle:
        heading.set_in_layout(False)
        heading.set_y(1 - 0.12 / height)
        size = 10.5 * min(1.0, 10 * width / len(subtitle))
        below = 1 - 0.44 / height
        figure.text(0.5, below, subtitle, color=FAINT, fontsize=size, ha="center", va="top")
    return figure


def style_axes(axes: Axes) -> None:
    """Give axes paper, a faint grid and no frame."""
    axes.set_facecolor(PAPER)
    axes.grid(visible=True, color=CELL_EDGE, alpha=0.35, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(CELL_EDGE)
