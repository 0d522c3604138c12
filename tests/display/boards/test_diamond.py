"""The geometry of the diamond, in pictures and in text."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from display.boards.board_text import UNICODE, Cells, diamond_lines
from display.boards.cells import Coordinates, cell_centers
from state_manager import make_game
from tests.forked import run_python
from tests.project import ROOT

NEIGHBOURS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))


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
