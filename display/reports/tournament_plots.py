"""Pictures of a tournament's standings and of a comparison: rates, ratings, cross tables."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike, NDArray

from agents.match import Results, Row
from display.boards.board_picture import write
from display.boards.palette import BLUE, CELL, INK, PAPER, RED
from display.boards.picture import save_figure
from display.reports.sheet import DASHED, new_figure, style_axes
from display.reports.tables import milliseconds, whole
from topp import Standings

_WINS_AND_LOSSES = LinearSegmentedColormap.from_list("wins", ["#3d6f94", "#f7f1e3", "#c9342c"])
"""From blue, never won, to red, always won; distinct for the colour-blind, too."""
_OUTLINE = withStroke(linewidth=3, foreground=PAPER)
_NAME_WIDTH = 34  # letters in a line of a name
_LINE, _ROW = 0.21, 0.62  # inches that a line of a name takes, and that a row takes at least
_PANEL, _SPEEDS, _CELL = 2.5, 1.75, 0.75
"""Widths in inches: of rates and ratings, of the speeds, of a cell of the cross table."""
_MOST_WITH_INTERVALS = 8  # the cells of more agents are too narrow for two lines


def plot_standings(path: Path, standings: Standings, subtitle: str) -> None:
    """Save win rates with their 95 % intervals beside the cross table, as a PNG file."""
    rows, title = standings.rows, "Tournament of Progressive Policies"
    figure = new_figure(title, 11, max(3.8, 1.9 + 0.55 * len(rows)), subtitle)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    labels = [f"{row.win_rate:.1%}  ({row.elo:+.0f})" for row in rows]
    _draw_rates(left, "Win rate with 95 % interval (Elo)", rows, labels)
    left.set_yticks(range(len(rows)), [f"{row.name}  {n}" for n, row in enumerate(rows, start=1)])
    left.tick_params(axis="y", pad=50)  # leaves room for the label of a net that never wins
    wins, games = np.array(standings.wins, float), np.array(standings.games, float)
    # A draw is half a win for both, so equals are neither red nor blue however often they draw.
    points = (games + wins - wins.T) / 2
    shares = np.divide(points, games, out=np.full(wins.shape, np.nan), where=games > 0)
    for i, j, colour in _draw_cross_table(right, "Wins of the row against the column", shares):
        right.text(j, i, f"{wins[i, j]:g}", ha="center", va="center", color=colour)
    save_figure(figure, path)


def plot_comparison(path: Path, results: Results, subtitle: str) -> None:
    """Save rates and Elo with intervals, speeds, and the cross table if there are enough pairs."""
    rows = results.rows
    numbered = [f"{number}  {row.name}" for number, row in enumerate(rows, start=1)]
    names = [textwrap.fill(name, _NAME_WIDTH) for name in numbered]
    widths = [_PANEL, _PANEL, _SPEEDS]
    if len(results.pairs) >= len(rows):
        widths.append(min(6.0, max(2.2, _CELL * len(rows))))
    lines = [name.split("\n") for name in names]
    for_names = 0.5 + 0.085 * max(len(line) for each in lines for line in each)
    height = 1.75 + len(rows) * max(_ROW, _LINE * max(map(len, lines)) + 0.15)
    figure = new_figure("Comparison", sum(widths) + for_names, height, subtitle)
    rates, ratings, speeds, *cross = figure.subplots(1, len(widths), width_ratios=widths)
    _draw_rates(rates, "Win rate", rows, [f"{row.win_rate:.1%}" for row in rows])
    values = [(row.elo, row.elo_low, row.elo_high) for row in rows]
    labels = ["" if np.isnan(row.elo) else _signed(row.elo) for row in rows]
    _draw_dots(ratings, "Elo, relative to 1", values, BLUE, labels)
    ratings.axvline(0.0, **DASHED, zorder=0)
    ratings.margins(x=0.12)
    _write_speeds(speeds, rows)
    for axes in cross:
        _draw_win_rates_of_pairs(axes, results)
    for axes in (ratings, speeds):
        axes.set_yticks(range(len(rows)), [])
    rates.set_yticks(range(len(rows)), names, fontsize=10.5)
    rates.tick_params(axis="y", pad=15)
    save_figure(figure, path, 200)


def _draw_rates(axes: Axes, title: str, rows: Sequence[Row], labels: Sequence[str]) -> None:
    _draw_dots(axes, title, [(row.win_rate, row.low, row.high) for row in rows], RED, labels)
    axes.axvline(0.5, **DASHED, zorder=0)
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 5))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))


def _draw_dots(
    axes: Axes, title: str, values: ArrayLike, colour: str, labels: Sequence[str]
) -> None:
    """Draw dots with whiskers and figures, the first row on top: `[n, 3]`, each with both ends."""
    style_axes(axes)
    axes.set_title(title, color=INK, fontsize=11)
    dots, *ends = np.array(values, float).T
    style: dict[str, Any] = {"fmt": "o", "markersize": 6.5, "elinewidth": 2, "capsize": 4}
    reach = np.abs(np.array(ends) - dots)
    places = np.arange(len(dots))
    axes.errorbar(dots, places, xerr=reach, color=colour, zorder=3, clip_on=False, **style)
    axes.set_ylim(len(dots) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for place, label in enumerate(labels):
        if label:
            axes.annotate(
                label, (dots[place], place), xytext=(0, 6), textcoords="offset points",
                ha="center", va="bottom", color=INK, fontsize=9.5, path_effects=[_OUTLINE],
            )  # fmt: skip


def _write_speeds(axes: Axes, rows: Sequence[Row]) -> None:
    style_axes(axes)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    columns = (
        (0.36, "ms/move", [milliseconds(row.effort.seconds_per_move) for row in rows]),
        (1.0, "simulations/s", [whole(row.effort.simulations_per_second) for row in rows]),
    )
    for right, heading, words in columns:
        above = {"va": "bottom", "transform": axes.transAxes}
        write(axes, right, 1.0, heading, 9.5, ha="right", **above)
        for place, each in enumerate(words):
            write(axes, right, place, each, 9.5, ha="right")


def _draw_win_rates_of_pairs(axes: Axes, results: Results) -> None:
    place = {row.name: number for number, row in enumerate(results.rows)}
    shares = np.full((len(place), len(place)), np.nan)
    intervals = {}
    for pair in results.pairs:
        one, other = place[pair.first], place[pair.second]
        shares[one, other], shares[other, one] = pair.win_rate, 1 - pair.win_rate
        intervals[one, other] = pair.low, pair.high
        intervals[other, one] = 1 - pair.high, 1 - pair.low
    small = len(place) > _MOST_WITH_INTERVALS
    for i, j, colour in _draw_cross_table(axes, "Row against column (%)", shares):
        size, side = (9.0, "center") if small else (10.5, "bottom")
        write(axes, j, i, f"{100 * shares[i, j]:.1f}", size, va=side, color=colour)
        if not small:
            low, high = intervals[i, j]
            words = f"{100 * low:.1f}\N{EN DASH}{100 * high:.1f}"
            write(axes, j, i + 0.06, words, 8, va="top", color=colour)


def _draw_cross_table(
    axes: Axes, title: str, shares: NDArray[np.float64]
) -> Iterator[tuple[int, int, str]]:
    """Colour the cells, red where the row won more; yield row, column and ink of each."""
    axes.set_title(title, color=INK, fontsize=11)
    numbers = range(1, len(shares) + 1)
    axes.imshow(np.ma.masked_invalid(shares), cmap=_WINS_AND_LOSSES, vmin=0, vmax=1, aspect="auto")
    axes.set_facecolor(CELL)
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(np.arange(len(shares)), list(map(str, numbers)))
        set_ticks(np.arange(len(shares) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=2)
    axes.tick_params(which="both", length=0, colors=INK)
    axes.spines[:].set_visible(False)
    for (i, j), share in np.ndenumerate(shares):
        if not np.isnan(share):
            yield i, j, "white" if abs(share - 0.5) > 0.3 else INK


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "\N{MINUS SIGN}") if round(value) else "0"
