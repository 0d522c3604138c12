"""Evaluations of moves on boards in pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from display.boards.moment import GameView, Insight
from display.boards.picture import draw_board
from mcts import Thought
from state_manager import make_game
from tests.display.tables import insight

HEX = make_game("hex", size=3)
NIM = make_game("nim", stones=9, max_take=3)


def test_empty_cells_show_their_share_and_the_chosen_move_shows_none() -> None:
    assert insight().shares() == {2: 0.6, 8: 0.099}
    assert replace(insight(), thought=None).shares() == {}
    moves = Insight(NIM, NIM.initial_state(1), 0, Thought(np.array([0.2, 0.3, 0.5]), 0.1))
    assert moves.shares() == {}, "a heap has no cells for moves"


def test_a_picture_shows_shares_and_names() -> None:
    shown = insight()
    axes = Figure().add_subplot()
    state = HEX.child_state(shown.before, 4)
    draw_board(axes, GameView(HEX, state, "t", ("a", "b"), 1, 4, 0, shown))
    words = [text.get_text() for text in axes.texts]
    assert {"60", "10", "a", "b", "c", "1", "2", "3"} <= set(words)
    assert any(each.startswith("last move b2: D 30 %") for each in words)
    draw_board(axes, GameView(HEX, state, "t", ("a", "b"), 1, 4, letters=False))
    words = [text.get_text() for text in axes.texts]
    assert "60" not in words
    assert "last move (1, 1)" in words
