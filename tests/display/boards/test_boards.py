"""Boards in pictures and their styles; the diamond; clicks on a picture mean moves."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Circle, FancyBboxPatch

from display.boards.board_text import UNICODE, Cells, diamond_lines
from display.boards.cells import (
    Coordinates,
    begins_a_move,
    cell_at,
    cell_centers,
    cells_of_move,
    clicked_move,
    has_cells,
    row_layout,
)
from display.boards.moment import GameView, Insight
from display.boards.palette import BLACK, CELL_ON_PATH, COPPER, GOLD, RED, WHITE
from display.boards.picture import draw_board, new_board_figure
from mcts import Thought
from state_manager import StateManager, game_names, make_game
from tests.display.conftest import played
from tests.display.tables import insight, view_of
from tests.forked import run_python
from tests.project import ROOT

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


NEIGHBOURS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))


def test_a_chinese_name_on_a_picture_raises_no_warning(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from display.boards.picture import save_board\n"
        "from state_manager import make_game; from tests.display.tables import view_of\n"
        "view = view_of(make_game('hex', size=3), [], players=('\\u68cb', 'b'))\n"
        f"save_board(Path({str(tmp_path / 'board.png')!r}), view)"
    )
    assert run_python(program, ROOT, os.environ) == (0, "", "")


def test_exactly_the_six_neighbours_of_a_hexagon_are_one_apart() -> None:
    size = 5
    centers = cell_centers(make_game("hex", size=size))
    for place, center in enumerate(centers):
        row, column = divmod(place, size)
        distances = np.hypot(*(centers - center).T)
        steps = ((row + r, column + c) for r, c in NEIGHBOURS)
        inside = [r * size + c for r, c in steps if 0 <= r < size and 0 <= c < size]
        assert np.flatnonzero((distances > 0) & (distances < 1.01)).tolist() == sorted(inside)
        assert distances[inside] == pytest.approx(1)


@settings(max_examples=30)
@given(st.integers(3, 19), st.data())
def test_the_text_shows_every_stone_once_in_a_symmetrical_diamond(
    size: int, data: st.DataObject
) -> None:
    stones = st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size)
    board = np.array(data.draw(stones), np.int8).reshape(size, size)
    cells = Cells(Coordinates(make_game("hex", size=size)), board, None, (), {}, UNICODE)
    lines = diamond_lines(cells)
    assert len(lines) == 2 * size
    glyphs = "".join(t for line in lines for t, role in line if role.startswith(("st", "em")))
    for stone, glyph in enumerate("·●■"):
        assert glyphs.count(glyph) == np.count_nonzero(board == stone)
    middles = set()
    for line in lines[1:]:
        roles = [(text, role) for text, role in line if role in ("side1", "side2", "corner")]
        assert len(roles) == 2
        plain = "".join(text for text, _ in line)
        middles.add(plain.index(roles[0][0]) + plain.rindex(roles[1][0]))
    assert len(middles) == 1
    assert max(len("".join(text for text, _ in line).rstrip()) for line in lines) <= 83
    edges = [[role for _, role in line if role in ("side1", "side2", "corner")] for line in lines]
    assert edges[1:size] == [["side2", "side1"]] * (size - 1)
    assert edges[size] == ["corner", "corner"]
    assert edges[size + 1 :] == [["side1", "side2"]] * (size - 1)


GAMES = [*(make_game(name) for name in game_names()), make_game("hex", size=19)]


@pytest.fixture(params=GAMES, ids=repr)
def game(request: pytest.FixtureRequest) -> StateManager:
    chosen: StateManager = request.param
    return chosen


def test_every_legal_move_can_be_clicked(game: StateManager) -> None:
    for state in played(game).states[:-1][:3]:
        for action in game.legal_actions(state)[::9].tolist():
            clicks = cells_of_move(game, state, action)
            assert clicked_move(game, state, clicks) == action
            assert len(clicks) in (1, 2)
            assert len(clicks) == 1 or begins_a_move(game, state, clicks[0])


def test_a_click_on_a_piece_without_a_move_has_no_effect() -> None:
    game = make_game("connect_four")
    state = game.child_state(game.initial_state(), 3)
    bottom = 5 * 7 + 3
    assert clicked_move(game, state, [bottom]) is None
    assert clicked_move(game, state, [3]) == 3, "any empty cell of the column will do"
    hexes = make_game("hex", size=3)
    assert clicked_move(hexes, hexes.child_state(hexes.initial_state(), 4), [4]) is None


def test_the_centre_of_each_cell_is_in_the_cell(game: StateManager) -> None:
    centers = cell_centers(game)
    assert len(centers) == np.prod(game.board_shape)
    for cell, (x, y) in enumerate(centers):
        assert cell_at(game, x, y) == cell
        assert cell_at(game, x + 0.3, y - 0.3) == cell
    assert cell_at(game, centers[:, 0].max() + 2, centers[0, 1]) is None


def test_moves_in_letters_are_read_back(game: StateManager) -> None:
    letters = Coordinates(game)
    for action in range(game.num_actions):
        assert ("(" in letters.move(action)) is False
        if has_cells(game):
            assert game.parse_action(letters.move(action)) == action
        else:
            assert letters.move(action) == game.action_name(action)


def test_a1_is_row_0_and_column_0_and_in_chess_the_lowest_row() -> None:
    hexes = Coordinates(make_game("hex", size=11))
    assert (hexes.move(0), hexes.move(1), hexes.move(11)) == ("a1", "b1", "a2")
    assert (hexes.rows[-1], hexes.columns[-1]) == ("11", "k")
    pawns = Coordinates(make_game("hexapawn"))
    assert pawns.rows == ["3", "2", "1"]
    numbers = Coordinates(make_game("hex", size=3), letters=False)
    assert (numbers.rows, numbers.columns, numbers.move(5)) == (list("012"), list("012"), "(1, 2)")
