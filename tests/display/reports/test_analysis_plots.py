"""The curves of an analysis hold the figures that they are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis import TemperatureEffect
from display.reports.analysis_plots import NET, OTHER, SEARCH, plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from tests.display.reports.test_heat_maps import GAMES, check_letters, heat_map
from tests.display.tables import statistics


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
