"""Plots hold the figures that they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from display.boards.cells import Coordinates
from display.boards.palette import GOLD
from display.reports.opening_map import plot_first_stones, plot_opening_map
from display.reports.tournament_plots import plot_standings
from display.reports.training_curves import smoothed
from display.reports.training_plot import plot_training
from state_manager import make_game
from tests.display.tables import as_standings, row, standings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.png"


@pytest.mark.parametrize("nets", [2, 20])
def test_standings_are_saved_as_a_picture(nets: int, file: Path) -> None:
    plot_standings(file, standings(nets), "hex")
    with Image.open(file) as picture:
        assert picture.format == "PNG"
        assert picture.width > 1000
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 10
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


def test_smoothing_keeps_level_and_length() -> None:
    assert smoothed(np.full(9, 2.5), 5).tolist() == [2.5] * 9
    assert smoothed(np.array([0.0, 3.0, 0.0]), 3).tolist() == [1.5, 1.0, 1.5]
    assert smoothed(np.array([7.0]), 1).tolist() == [7.0]


def test_maps_of_first_stones_have_numbers_where_they_are_not_certain(
    figures: list[Figure], file: Path
) -> None:
    plot_first_stones(file, [4, 9])
    assert file.exists()
    certain, searched = figures[0].axes[:2]
    numbers = [[each.get_text() for each in axes.texts] for axes in (certain, searched)]
    assert "62" in numbers[1]
    assert "100" not in numbers[0]
