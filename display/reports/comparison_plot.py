"""The picture of a comparison: win rates, ratings and speeds, and who beat whom."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from display.boards.palette import CELL, FAINT, INK, PAPER, RED
from display.reports.comparison_tables import milliseconds, whole
from display.reports.plot_style import BLUE, WINS_AND_LOSSES, new_figure, save_figure, style_axes

if TYPE_CHECKING:
    from display.reports.comparison_tables import AgentRow, ComparisonData

_DOTS_PER_INCH = 200
_NAME_WIDTH = 34
"""Letters in a line of a name."""
_LINE, _ROW = 0.21, 0.62
"""Inches that a line of a name takes, and that a row takes at least."""
_PANEL, _SPEEDS, _CELL = 2.5, 1.75, 0.75
"""Widths in inches: of rates and ratings, of the speeds, of a cell of the cross table."""
_MOST_WITH_INTERVALS = 8
"""The cells of more agents are too narrow for two lines."""


def plot_comparison(
    path: Path, results: ComparisonData, title: str = "Comparison", subtitle: str = ""
) -> None:
    """Save win rates and Elo with their 95 % intervals, speeds, and the cross table.

    Where there are fewer pairs than agents, the win rates say all that a cross table would.

    Args:
        path: A PNG file; it appears whole or not at all.
        results: What an arena returned, of at least two agents.
        title: The heading.
        subtitle: A line below it: which game, and how it was played.
    """
    rows = results.rows
    names = [
        textwrap.fill(f"{number}  {row.name}", _NAME_WIDTH)
        for number, row in enumerate(rows, start=1)
    ]
    lines = [name.count("\n") + 1 for name in names]
    widths = [_PANEL, _PANEL, _SPEEDS]
    if len(results.pairs) >= len(rows):
        widths.append(min(6.0, max(2.2, _CELL * len(rows))))
    for_names = 0.5 + 0.085 * max(len(line) for name in names for line in name.split("\n"))
    height = 1.75 + len(rows) * max(_ROW, _LINE * max(lines) + 0.15)
    figure = new_figure(title, sum(widths) + for_names, height, subtitle)
    rates, ratings, speeds, *cross = figure.subplots(1, len(widths), width_ratios=widths)
    _draw_win_rates(rates, rows)
    _draw_ratings(ratings, rows)
    _write_speeds(speeds, rows)
    for axes in cross:
        _draw_cross_table(axes, results)
    rates.set_yticks(range(len(rows)), names, fontsize=10.5)
    rates.tick_params(axis="y", pad=15)
    save_figure(figure, path, _DOTS_PER_INCH)


def _draw_win_rates(axes: Axes, rows: Sequence[AgentRow]) -> None:
    """Draw the share of games that each one won, with its interval."""
    values = np.array([[row.win_rate, row.low, row.high] for row in rows])
    _draw_intervals(axes, values, RED, [f"{row.win_rate:.1%}" for row in rows])
    axes.axvline(0.5, color=FAINT, linewidth=0.9, linestyle=(0, (4, 4)), zorder=0)
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 5))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_title("Win rate", color=INK, fontsize=11)


def _draw_ratings(axes: Axes, rows: Sequence[AgentRow]) -> None:
    """Draw the ratings relative to the first one's, with their intervals."""
    values = np.array([[row.elo, row.elo_low, row.elo_high] for row in rows])
    labels = ["" if np.isnan(row.elo) else _signed(row.elo) for row in rows]
    _draw_intervals(axes, values, BLUE, labels)
    axes.axvline(0.0, color=FAINT, linewidth=0.9, linestyle=(0, (4, 4)), zorder=0)
    axes.set_yticks(range(len(rows)), [])
    axes.margins(x=0.12)
    axes.set_title("Elo, relative to 1", color=INK, fontsize=11)


