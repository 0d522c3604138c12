"""Boards in pictures, with evaluations of moves, and their styles in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Circle, FancyBboxPatch
from rich.console import Console

from display.boards.board_text import UNICODE, Cells, grid_lines
from display.boards.cells import Coordinates, board_of, row_layout
from display.boards.moment import GameView, Insight
from display.boards.palette import BLACK, CELL_ON_PATH, COPPER, GOLD, RED, WHITE, look_of
from display.boards.picture import draw_board, new_board_figure
from display.boards.terminal import styles_of
from mcts import Thought
from state_manager import StateManager, make_game
from tests.display.tables import insight, state_after, view_of

TIC_TAC_TOE = make_game("tic_tac_toe")
CONNECT_FOUR = make_game("connect_four")
HEXAPAWN = make_game("hexapawn")
X_WINS = [0, 3, 1, 4, 2]
A_DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


def drawn(game: StateManager, actions: list[int]) -> Axes:
    _, axes = new_board_figure(game)
    draw_board(axes, view_of(game, actions, players=("first", "second")))
    return axes


def discs(axes: Axes, colour: str) -> list[tuple[float, float]]:
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    return [each.center for each in circles if same_color(each.get_facecolor(), colour)]


def cells(axes: Axes) -> list[FancyBboxPatch]:
    return [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


def words(axes: Axes) -> list[str]:
    return [text.get_text().strip() for text in axes.texts]


def test_a_picture_shows_the_pieces_where_they_are() -> None:
    axes = drawn(CONNECT_FOUR, [3, 3, 0])
    assert sorted(discs(axes, RED)) == [(0.5, -5.5), (3.5, -5.5)]
    assert discs(axes, BLACK) == [(3.5, -4.5)]
    axes = drawn(HEXAPAWN, [0])
    assert sorted(discs(axes, WHITE)) == [(0.5, -1.5), (1.5, -2.5), (2.5, -2.5)]
    assert len(discs(axes, BLACK)) == 3


def test_the_winning_line_is_marked_and_the_winner_named() -> None:
    axes = drawn(TIC_TAC_TOE, X_WINS)
    faces = [same_color(each.get_facecolor(), CELL_ON_PATH) for each in cells(axes)]
    assert faces == [True] * 3 + [False] * 6
    assert "X: first  wins" in words(axes)


def test_a_draw_is_called_one() -> None:
    axes = drawn(TIC_TAC_TOE, A_DRAW)
    assert "a draw, last move c3" in words(axes)
    assert not any("wins" in word for word in words(axes))
    assert not {"▸", "◂"} & set(words(axes))


@pytest.mark.parametrize("system", ["truecolor", "256", "standard", "windows"])
def test_every_role_of_a_grid_has_a_style_in_every_number_of_colours(system: Any) -> None:
    styles = styles_of(Console(file=io.StringIO(), force_terminal=True, color_system=system))
    for game, actions in ((HEXAPAWN, [1]), (TIC_TAC_TOE, X_WINS)):
        state = state_after(game, actions)
        board, path = board_of(game, state), game.winning_path(state)
        roles = {
            role
            for line in grid_lines(Cells(Coordinates(game), board, 0, path, {}, UNICODE))
            for _, role in line
        }
        assert roles <= set(styles)
        assert {f"title{look_of(game, player).role}" for player in (1, 2)} <= set(styles)


def test_the_rows_of_a_heap_are_balanced() -> None:
    for stones in range(1, 121):
        layout = row_layout("heap", stones)
        assert [stone for line in layout.lines for stone in line] == list(range(stones))
        lengths = {len(line) for line in layout.lines}
        assert max(lengths) - min(lengths) <= 1
        assert len(layout.lines) == 1 or max(lengths) >= 2 * len(layout.lines)
        assert layout.cell >= 0.3
        assert layout.inches[1] < layout.inches[0]


def test_a_ledge_shows_coins_in_their_colours_over_numbered_cells_and_names_them() -> None:
    axes = drawn(make_game("ledge", board=(0, 1, 0, 2, 1)), [])
    copper, gold = discs(axes, COPPER), discs(axes, GOLD)
    assert len(copper) == 2 + 1, "two coins, and one that explains them"
    assert len(gold) == 1 + 1
    numbers = {text.get_text(): text for text in axes.texts if text.get_text().isdecimal()}
    assert sorted(numbers) == ["0", "1", "2", "3", "4"]
    assert {"copper", "gold", "edge"} <= set(words(axes))
    assert numbers["3"].get_position()[0] in [x for x, _ in gold], "the coin is above its number"
    (edge,) = [text for text in axes.texts if text.get_text() == "edge"]
    assert edge.get_position()[0] < numbers["0"].get_position()[0]


@pytest.mark.parametrize("game", [make_game("nim"), make_game("ledge"), make_game("hex", size=3)])
def test_the_player_to_move_is_marked(game: Any) -> None:
    for actions, mover, mark in (([], "first", "▸"), ([1], "second", "◂")):
        axes = drawn(game, actions)
        marks = [text for text in axes.texts if text.get_text().strip() in ("▸", "◂")]
        assert [text.get_text().strip() for text in marks] == [mark]
        for name in ("first", "second"):
            (text,) = [text for text in axes.texts if name in text.get_text()]
            bold = name == mover or game.drawing.kind == "diamond"
            assert (text.get_fontweight() == "bold") == bold


def test_empty_cells_show_their_share_and_the_chosen_move_shows_none() -> None:
    assert insight().shares() == {2: 0.6, 8: 0.099}
    assert replace(insight(), thought=None).shares() == {}
    heap = make_game("nim", stones=9, max_take=3)
    moves = Insight(heap, heap.initial_state(1), 0, Thought(np.array([0.2, 0.3, 0.5]), 0.1))
    assert moves.shares() == {}, "a heap has no cells for moves"


def test_a_picture_shows_shares_and_names() -> None:
    shown = insight()
    view = GameView(shown.game, shown.game.child_state(shown.before, 4), "t", ("a", "b"), 1, 4)
    _, axes = new_board_figure(shown.game)
    draw_board(axes, replace(view, insight=shown))
    assert {"60", "10", "a", "b", "c", "1", "2", "3"} <= set(words(axes))
    assert any(each.startswith("last move b2: D 30 %") for each in words(axes))
    draw_board(axes, replace(view, letters=False))
    assert "60" not in words(axes)
    assert "last move (1, 1)" in words(axes)
