"""The picture of a comparison holds the figures that it is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from agents.match import Results
from display.reports.tournament_plots import plot_comparison
from tests.display.reports.test_heat_maps import check_letters
from tests.display.tables import meeting, results


def plotted(data: Results, folder: Path, figures: list[Figure]) -> Figure:
    plot_comparison(folder / "compare.png", data, "hex(size=5)")
    assert [each.name for each in folder.iterdir()] == ["compare.png"]
    return figures[-1]


@pytest.mark.parametrize("agents", [3, 9])
def test_the_picture_shows_every_agent_and_every_figure(
    agents: int, figures: list[Figure], tmp_path: Path
) -> None:
    data = results(agents)
    figure = plotted(data, tmp_path, figures)
    rates, ratings, speeds, cross = figure.axes
    names = [label.get_text() for label in rates.get_yticklabels()]
    assert names == [f"{number}  {row.name}" for number, row in enumerate(data.rows, start=1)]
    assert [text.get_text() for text in rates.texts] == [f"{r.win_rate:.1%}" for r in data.rows]
    ratings_shown = ["0", *(f"+{70 * i}" for i in range(1, agents))]
    assert [text.get_text() for text in ratings.texts] == ratings_shown
    assert "98,766" in [text.get_text() for text in speeds.texts]
    cells = [text.get_text() for text in cross.texts]
    assert cells.count("30.0") == cells.count("70.0") == len(data.pairs)
    assert cells.count("60.4\N{EN DASH}78.1") == (len(data.pairs) if agents < 9 else 0)


def test_no_words_of_the_picture_overlap_or_are_cut(figures: list[Figure], tmp_path: Path) -> None:
    data = results(4)
    more = "tree_policy=n_mcts_proportional rollouts=4"
    rows = [replace(row, name=f"{row.name} {more}") for row in data.rows]
    rows[0] = replace(rows[0], wins=0, losses=90)
    rows[3] = replace(rows[3], wins=90, losses=0, elo=-1234.0, elo_low=-1400.0, elo_high=-1000.0)
    data = meeting(replace(data, rows=tuple(rows)), lambda one, other: False)
    figure = plotted(data, tmp_path, figures)
    check_letters(figure)


def test_a_cross_table_that_repeats_the_win_rates_is_left_out(
    figures: list[Figure], tmp_path: Path
) -> None:
    data = results(5)
    gauntlet = meeting(data, lambda one, other: one != other and 0 in (one, other))
    for some, panels in ((data, 4), (gauntlet, 3), (results(2), 3)):
        figure = plotted(some, tmp_path, figures)
        assert len(figure.axes) == panels
