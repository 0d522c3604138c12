"""The shared style of all plots, on paper of their own colour and for print."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure, FigureBase
from matplotlib.layout_engine import ConstrainedLayoutEngine

from display.boards.board_picture import HEAT, SCALE, write
from display.boards.palette import CELL_EDGE, FAINT, INK, PAPER

DASHED: dict[str, Any] = {"color": FAINT, "linewidth": 0.9, "linestyle": (0, (4, 4))}
"""Style of guide lines."""

COLUMN, PAGE = 3.5, 7.0  # the widths of a paper's column and of its page, in inches
PRINT = 300  # dots an inch
PANEL = 2.3  # the height in inches of a row of panels
_PERCENTAGES = (0, 1, 5, 10, 20, 50, 100)


def new_figure(
    title: str, width: float, height: float, subtitle: str = "", *, printed: bool = False
) -> Figure:
    """Return a figure with a heading and a line below it, in inches; a printed one is white."""
    scale, air, paper = (0.64, 0.04, "white") if printed else (1.0, 0.12, PAPER)
    # The line below the heading has its room above everything that is laid out.
    top = 1 - 0.62 * scale / height if subtitle else 1
    layout = ConstrainedLayoutEngine(w_pad=air, h_pad=air, rect=(0, 0, 1, top))
    figure = Figure(figsize=(width, height), facecolor=paper, layout=layout)
    heading = figure.suptitle(title, color=INK, fontsize=14 * scale, fontweight="bold")
    if subtitle:
        heading.set_in_layout(False)
        heading.set_y(1 - 0.12 * scale / height)
        size = min(10.5 * scale, 105 * width / len(subtitle))
        style: dict[str, Any] = {"color": INK if printed else FAINT, "ha": "center", "va": "top"}
        figure.text(0.5, 1 - 0.44 * scale / height, subtitle, fontsize=size, **style)
    return figure


def style_axes(axes: Axes, letters: float = 10) -> None:
    """Give axes a faint grid and no frame."""
    axes.set_facecolor("none")
    axes.grid(visible=True, color=CELL_EDGE, alpha=0.35, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, length=0, labelsize=letters)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(color=INK, fontsize=letters)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(CELL_EDGE)


def panels(figure: FigureBase, count: int) -> list[Axes]:
    """Return axes for curves in print, two on a row, each with its letter."""
    found = [figure.add_subplot((count + 1) // 2, 2, number) for number in range(1, count + 1)]
    for letter, axes in zip(ascii_lowercase, found, strict=False):
        style_axes(axes, 7)
        write(axes, -0.17, 1.04, f"({letter})", 8, weight="bold", transform=axes.transAxes)
    return found


def add_colour_bar(figure: FigureBase, axes: Sequence[Axes], width: float) -> None:
    """Draw the scale of the heat maps' colours below axes, in a share of their width."""
    bar = figure.colorbar(
        ScalarMappable(SCALE, HEAT), ax=axes, location="bottom", shrink=width, aspect=30, pad=0.02
    )
    bar.set_ticks([each / 100 for each in _PERCENTAGES], labels=[*map(str, _PERCENTAGES)])
    bar.set_label("probability of the move (%)", fontsize=6.5, color=INK)
    bar.outline.set(edgecolor=FAINT, linewidth=0.5)
    bar.ax.tick_params(labelsize=6, colors=INK, length=2, width=0.5, pad=1.5)
    bar.ax.minorticks_off()
