"""Boards that are plain grids, in pictures and in the terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Circle, FancyBboxPatch
from rich.console import Console

from display.boards.board_text import UNICODE, Cells, grid_lines
from display.boards.cells import Coordinates
from display.boards.moment import GameView
from display.boards.palette import BLACK, CELL_ON_PATH, RED, WHITE, board_of, look_of
from display.boards.picture import draw_board, new_board_figure
from display.boards.terminal import TerminalBoard, styles_of
from state_manager import State, StateManager, make_game

TIC_TAC_TOE = make_game("tic_tac_toe")
CONNECT_FOUR = make_game("connect_four")
HEXAPAWN = make_game("hexapawn")
X_WINS = [0, 3, 1, 4, 2]
A_DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


def played(game: StateManager, actions: list[int]) -> State:
    """Return the state after some actions of player 1 and 2 in turn."""
    state = game.initial_state(1)
    for action in actions:
        state = game.child_state(state, action)
    return state


def view_of(game: StateManager, actions: list[int]) -> GameView:
    """Return the moment after some actions."""
    state, last = played(game, actions), actions[-1] if actions else None
    names = ("first", "second")
    return GameView(game, state, "game", names, len(actions), last, game.winner(state))


def drawn(game: StateManager, actions: list[int]) -> Axes:
    """Draw a game after some actions."""
    _, axes = new_board_figure(game)
    draw_board(axes, view_of(game, actions))
    return axes


def shown(game: StateManager, actions: list[int], **options: Any) -> str:
    """Return what the terminal shows of a game after some actions."""
    console = Console(file=io.StringIO(), width=80, **options)
    console.print(TerminalBoard(view_of(game, actions)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def discs(axes: Axes, colour: str) -> list[tuple[float, float]]:
    """Return the middles of the discs of a colour."""
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    return [each.center for each in circles if same_color(each.get_facecolor(), colour)]


def cells(axes: Axes) -> list[FancyBboxPatch]:
    """Return the cells of a picture, row by row."""
    return [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


def words(axes: Axes) -> list[str]:
    """Return everything that is written."""
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


def test_a_draw_is_called_one_in_pictures_and_in_the_terminal() -> None:
    axes = drawn(TIC_TAC_TOE, A_DRAW)
    assert "a draw, last move c3" in words(axes)
    assert not any("wins" in word for word in words(axes))
    assert not {"▸", "◂"} & set(words(axes))
    text = shown(TIC_TAC_TOE, A_DRAW)
    assert "A draw after 9 moves   [ ] last move c3" in text
    assert "wins" not in text
    assert ">" not in text


def test_the_terminal_marks_the_last_move_and_the_winning_line() -> None:
    text = shown(CONNECT_FOUR, [3, 0, 3, 0, 3, 0, 3])
    lines = [line.rstrip() for line in text.splitlines()]
    assert "  2  ·  ·  · {X} ·  ·  ·" in lines
    assert "  3 " + " O  ·  · (X) ·  ·  ·" in lines
    assert "     0  1  2  3  4  5  6" in lines
    assert "X red    first" in text
    assert "red (first) wins in 7 moves   { } last move column 3   ( ) winning path" in text


def test_the_terminal_names_the_players_and_the_one_to_move() -> None:
    text = shown(HEXAPAWN, [1])
    assert "  W white  first" in text
    assert "> B black  second" in text
    assert " 2  · [W] · " in text
    assert "[ ] last move b1 to b2" in text
    assert "> X  first" in shown(TIC_TAC_TOE, [])


@pytest.mark.parametrize("system", ["truecolor", "256", "standard", "windows"])
def test_every_role_of_a_grid_has_a_style_in_every_number_of_colours(system: Any) -> None:
    styles = styles_of(Console(file=io.StringIO(), force_terminal=True, color_system=system))
    for game, actions in ((HEXAPAWN, [1]), (TIC_TAC_TOE, X_WINS)):
        state = played(game, actions)
        board, path = board_of(game, state), game.winning_path(state)
        roles = {
            role
            for line in grid_lines(Cells(Coordinates(game), board, 0, path, {}, UNICODE))
            for _, role in line
        }
        assert roles <= set(styles)
        assert {f"title{look_of(game, player).role}" for player in (1, 2)} <= set(styles)
