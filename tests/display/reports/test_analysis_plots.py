"""The curves of an analysis hold the figures that they are given."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from rich.console import Console

from analysis import GameStatistics, TemperatureEffect
from analysis.game_statistics import MEASURES, Bin, Calibration, Curve
from display.reports.analysis_plots import NET, OTHER, SEARCH, plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from display.reports.tables import phases_table
from tests.display.reports.test_heat_maps import GAMES, check_letters, heat_map


def curve(level: float) -> Curve:
    means = level, 0.9 * level, 0.8 * level
    low, high = (tuple(each + by for each in means) for by in (-0.05, 0.1))
    return Curve((0, 1, 2), (9, 9, 9), means, low, high)


def statistics(*, exact: bool, critic: bool) -> GameStatistics:
    names = ["net_entropy", "search_entropy", "uniform_entropy", "net_top_probability"]
    names += ["search_top_probability", "uniform_top_probability", "same_first_choice", "overlap"]
    names += ["net_plays_best"] if exact else []
    bins = Bin(9, 5, 0.1, 0.2, 0.1, 0.5), Bin(3, 2, 0.8, 0.7, 0.5, 0.9)
    value = Calibration(bins, 0.2, None)
    curves = {name: curve(0.3 + 0.05 * place) for place, name in enumerate(names)}
    phases: dict[str, tuple[float | None, ...]]
    phases = dict.fromkeys(MEASURES, (1.234, None, None, None))
    phases["net_plays_best"] = (None,) * 4
    calibration = {"search": value} | ({"net": value} if critic else {})
    return GameStatistics(9, 12, curves, phases, calibration)


@pytest.mark.parametrize("complete", [True, False])
def test_statistics_are_drawn_in_four_panels(
    complete: bool, figures: list[Figure], tmp_path: Path
) -> None:
    data = statistics(exact=complete, critic=complete)
    title = "ledge(board=[0, 1, 0, 1, 1, 0, 2, 0, 0, 1])  ·  200 games against itself  ·  seed 1"
    plot_statistics(tmp_path / "s.png", data, "anet_00200 beside a search", title, "player 1")
    (figure,) = figures
    check_letters(figure)
    assert len(figure.axes) == 4
    for axes, name in ((figure.axes[0], "net_entropy"), (figure.axes[2], "same_first_choice")):
        line = axes.lines[0]
        assert np.asarray(line.get_ydata()).tolist() == list(data.curves[name].mean)
    assert len(figure.axes[2].lines) == (3 if complete else 2)
    legend = figure.axes[3].get_legend()
    assert legend is not None
    names = [each.get_text() for each in legend.get_texts()]
    assert ("critic's value" in names) == complete


@pytest.mark.parametrize(
    ("name", "count", "best"), [("hex 3", 1, 0.5), ("hexapawn", 4, None), ("ledge", 9, 0.7)]
)
def test_temperatures_are_drawn_above_their_effects(
    name: str, count: int, best: float | None, figures: list[Figure], tmp_path: Path
) -> None:
    temperatures = np.geomspace(0.1, 2, count).round(2).tolist()
    maps: list[tuple[float, HeatMap]] = [(each, heat_map(GAMES[name])) for each in temperatures]
    effects = [
        TemperatureEffect(each, each, each / 2, 1.0, 1.0, 0.5, 0.5, 0.4, best)
        for each in np.geomspace(0.1, 3, 20)
    ]
    plot_temperatures(tmp_path / "t.png", maps, effects, "anet_00200", "above, position 3")
    (figure,) = figures
    check_letters(figure)
    words = [each.get_text() for each in figure.findobj(Text)]
    assert "gold edge: first choice (the likeliest move)" in words
    assert len([each for each in words if each.startswith("T = ")]) == min(6, count)
    left, right = figure.axes[-2:]
    assert np.asarray(left.lines[0].get_ydata()) == pytest.approx(np.geomspace(0.1, 3, 20))
    assert len(right.lines) == (4 if best is not None else 3)


def test_no_two_curves_differ_by_colour_alone() -> None:
    pens = (NET, SEARCH, OTHER)
    assert len({str(pen.dashes) for pen in pens}) == len({pen.marker for pen in pens}) == 3


def test_the_table_leaves_out_unknown_statistics() -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(phases_table("a net", statistics(exact=False, critic=False)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0].strip() == "a net"
    assert lines[1].split()[:3] == ["all", "first", "third"]
    assert lines[3].split() == ["entropy", "of", "the", "net", "1.23", "-", "-", "-"]
    assert not any("net plays a best move" in line for line in lines)
