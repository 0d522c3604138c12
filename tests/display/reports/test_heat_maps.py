"""Policies on boards, and the pictures that are made of them."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import same_color, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from analysis import ComparedPosition, Comparison
from display.boards.cells import Coordinates, percent
from display.boards.palette import GOLD, INK
from display.reports.heat_map import SMALLEST_LETTERS, HeatMap, draw_heat_map, heat_map_height
from display.reports.policy_pictures import plot_position, plot_positions
from mcts import SearchResult
from state_manager import StateManager, make_game

GAMES: dict[str, StateManager] = {
    "hex 3": make_game("hex", size=3),
    "hex 11": make_game("hex", size=11),
    "tic-tac-toe": make_game("tic_tac_toe"),
    "connect four": make_game("connect_four"),
    "hexapawn": make_game("hexapawn"),
    "nim": make_game("nim", stones=40, max_take=20),
    "ledge": make_game("ledge"),
}


def after(game: StateManager, plies: int) -> tuple[Any, int | None]:
    rng, state, last = np.random.default_rng(1), game.initial_state(), None
    for _ in range(plies):
        last = int(rng.choice(game.legal_actions(state)))
        state = game.child_state(state, last)
    return state, last


def heat_map(game: StateManager, plies: int = 2, **options: Any) -> HeatMap:
    """Return a map whose probabilities rise with the actions' numbers."""
    state, last = after(game, plies)
    policy = np.zeros(game.num_actions)
    legal = game.legal_actions(state)
    policy[legal] = np.arange(1, len(legal) + 1)
    return HeatMap(game, state, policy / policy.sum(), last, **options)


def drawn(heat_map: HeatMap, width: float = 3.0) -> Any:
    """Return axes with a map of ``width`` inches."""
    figure = Figure(figsize=(width, heat_map_height(heat_map.game, width, 13, named=True)))
    axes = figure.add_axes((0, 0, 1, 1))
    draw_heat_map(axes, heat_map, width, 13, Coordinates(heat_map.game))
    return axes


@pytest.mark.parametrize("name", ["hex 3", "tic-tac-toe", "connect four"])
def test_each_cell_shows_the_percentage_of_its_move(name: str) -> None:
    map_of_it = heat_map(GAMES[name])
    labels = [text.get_text() for text in drawn(map_of_it).texts]
    for action in GAMES[name].legal_actions(map_of_it.state):
        share = percent(float(map_of_it.policy[action]))
        assert share in labels
        labels.remove(share)


@pytest.mark.parametrize("name", GAMES)
def test_the_first_choice_alone_has_a_golden_edge_with_dark_rims(name: str) -> None:
    axes = drawn(heat_map(GAMES[name], 0))
    shapes: list[Any] = [*axes.patches, *axes.collections]
    (edge,) = (each for each in shapes if same_color(each.get_edgecolor(), to_rgba(GOLD)))
    (rim,) = edge.get_path_effects()
    assert same_color(rim._gc["foreground"], INK)
    assert rim._gc["linewidth"] > np.max(edge.get_linewidth())


def test_bars_have_the_names_of_the_likeliest_moves_and_of_the_rest() -> None:
    map_of_it = heat_map(GAMES["nim"], 0)
    axes = drawn(map_of_it)
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [*(f"take {stones}" for stones in range(9, 21)), "8 others"]
    widths = [bar.get_width() for bar in axes.patches]
    assert sum(widths) == pytest.approx(1)
    assert widths[:12] == pytest.approx(map_of_it.policy[8:])


@pytest.mark.parametrize("name", ["hex 3", "tic-tac-toe", "connect four", "hexapawn", "ledge"])
def test_best_moves_have_dots(name: str) -> None:
    game = GAMES[name]
    best = game.legal_actions(after(game, 2)[0])[:2].tolist()

    def dots(axes: Any) -> int:
        marks = sum(line.get_marker() == "." for line in axes.lines)
        return int(marks) + sum("•" in text.get_text() for text in axes.texts)

    assert dots(drawn(heat_map(game))) == 0
    assert dots(drawn(heat_map(game, best_actions=best))) == 2


def comparison(game: StateManager, plies: int) -> Comparison:
    """Return the policies of a net and a search for a position, won by player 1 or a draw."""
    map_of_it = heat_map(game, plies)
    policy, state = map_of_it.policy, map_of_it.state
    legal = game.legal_actions(state)
    last, outcome = map_of_it.last_action, 1 + plies // 2 * 2
    position = ComparedPosition(0, plies, 9, state, last, legal, policy, outcome)
    visits, shares = np.ones(len(policy), np.int64), policy**2 / (policy**2).sum()
    search = SearchResult(visits, policy, shares, int(policy.argmax()), 0, 0.0, 2000, 0.1)
    return Comparison(position, search, -0.34, frozenset({map_of_it.first_choice}))


def check_letters(figure: Figure) -> None:
    """Assert that all words can be read: large enough, inside the picture, beside each other."""
    figure.draw_without_rendering()
    ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for tick in axis.get_major_ticks()
             if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
             for label in (tick.label1, tick.label2)}  # fmt: skip
    found: list[Any] = figure.findobj(Text)
    texts = [t for t in found if t.get_visible() and t.get_text() and t not in ticks]
    boxes = [(each.get_text(), each.get_window_extent()) for each in texts]
    for each, (words, box) in zip(texts, boxes, strict=True):
        assert float(each.get_fontsize()) >= SMALLEST_LETTERS, words
        assert min(box.x0, box.y0) >= -1, words
        assert box.x1 <= figure.bbox.x1 + 1, words
        assert box.y1 <= figure.bbox.y1 + 1, words
    for (one, first), (other, second) in combinations(boxes, 2):
        width = min(first.x1, second.x1) - max(first.x0, second.x0)
        height = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert width < 2 or height < 2, f"{one!r} lies on {other!r}"


@pytest.mark.parametrize("name", GAMES)
def test_a_position_and_a_sheet_are_printed_with_readable_letters(
    name: str, figures: list[Figure], tmp_path: Path
) -> None:
    game = GAMES[name]
    plot_position(
        tmp_path / "one.png", Coordinates(game), 3, comparison(game, 2), "search, 2,000 simulations"
    )
    for plies in [(1,), (1,) * 5, (1,) * 6] if name == "tic-tac-toe" else [(0, 1, 2, 1)]:
        plot_positions(tmp_path / "all.png", game, [comparison(game, each) for each in plies])
    with Image.open(tmp_path / "one.png") as picture:
        assert picture.format == "PNG"
    for figure in figures:
        check_letters(figure)
        assert "gold edge: first choice" in "".join(each.get_text() for each in figure.texts)
    legend = "gold edge: first choice (the likeliest move), dot: best under perfect play"
    assert any(legend in each.get_text() for each in figures[0].texts)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["all.png", "one.png"]
    assert figures[0].get_figwidth() == (7 if name == "hex 11" else 3.5)