def _draw_intervals(
    axes: Axes, values: NDArray[np.float64], colour: str, labels: Sequence[str]
) -> None:
    """Draw a dot with whiskers and its figure above it in each row, the first row on top.

    Args:
        axes: Where.
        values: `[n, 3]`, for each row the dot and the ends of its whiskers.
        colour: Of dots and whiskers.
        labels: The figures.
    """
    style_axes(axes)
    places = np.arange(len(values))
    dots = values[:, 0]
    reach = np.abs(values[:, 1:].T - dots)
    axes.errorbar(
        dots, places, xerr=reach, fmt="o", color=colour,
        markersize=6.5, elinewidth=2, capsize=4, clip_on=False, zorder=3,
    )  # fmt: skip
    for dot, place, label in zip(dots, places, labels, strict=True):
        if label:
            axes.annotate(
                label,
                (dot, place),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                va="bottom",
                color=INK,
                fontsize=9.5,
                path_effects=[withStroke(linewidth=3, foreground=PAPER)],
            )
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


def _write_speeds(axes: Axes, rows: Sequence[AgentRow]) -> None:
    """Write what a move took, in two columns."""
    style_axes(axes)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
    axes.set_yticks(range(len(rows)), [])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    columns = (
        (0.36, "ms/move", [row.effort.seconds_per_move for row in rows], milliseconds),
        (1.0, "simulations/s", [row.effort.simulations_per_second for row in rows], whole),
    )
    for right, heading, values, show in columns:
        axes.text(
            right, 1.0, heading, ha="right", va="bottom", color=INK, fontsize=9.5,
            transform=axes.transAxes,
        )  # fmt: skip
        for place, value in enumerate(values):
            axes.text(right, place, show(value), ha="right", va="center", color=INK, fontsize=9.5)


def _draw_cross_table(axes: Axes, results: ComparisonData) -> None:
    """Write the row's win rate against the column with its interval, on red where it won more."""
    numbers = [str(number) for number in range(1, len(results.rows) + 1)]
    shares, texts = _cross_table(results)
    axes.imshow(np.ma.masked_invalid(shares), cmap=WINS_AND_LOSSES, vmin=0, vmax=1, aspect="auto")
    axes.set_facecolor(CELL)
    small = len(numbers) > _MOST_WITH_INTERVALS
    for (i, j), share in np.ndenumerate(shares):
        if np.isnan(share):
            continue
        colour = "white" if abs(share - 0.5) > 0.3 else INK
        rate, interval = texts[i, j]
        axes.text(
            j, i, rate, ha="center", va="center" if small else "bottom", color=colour,
            fontsize=9 if small else 10.5,
        )  # fmt: skip
        if not small:
            axes.text(j, i + 0.06, interval, ha="center", va="top", color=colour, fontsize=8)
    axes.set_xticks(range(len(numbers)), numbers)
    axes.set_yticks(range(len(numbers)), numbers)
    axes.set_xticks(np.arange(len(numbers) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(numbers) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=2)
    axes.tick_params(which="both", length=0, colors=INK)
    axes.spines[:].set_visible(False)
    axes.set_title("Row against column (%)", color=INK, fontsize=11)


def _cross_table(
    results: ComparisonData,
) -> tuple[NDArray[np.float64], dict[tuple[int, int], tuple[str, str]]]:
    """Return `[n, n]` win rates of rows against columns, nan for none, and what to write there."""
    place = {row.name: number for number, row in enumerate(results.rows)}
    shares = np.full((len(place), len(place)), np.nan)
    texts = {}
    for pair in results.pairs:
        one, other = place[pair.first], place[pair.second]
        for i, j, rate, low, high in (
            (one, other, pair.win_rate, pair.low, pair.high),
            (other, one, 1 - pair.win_rate, 1 - pair.high, 1 - pair.low),
        ):
            shares[i, j] = rate
            texts[i, j] = f"{100 * rate:.1f}", f"{100 * low:.1f}\N{EN DASH}{100 * high:.1f}"
    return shares, texts


def _signed(value: float) -> str:
    """Return a whole number with its sign; nothing before zero."""
    return f"{value:+.0f}".replace("-", "\N{MINUS SIGN}") if round(value) else "0"
