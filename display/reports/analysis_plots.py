"""The curves of an analysis for print: over the plies of games, and over temperatures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike

from analysis import GameStatistics, TemperatureEffect
from analysis.game_statistics import Calibration, Curve
from display.boards.palette import FAINT, INK
from display.boards.picture import save_figure
from display.reports.heat_map import HeatMap, draw_heat_map, heat_map_height, marks_in_words
from display.reports.sheet import PAGE, PANEL, PRINT, add_colour_bar, new_figure, panels

_MOST_MAPS = 6
_WIDEST_MAP = 1.7


class Pen(NamedTuple):
    """The style of a curve; no two differ by colour alone."""

    colour: str
    dashes: str | tuple[int, tuple[float, ...]]
    marker: str


NET = Pen("#1f5f92", "-", "o")
SEARCH = Pen("#d9861a", (0, (4.0, 1.5)), "s")
OTHER = Pen(INK, (0, (1.0, 1.2)), "D")
REFERENCE = Pen(FAINT, ":", "")
_VALUES = {"search": ("search's value", SEARCH), "net": ("critic's value", NET)}


def plot_statistics(
    path: Path, statistics: GameStatistics, title: str, subtitle: str, first_player: str
) -> None:
    """Save entropy, first choice and agreement over the plies, and values against outcomes."""
    figure = new_figure(title, PAGE, 0.4 + 2 * PANEL, subtitle, printed=True)
    first, second, third, fourth = panels(figure, 4)
    for axes in (first, second, third):
        axes.set_xlabel("moves made")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    curves = statistics.curves
    _draw_measure(first, curves, "entropy")
    first.set_ylim(bottom=0)
    first.set_ylabel("entropy (nats)")
    _draw_measure(second, curves, "top_probability")
    _share_axis(second, "probability of the first choice")
    _draw_band(third, curves.get("same_first_choice"), NET, "same first choice")
    _draw_band(third, curves.get("overlap"), SEARCH, "overlap")
    _draw_band(third, curves.get("net_plays_best"), OTHER, "perfect choice")
    _share_axis(third, "agreement of net and search")
    _add_legend(third)
    _draw_calibration(fourth, statistics.calibration, first_player)
    save_figure(figure, path, PRINT)


def _draw_measure(axes: Axes, curves: Mapping[str, Curve], measure: str) -> None:
    for name, pen in (("net", NET), ("search", SEARCH)):
        _draw_band(axes, curves.get(f"{name}_{measure}"), pen, name)
    uniform = curves.get(f"uniform_{measure}")
    if uniform is not None:
        _draw_curve(axes, uniform.plies, uniform.mean, REFERENCE, "uniform over legal moves")
    _add_legend(axes)


def _draw_band(axes: Axes, curve: Curve | None, pen: Pen, name: str) -> None:
    if curve is None:
        return
    axes.fill_between(curve.plies, curve.low, curve.high, color=pen.colour, alpha=0.15, linewidth=0)
    _draw_curve(axes, curve.plies, curve.mean, pen, name, marked=True)


def _draw_calibration(
    axes: Axes, calibration: Mapping[str, Calibration], first_player: str
) -> None:
    """Draw player 1's results against predictions; on the diagonal both are equal."""
    _draw_curve(axes, (0.0, 1.0), (0.0, 1.0), REFERENCE, "perfect value")
    most = max(each.positions for value in calibration.values() for each in value.bins)
    for source, value in calibration.items():
        name, pen = _VALUES[source]
        rows = [(b.predicted, b.points, b.low, b.high) for b in value.bins]
        predicted, points, low, high = np.array(rows).T
        # Rounding may end an interval just short of its point.
        reach = np.maximum(0.0, [points - low, high - points])
        bars: dict[str, Any] = {"fmt": "none", "elinewidth": 0.9, "capsize": 2}
        axes.errorbar(predicted, points, reach, ecolor=pen.colour, **bars)
        _draw_curve(axes, predicted, points, pen, "")
        sizes = [8 + 50 * each.positions / most for each in value.bins]
        dots: dict[str, Any] = {"marker": pen.marker, "linewidths": 0.5, "edgecolors": "white"}
        axes.scatter(predicted, points, sizes, color=pen.colour, label=name, zorder=3, **dots)
    _share_axis(axes, f"games that {first_player} won")
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel(f"value as a chance that {first_player} wins")
    _add_legend(axes)


