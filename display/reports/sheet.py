"""The shared style of all plots, and figures for print with places in inches."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from display.boards.board_picture import HEAT, SCALE, write
from display.boards.palette import CELL_EDGE, FAINT, INK, PAPER
from display.boards.picture import save_figure

DASHED: dict[str, Any] = {"color": FAINT, "linewidth": 0.9, "linestyle": (0, (4, 4))}
"""Style of guide lines."""

COLUMN, PAGE = 3.5, 7.0
"""The widths of a paper's column and of its page."""
LINE = 0.145
"""Distance between two lines of text."""
COLOUR_BAR = 0.4
PANEL_HEIGHT = 1.75
TITLE_HEIGHT = 2.6 * LINE
LABEL_HEIGHT = 0.45
"""Inches below a panel, for its axis."""
_LETTERS_ON_A_LINE = 125
_LEFT, _GAP, _RIGHT = 0.56, 0.66, 0.2
PANEL_WIDTH = (PAGE - _LEFT - _GAP - _RIGHT) / 2


class Sheet:
    """A white figure; places are inches from the top left corner."""

    def __init__(self, width: float, height: float) -> None:
        """Make an empty sheet; width and height are in inches."""
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), facecolor="white")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return new axes whose top left corner lies there."""
        bottom = self.height - top - height
        across, down = self.width, self.height
        return self.figure.add_axes((left / across, bottom / down, width / across, height / down))

    def panel(self, number: int, top: float, letter: str) -> Axes:
        """Return axes for curves, at the left (0) or at the right (1), with their letter."""
        left = _LEFT + number * (PANEL_WIDTH + _GAP)
        axes = self.axes(left, top, PANEL_WIDTH, PANEL_HEIGHT)
        axes.grid(visible=True, color=CELL_EDGE, alpha=0.35, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.tick_params(colors=INK, length=2, width=0.5, labelsize=7, pad=2)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["bottom", "left"]].set(color=FAINT, linewidth=0.6)
        for axis in (axes.xaxis, axes.yaxis):
            axis.label.set(color=INK, fontsize=7.5)
        where = {"transform": axes.transAxes, "ha": "left", "va": "baseline"}
        write(axes, -0.17, 1.04, f"({letter})", 8, weight="bold", **where)
        return axes

    def write_title(self, title: str, subtitle: str) -> None:
        """Write both lines above everything."""
        size = 7 * min(1.0, _LETTERS_ON_A_LINE / len(subtitle))
        self.write(self.width / 2, 0.4 * LINE, title, 9, weight="bold")
        self.write(self.width / 2, 1.5 * LINE, subtitle, size)

    def write(self, x: float, top: float, words: str, size: float, **style: Any) -> None:
        """Write words around x, on a line that begins at ``top``."""
        y, style = top + LINE / 2, {"color": INK, "ha": "center", "va": "center_baseline", **style}
        self.figure.text(x / self.width, 1 - y / self.height, words, fontsize=size, **style)

    def colour_bar(self, middle: float, top: float, width: float) -> None:
        """Draw the scale of the heat maps' colours."""
        axes = self.axes(middle - width / 2, top, width, 0.07)
        bar = self.figure.colorbar(ScalarMappable(SCALE, HEAT), cax=axes, orientation="horizontal")
        percentages = (0, 1, 5, 10, 20, 50, 100)
        bar.set_ticks([each / 100 for each in percentages], labels=list(map(str, percentages)))
        axes.spines["outline"].set(edgecolor=FAINT, linewidth=0.5)
        axes.tick_params(labelsize=6, colors=INK, length=2, width=0.5, pad=1.5)
        axes.minorticks_off()
        self.write(middle, top + 0.2, "probability of the move (%)", 6.5)

    def save(self, path: Path) -> None:
        """Write the picture, whole or not at all."""
        save_figure(self.figure, path, 300)


def new_figure(title: str, width: float, height: float, subtitle: str = "") -> Figure:
    """Return a figure, its size in inches, with a heading, a line below it, and air around it."""
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
