"""Plots hold the figures that they are given."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from agents.match import Results
from analysis import TemperatureEffect
from display.boards.cells import Coordinates
from display.boards.palette import GOLD
from display.reports.analysis_plots import NET, OTHER, SEARCH, plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from display.reports.opening_map import plot_first_stones, plot_opening_map
from display.reports.tournament_plots import plot_comparison, plot_standings
from display.reports.training_plot import plot_training
from state_manager import make_game
from tests.display.reports.test_heat_maps import GAMES, check_letters, heat_map
from tests.display.tables import as_standings, meeting, results, row, standings, statistics


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.png"


@pytest.mark.parametrize("nets", [2, 20])
def test_standings_are_saved_as_a_picture(nets: int, file: Path) -> None:
    plot_standings(file, standings(nets), "hex")
    with Image.open(file) as picture:
        assert (picture.format, picture.width > 1000) == ("PNG", True)
    assert [each.name for each in file.parent.iterdir()] == ["x.png"]


@pytest.mark.parametrize(
    ("updates", "keys"), [(0, ()), (1, ("loss",)), (200, ("loss", "entropy", "accuracy"))]
)
def test_training_is_saved_as_a_picture(
    updates: int, keys: tuple[str, ...], file: Path, figures: list[Figure]
) -> None:
    records = [
        {"episode": number, "seconds": 0.3 * number, **dict.fromkeys(keys, 1 / number)}
        for number in range(1, updates + 1)
    ]
    plot_training(file, records)
    with Image.open(file) as picture:
        assert picture.format == "PNG"
    assert len(figures[0].axes) == max(1, len(keys) - 1)
    title = figures[0].get_suptitle()
    assert title.endswith("no updates yet" if not updates else f" in {0.3 * updates:.0f} seconds")


def test_the_axis_of_win_rates_ends_at_100_percent_and_labels_lie_in_the_picture(
    figures: list[Figure], file: Path
) -> None:
    wins = (0, 1, 30, 37, 50, 62, 77, 80, 99, 100)
    rows = [row("x", 100, each, 1234.0) for each in wins]
    count = len(rows)
    games = [[1] * count for _ in wins]
    plot_standings(file, as_standings(rows, games, games), "hex(size=5), G = 50")
    (figure,) = figures
    axes = figure.axes[0]
    assert axes.get_xlim() == (0, 1)
    labels = [text for text in axes.texts if "+1234" in text.get_text()]
    assert [text.get_text() for text in labels] == [f"{each:.1f}%  (+1234)" for each in wins]
    for text in labels:
        assert figure.bbox.x0 <= text.get_window_extent().x0
        assert text.get_window_extent().x1 <= figure.axes[1].get_window_extent().x0
    assert "hex(size=5), G = 50" in [text.get_text() for text in figure.texts]


@pytest.mark.parametrize(("lowest", "from_zero"), [(0.1, True), (1.0, True), (2.2, False)])
def test_the_axis_of_losses_starts_from_zero_unless_the_curve_would_look_flat(
    lowest: float, from_zero: bool, figures: list[Figure], file: Path
) -> None:
    losses = np.linspace(2.5, lowest, 30)
    records = [{"episode": n, "loss": float(loss)} for n, loss in enumerate(losses, start=1)]
    plot_training(file, records)
    bottom, top = figures[0].axes[0].get_ylim()
    assert (bottom == 0) == from_zero
    assert bottom <= lowest
    assert 2.5 - lowest > (top - bottom) / 2
    assert top >= 2.5


def test_the_picture_of_gating_shows_accepted_nets_and_their_cost(
    figures: list[Figure], file: Path
) -> None:
    gating = [
        {"win_fraction": share, "gating_threshold": 0.55, "accepted": share > 0.55}
        for share in (0.9, 0.5, 0.55, 0.6)
    ]
    records = [{"episode": 50 * n, "loss": 1 / n, **each} for n, each in enumerate(gating, start=1)]
    plot_training(file, records)
    marks = {
        line.get_label(): list(np.asarray(line.get_xdata(), float))
        for line in figures[0].axes[-1].lines
    }
    assert marks["the new net stays"] == [50, 200]
    assert marks["the old net stays"] == [100, 150]
    assert marks["more than this is needed"] == [50, 100, 150, 200]


def test_the_picture_of_training_has_a_mark_for_each_cached_net(
    figures: list[Figure], file: Path
) -> None:
    records: list[dict[str, Any]] = [{"episode": n, "loss": 2 - 0.1 * n} for n in range(1, 9)]
    for record, share in zip(records[3::4], (0.6, 0.5), strict=True):
        record |= {"regret": share, "openings_wrong": share / 2}
    untrained = {"episode": 0, "seconds": 0.0, "regret": 0.8, "openings_wrong": 0.5}
    plot_training(file, [untrained, *records])
    axes = figures[0].axes[-1]
    curves = {line.get_label(): np.asarray(line.get_xydata()).tolist() for line in axes.lines}
    assert curves == {
        "won positions thrown away": [[0, 0.8], [4, 0.6], [8, 0.5]],
        "first moves misjudged": [[0, 0.5], [4, 0.3], [8, 0.25]],
    }
    assert {line.get_marker() for line in axes.lines} == {"o"}
    assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize("name", ["hex", "tic_tac_toe", "connect_four", "hexapawn", "nim"])
def test_first_moves_are_drawn_by_net_and_by_judge_in_games_with_a_cell_per_move(
    name: str, figures: list[Figure], file: Path
) -> None:
    game = make_game(name)
    actions = game.legal_actions(game.initial_state(1)).tolist()
    values = [0.31] + [-1.0] * (len(actions) - 1)
    wrong = [True, True] + [False] * (len(actions) - 2)
    given = {"actions": actions, "thinks": values, "true": [-1.0] * len(actions), "wrong": wrong}
    record = {"episode": 7, "opening_map": given}
    plot_opening_map(file, Coordinates(game), record)
    assert file.exists() == (name not in ("hexapawn", "nim"))
    if figures:
        (figure,) = figures
        thinks, true = figure.axes
        for axes in (thinks, true):
            assert [to_hex(p.get_edgecolor()) for p in axes.patches].count(GOLD) == 2
        assert "+0.3" in [text.get_text() for text in thinks.texts]
        assert "+0.3" not in [text.get_text() for text in true.texts]


def test_maps_of_first_stones_have_numbers_where_they_are_not_certain(
    figures: list[Figure], file: Path
) -> None:
    plot_first_stones(file, [4, 9])
    assert file.exists()
    certain, searched = figures[0].axes[:2]
    numbers = [[each.get_text() for each in axes.texts] for axes in (certain, searched)]
    assert "62" in numbers[1]
    assert "100" not in numbers[0]


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
