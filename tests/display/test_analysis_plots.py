"""The curves of an analysis hold the figures that they are given."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from display.analysis_table import phases_table
from display.curves import NET, OTHER, SEARCH
from display.heat import HeatMap
from display.statistics_plot import plot_statistics
from display.temperature_plot import plot_temperatures
from tests.display.test_heat_maps import GAMES, check_letters, figures, heat_map

__all__ = ["figures"]


@dataclass(frozen=True)
class Curve:
    plies: list[int]
    mean: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Bin:
    positions: int
    predicted: float
    points: float
    low: float
    high: float


@dataclass(frozen=True)
class Calibration:
    bins: list[Bin]


@dataclass(frozen=True)
class Statistics:
    curves: dict[str, Curve]
    calibration: dict[str, Calibration]


@dataclass(frozen=True)
class Effect:
    temperature: float
    net_entropy: float
    search_entropy: float
    net_top_probability: float
    same_choice: float
    best_choice: float | None


def curve(level: float) -> Curve:
    means = [level, 0.9 * level, 0.8 * level]
    return Curve([0, 1, 2], means, [each - 0.05 for each in means], [each + 0.1 for each in means])


def statistics(*, exact: bool, critic: bool) -> Statistics:
    names = ["net_entropy", "search_entropy", "uniform_entropy", "net_top_probability"]
    names += ["search_top_probability", "uniform_top_probability", "same_first_choice", "overlap"]
    names += ["net_plays_best"] if exact else []
    value = Calibration([Bin(9, 0.1, 0.2, 0.1, 0.5), Bin(3, 0.8, 0.7, 0.5, 0.9)])
    curves = {name: curve(0.3 + 0.05 * place) for place, name in enumerate(names)}
    return Statistics(curves, {"search": value} | ({"net": value} if critic else {}))


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
        assert np.asarray(line.get_ydata()).tolist() == data.curves[name].mean
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
    effects = [Effect(each, each, each / 2, 0.5, 0.4, best) for each in np.geomspace(0.1, 3, 20)]
    plot_temperatures(tmp_path / "t.png", maps, effects, "anet_00200", "above, position 3")
    (figure,) = figures
    check_letters(figure)
    assert "gold edge: first choice (the likeliest move)" in [
        text.get_text() for text in figure.texts
    ]
    shown = [text for text in figure.texts if text.get_text().startswith("T = ")]
    assert len(shown) == min(6, count)
    left, right = figure.axes[-2:]
    assert np.asarray(left.lines[0].get_ydata()) == pytest.approx(np.geomspace(0.1, 3, 20))
    assert len(right.lines) == (4 if best is not None else 3)


def test_no_two_curves_differ_by_colour_alone() -> None:
    pens = (NET, SEARCH, OTHER)
    assert len({str(pen.dashes) for pen in pens}) == len({pen.marker for pen in pens}) == 3


def test_the_table_leaves_out_what_is_not_known() -> None:
    rows: list[tuple[str, str, list[float | None]]] = [
        ("entropy", "{:.2f}", [1.234, None]),
        ("best", "{:.0%}", [None, None]),
    ]
    console = Console(file=io.StringIO(), width=80)
    console.print(phases_table("a net", ("all", "last third"), rows))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0].strip() == "a net"
    assert lines[1].split() == ["all", "last", "third"]
    assert lines[-1].split() == ["entropy", "1.23", "-"]
