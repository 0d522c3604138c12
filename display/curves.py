"""How curves look in print; a sheet's ``plot`` gives them their axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from display.palette import FAINT, INK
from display.sheet import LINE, PAGE, Sheet

PANEL_HEIGHT = 1.75
TITLE_HEIGHT = 2.6 * LINE
LABEL_HEIGHT = 0.45
"""Inches below a panel, for its axis."""
_LETTERS_ON_A_LINE = 125
_LEFT, _GAP, _RIGHT = 0.56, 0.66, 0.2
PANEL_WIDTH = (PAGE - _LEFT - _GAP - _RIGHT) / 2

Dashes = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Pen:
    """How a curve is drawn; no two differ by colour alone."""

    colour: str
    dashes: Dashes
    marker: str


NET = Pen("#1f5f92", "-", "o")
SEARCH = Pen("#d9861a", (0, (4.0, 1.5)), "s")
OTHER = Pen(INK, (0, (1.0, 1.2)), "D")
REFERENCE = Pen(FAINT, ":", "")


def panel(sheet: Sheet, number: int, top: float) -> Axes:
    """Return the axes at the left (0) or at the right (1), with their letter."""
    return sheet.plot(_LEFT + number * (PANEL_WIDTH + _GAP), top, PANEL_WIDTH, PANEL_HEIGHT)


def write_title(sheet: Sheet, title: str, subtitle: str) -> None:
    """Write both lines above everything."""
    sheet.write(PAGE / 2, 0.4 * LINE, title, 9, bold=True)
    sheet.write(PAGE / 2, 1.5 * LINE, subtitle, 7 * min(1.0, _LETTERS_ON_A_LINE / len(subtitle)))


def name_panel(axes: Axes, letter: str) -> None:
    """Write ``(a)`` at the top left, outside."""
    axes.text(
        -0.17,
        1.04,
        f"({letter})",
        transform=axes.transAxes,
        fontsize=8,
        fontweight="bold",
        color=INK,
    )


def draw_curve(
    axes: Axes, x: Sequence[float], y: Sequence[float], pen: Pen, name: str, *, marked: bool = False
) -> None:
    """Draw a curve, with a marker at each point if they are to be seen."""
    axes.plot(
        x,
        y,
        color=pen.colour,
        linestyle=pen.dashes,
        linewidth=0.9 if pen is REFERENCE else 1.3,
        marker=pen.marker if marked else "",
        markersize=2.6,
        label=name,
    )


def share_axis(axes: Axes) -> None:
    """Let the y axis go from 0 to 100 %."""
    axes.set_ylim(-0.02, 1.04)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def add_legend(axes: Axes, on_a_line: int = 4) -> None:
    """Say which curve is which, in a line or two above the axes, where it hides nothing."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 0.98),
        ncols=on_a_line,
        fontsize=6.5,
        labelcolor=INK,
        frameon=False,
        handlelength=2.2,
        handletextpad=0.5,
        columnspacing=1.2,
        borderpad=0.2,
    )
