"""The geometry of the diamond, and its form in plain text."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from display.boards.board_text import (
    ASCII,
    UNICODE,
    Cells,
    Glyphs,
    Segment,
    diamond_lines,
)
from display.boards.cells import Coordinates, cell_centers
from display.boards.palette import board_of
from state_manager import make_game
from tests.forked import run_python
from tests.project import ROOT

SIZES = range(3, 20)
NEIGHBOURS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))

# Drawn with plain slashes, which stand for the longer ones of the diamond.
FINISHED = r"""
        rows ↘   ↙ columns
           1 / · \ a
         2 / ·   ■ \ b
black  3 / ·   ■  (●)\ c  red
     4 / ·  {●} (●)  · \ d
   5 <(●) (●)  ■   ·   · > e
       \ ·   ■   ·   · /
    red  \ ·   ·   · /  black
           \ ·   · /
             \ · /
"""


def lines_of(
    board: NDArray[np.int8],
    last: int | None = None,
    path: Collection[int] = (),
    glyphs: Glyphs = UNICODE,
) -> list[list[Segment]]:
    """Return a diamond as pieces of lines."""
    coordinates = Coordinates(make_game("hex", size=len(board)))
    return diamond_lines(Cells(coordinates, board, last, path, {}, glyphs))


def diamond_text(board: NDArray[np.int8], *about: Any) -> str:
    """Return a diamond as plain text, without trailing blanks."""
    lines = lines_of(board, *about)
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def test_a_chinese_name_on_a_picture_raises_no_warning(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from state_manager import make_game\n"
        "from display.boards.moment import GameView\n"
        "from display.boards.picture import save_board\n"
        "game = make_game('hex', size=3)\n"
        "view = GameView(game, game.initial_state(), 'game', ('\\u68cb', 'b'))\n"
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


@given(st.sampled_from(list(SIZES)), st.data())
def test_the_text_shows_every_stone_once_in_a_symmetrical_diamond(
    size: int, data: st.DataObject
) -> None:
    stones = st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size)
    board = np.array(data.draw(stones), np.int8).reshape(size, size)
    lines = lines_of(board)
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
    assert max(len(line) for line in diamond_text(board).splitlines()) <= 83


def test_a_finished_game_is_readable_in_plain_text() -> None:
    game = make_game("hex", size=5)
    state = game.initial_state(1)
    moves = ["(0, 2)", "(1, 1)", "(1, 2)", "(2, 2)", "(3, 1)", "(0, 1)", "(4, 0)", "(3, 2)"]
    for move in [*moves, "(2, 1)"]:
        state = game.child_state(state, game.parse_action(move))
    last = game.parse_action("(2, 1)")
    text = diamond_text(board_of(game, state), last, game.winning_path(state))
    slashes = str.maketrans({UNICODE.black_side: "/", UNICODE.red_side: "\\"})
    assert text.translate(slashes) == FINISHED.strip("\n")


def test_each_player_owns_the_sides_in_the_rules() -> None:
    lines = lines_of(np.zeros((4, 4), np.int8))[1:]
    edges = [[role for _, role in line if role in ("side1", "side2", "corner")] for line in lines]
    assert edges[:3] == [["side2", "side1"]] * 3
    assert edges[3] == ["corner", "corner"]
    assert edges[4:] == [["side1", "side2"]] * 3


def test_the_plain_characters_are_ascii() -> None:
    board = np.array([[1, 2, 0], [2, 1, 0], [0, 1, 2]], np.int8)
    text = diamond_text(board, 0, {4}, ASCII)
    assert text.isascii()
    assert "[X]" in text
    assert "(X)" in text
