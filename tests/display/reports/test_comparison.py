"""Tables and the picture of a comparison hold the figures that they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import cast

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from agents.match import Effort, Results, Row
from display.reports.tables import (
    comparison_table,
    effort_table,
    milliseconds,
    pairs_table,
)
from display.reports.tournament_plots import plot_comparison
from tests.display.conftest import text_of


def results(agents: int, drawn: int = 0) -> Results:
    """Return the results of 100 games a pair, in which later agents are better."""
    names = [f"mcts simulations={100 * 2**i}" for i in range(agents)]
    rows = []
    for i, name in enumerate(names):
        moves = 1234 + i
        simulations = 500 * moves if i else 0
        effort = Effort(moves, 0.0071 * (i + 1) * moves, simulations, simulations / (98765 + i))
        ratings = 70.0 * i, 70.0 * i - 50 * (i > 0), 70.0 * i + 50 * (i > 0)
        score = 90 + drawn, 50 + i, 40 - i, drawn
        rows.append(Row(*score, name, name, *ratings, effort))
    places = range(agents)
    wins = tuple(tuple((30 if i < j else 70 - drawn) * (i != j) for j in places) for i in places)
    results = Results(tuple(rows), wins, (), (), 9)
    return meeting(results, lambda one, other: one != other)


def meeting(results: Results, have_met: Callable[[int, int], bool]) -> Results:
    """Return results in which only some have met."""
    places = range(len(results.rows))
    games = tuple(tuple(100 * have_met(i, j) for j in places) for i in places)
    return replace(results, games=games, distinct=games)


@pytest.mark.parametrize("draws", [0, 7])
def test_the_table_holds_every_figure_in_80_columns(draws: int) -> None:
    data = results(5, draws)
    text = text_of(comparison_table(data))
    assert max(map(len, text.splitlines())) <= 80
    assert ("drawn" in text) == (draws > 0)
    for number, row in enumerate(data.rows, start=1):
        line = next(line for line in text.splitlines() if line.startswith(f"{number} "))
        expected = [str(row.wins), str(row.losses), *([str(draws)] if draws else [])]
        expected += [f"{row.win_rate:.1%}", f"{100 * row.low:.1f}-{100 * row.high:.1f}"]
        expected += ["0"] if number == 1 else [f"{row.elo:+.0f}", "50"]
        assert line.split()[-len(expected) :] == expected


def test_every_pair_has_a_line_with_its_interval() -> None:
    data = results(3, drawn=10)
    low, high = (f"{100 * each:.1f}" for each in (data.pairs[0].low, data.pairs[0].high))
    text = text_of(pairs_table(data), width=120)
    lines = [line for line in text.splitlines() if "simulations=" in line]
    assert len(lines) == 3
    for line in lines:
        assert line.split()[-5:] == ["30", "60", "10", "35.0%", f"{low}-{high}"]


def test_the_effort_is_shown_and_agents_without_a_search_have_dashes() -> None:
    lines = text_of(effort_table(results(2)), width=120).splitlines()
    assert lines[-2].split()[-4:] == ["1,234", "7.10", "-", "-"]
    assert lines[-1].split()[-4:] == ["1,235", "14.2", "500", "98,766"]


def test_the_options_of_variants_are_not_broken_within_a_word_in_80_columns() -> None:
    options = ("tree_policy=n_mcts_paper", "rollout_epsilon=1")
    name = f"mcts anet_00200 {' '.join(options)}"
    data = results(2)
    data = replace(data, rows=tuple(replace(row, name=name) for row in data.rows))
    effort = text_of(effort_table(data))
    assert all(option in effort for option in options)
    pairs = text_of(pairs_table(data)).split()
    for part in ("tree_policy=", "n_mcts_paper", "rollout_epsilon=1"):
        assert pairs.count(part) == 2


def test_names_are_not_taken_for_markup() -> None:
    data = results(2)
    rows = tuple(replace(row, name="[red]x[/red]") for row in data.rows)
    for table in (comparison_table, effort_table):
        assert "[red]x[/red]" in text_of(table(replace(data, rows=rows)))


def test_a_missing_rating_is_a_dash() -> None:
    data = results(2)
    unrated = replace(data.rows[1], elo=math.nan, elo_low=math.nan, elo_high=math.nan)
    text = text_of(comparison_table(replace(data, rows=(data.rows[0], unrated))))
    assert "nan" not in text
    assert text.splitlines()[-1].split()[-1] == "-"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "-"), (0.0000713, "0.0713"), (0.0071, "7.10"), (0.713, "713"), (2.0, "2,000")],
)
def test_times_are_shown_to_three_figures(seconds: float | None, words: str) -> None:
    assert milliseconds(seconds) == words


def plotted(data: Results, folder: Path, figures: list[Figure]) -> Figure:
    """Return the picture of a comparison."""
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
    assert [text.get_text() for text in ratings.texts] == [
        "0",
        *(f"+{70 * i}" for i in range(1, agents)),
    ]
    assert "98,766" in [text.get_text() for text in speeds.texts]
    cells = [text.get_text() for text in cross.texts]
    assert cells.count("30.0") == cells.count("70.0") == len(data.pairs)
    assert cells.count("60.4\N{EN DASH}78.1") == (len(data.pairs) if agents < 9 else 0)


def test_no_words_of_the_picture_overlap_or_are_cut(figures: list[Figure], tmp_path: Path) -> None:
    data = results(4)
    rows = [
        replace(row, name=f"{row.name} tree_policy=n_mcts_proportional rollouts=4")
        for row in data.rows
    ]
    rows[0] = replace(rows[0], wins=0, losses=90)
    rows[3] = replace(rows[3], wins=90, losses=0, elo=-1234.0, elo_low=-1400.0, elo_high=-1000.0)
    data = meeting(replace(data, rows=tuple(rows)), lambda one, other: False)
    figure = plotted(data, tmp_path, figures)
    figure.draw_without_rendering()
    found = cast(list[Text], figure.findobj(Text))
    beyond = {
        id(label)
        for axes in figure.axes
        for label in axes.get_xticklabels()
        if not axes.get_xlim()[0] <= label.get_position()[0] <= axes.get_xlim()[1]
    }
    shown = [text for text in found if text.get_visible() and id(text) not in beyond]
    texts = [text for text in shown if text.get_text().strip()]
    boxes = [text.get_window_extent() for text in texts]
    for box, text in zip(boxes, texts, strict=True):
        assert box.x0 >= 0, text
        assert box.x1 <= figure.bbox.x1, text
    for (one, a), (other, b) in combinations(zip(texts, boxes, strict=True), 2):
        assert not a.overlaps(b), (one.get_text(), other.get_text())


def test_a_cross_table_that_repeats_the_win_rates_is_left_out(
    figures: list[Figure], tmp_path: Path
) -> None:
    data = results(5)
    gauntlet = meeting(data, lambda one, other: one != other and 0 in (one, other))
    for some, panels in ((data, 4), (gauntlet, 3), (results(2), 3)):
        figure = plotted(some, tmp_path, figures)
        assert len(figure.axes) == panels
