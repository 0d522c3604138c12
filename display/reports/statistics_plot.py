"""The statistics over the plies of games, for print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from display.reports.curves import (
    LABEL_HEIGHT,
    NET,
    OTHER,
    PANEL_HEIGHT,
    REFERENCE,
    SEARCH,
    TITLE_HEIGHT,
    Pen,
    add_legend,
    draw_curve,
    name_panel,
    panel,
    share_axis,
    write_title,
)
from display.reports.sheet import PAGE, Sheet

if TYPE_CHECKING:
    from analysis.statistics import Calibration, Curve, GameStatistics

_ROW = 0.2 + PANEL_HEIGHT + LABEL_HEIGHT
_VALUES = {"search": ("search's value", SEARCH), "net": ("critic's value", NET)}


def plot_statistics(
    path: Path, statistics: GameStatistics, title: str, subtitle: str, first_player: str
) -> None:
    """Save entropy, first choice and agreement over the plies, and values against outcomes.

    Args:
        path: A PNG file; it appears whole or not at all.
        statistics: The figures.
        title: The heading.
        subtitle: The line below it.
        first_player: What player 1 is called; values are seen from there.
    """
    sheet = Sheet(PAGE, TITLE_HEIGHT + 2 * _ROW)
    write_title(sheet, title, subtitle)
    panels = [
        panel(sheet, column, TITLE_HEIGHT + 0.2 + line * _ROW)
        for line in range(2)
        for column in range(2)
    ]
    for axes, letter in zip(panels, "abcd", strict=True):
        name_panel(axes, letter)
    for axes in panels[:3]:
        axes.set_xlabel("moves made")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _draw_measure(panels[0], statistics.curves, "entropy")
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("entropy (nats)")
    _draw_measure(panels[1], statistics.curves, "top_probability")
    share_axis(panels[1])
    panels[1].set_ylabel("probability of the first choice")
    _draw_agreement(panels[2], statistics.curves)
    _draw_calibration(panels[3], statistics.calibration, first_player)
    sheet.save(path)


def _draw_measure(axes: Axes, curves: Mapping[str, Curve], measure: str) -> None:
    """Draw a measure of the net's and of the search's distributions, and of the uniform one."""
    for who, pen in (("net", NET), ("search", SEARCH)):
        _draw_band(axes, curves.get(f"{who}_{measure}"), pen, who)
    uniform = curves.get(f"uniform_{measure}")
    if uniform is not None:
        draw_curve(axes, uniform.plies, uniform.mean, REFERENCE, "uniform over legal moves")
    add_legend(axes)


def _draw_agreement(axes: Axes, curves: Mapping[str, Curve]) -> None:
    """Draw how often, and how much, net and search agree, and how often the net plays perfectly."""
    _draw_band(axes, curves.get("same_first_choice"), NET, "same first choice")
    _draw_band(axes, curves.get("overlap"), SEARCH, "overlap")
    _draw_band(axes, curves.get("net_plays_best"), OTHER, "perfect choice")
    share_axis(axes)
    axes.set_ylabel("agreement of net and search")
    add_legend(axes)


def _draw_band(axes: Axes, curve: Curve | None, pen: Pen, name: str) -> None:
    """Draw a mean and its 95 % interval, if it is known."""
    if curve is None:
        return
    axes.fill_between(curve.plies, curve.low, curve.high, color=pen.colour, alpha=0.15, linewidth=0)
    draw_curve(axes, curve.plies, curve.mean, pen, name, marked=True)


def _draw_calibration(
    axes: Axes, calibration: Mapping[str, Calibration], first_player: str
) -> None:
    """Draw what player 1 got against what was predicted; on the diagonal both are the same."""
    draw_curve(axes, (0.0, 1.0), (0.0, 1.0), REFERENCE, "perfect value")
    most = max(each.positions for value in calibration.values() for each in value.bins)
    for who, value in calibration.items():
        name, pen = _VALUES[who]
        predicted = [each.predicted for each in value.bins]
        points = [each.points for each in value.bins]
        # By rounding an interval may end a hair short of what it is about.
        reach = [
            [max(0.0, each.points - each.low) for each in value.bins],
            [max(0.0, each.high - each.points) for each in value.bins],
        ]
        axes.errorbar(
            predicted, points, reach, fmt="none", ecolor=pen.colour, elinewidth=0.9, capsize=2
        )
        draw_curve(axes, predicted, points, pen, "")
        axes.scatter(
            predicted,
            points,
            [8 + 50 * each.positions / most for each in value.bins],
            color=pen.colour,
            marker=pen.marker,
            edgecolors="white",
            linewidths=0.5,
            zorder=3,
            label=name,
        )
    share_axis(axes)
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel(f"value as a chance that {first_player} wins")
    axes.set_ylabel(f"games that {first_player} won")
    add_legend(axes)