def plot_temperatures(
    path: Path,
    heat_maps: Sequence[tuple[float, HeatMap]],
    effects: Sequence[TemperatureEffect],
    title: str,
    subtitle: str,
) -> None:
    """Save a position's policy at up to 6 temperatures, above the means over many positions."""
    chosen = np.unique(np.linspace(0, len(heat_maps) - 1, _MOST_MAPS).round().astype(int))
    shown = [heat_maps[index] for index in chosen]
    game, bars = shown[0][1].game, shown[0][1].bars
    board = min(PAGE / len(shown) - 0.15, _WIDEST_MAP)
    words = 1.1 if game.drawing.has_board else 0.6  # inches
    maps_height = heat_map_height(game, board, bars, named=False) + words
    figure = new_figure(title, PAGE, 0.4 + maps_height + PANEL, subtitle, printed=True)
    parts: Any = figure.subfigures(2, 1, height_ratios=[maps_height, PANEL])
    above, below = parts
    maps = above.subplots(1, len(shown), squeeze=False)[0]
    for axes, (temperature, heat_map) in zip(maps, shown, strict=True):
        axes.set_title(f"T = {temperature:g}", fontsize=7.5, weight="bold", color=INK)
        draw_heat_map(axes, heat_map, board, bars)
    if game.drawing.has_board:
        add_colour_bar(above, maps.tolist(), 0.32)
    above.supxlabel(marks_in_words(dots=False), fontsize=6.5, color=INK)
    left, right = panels(below, 2)
    temperatures = [each.temperature for each in effects]
    for axes, measure, pen, name in (
        (left, "net_entropy", NET, "net"),
        (left, "search_entropy", SEARCH, "search"),
        (right, "net_top_probability", NET, "the net's first choice"),
        (right, "same_choice", SEARCH, "the search's first choice"),
        (right, "best_choice", OTHER, "a perfect move"),
    ):
        values = [getattr(each, measure) for each in effects]
        if None not in values:
            _draw_curve(axes, temperatures, values, pen, name)
    left.set_ylim(bottom=0)
    left.set_ylabel("mean entropy (nats)")
    _add_legend(left)
    _share_axis(right, "probability that the net plays")
    _add_legend(right, on_a_line=2)
    for axes in (left, right):
        axes.axvline(1.0, color=FAINT, linestyle=":", linewidth=0.7, zorder=0)
        axes.set_xscale("log")
        axes.set_xlim(effects[0].temperature, effects[-1].temperature)
        marked = [temperature for temperature, _ in heat_maps]
        axes.set_xticks(marked, [f"{each:g}" for each in marked])
        axes.minorticks_off()
        axes.set_xlabel("temperature T")
    save_figure(figure, path, PRINT)


def _draw_curve(
    axes: Axes, x: ArrayLike, y: ArrayLike, pen: Pen, name: str, *, marked: bool = False
) -> None:
    axes.plot(
        x, y, color=pen.colour, linestyle=pen.dashes, linewidth=0.9 if pen is REFERENCE else 1.3,
        marker=pen.marker if marked else "", markersize=2.6, label=name,
    )  # fmt: skip


def _share_axis(axes: Axes, label: str) -> None:
    axes.set_ylabel(label)
    axes.set_ylim(-0.02, 1.04)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _add_legend(axes: Axes, on_a_line: int = 4) -> None:
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 0.98), ncols=on_a_line, fontsize=6.5,
        labelcolor=INK, frameon=False, handlelength=2.2, handletextpad=0.5, columnspacing=1.2,
        borderpad=0.2,
    )  # fmt: skip
