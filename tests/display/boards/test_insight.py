"""Evaluations of moves, on boards in the terminal and in pictures."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from display.boards.cells import Coordinates
from display.boards.moment import GameView, Insight
from display.boards.picture import draw_board
from display.boards.terminal import TerminalBoard
from mcts import Thought
from state_manager import make_game

HEX = make_game("hex", size=3)
NIM = make_game("nim", stones=9, max_take=3)


def insight(value: float | None = -0.25, *, is_search: bool = True) -> Insight:
    """Player 2 plays (1, 1) on an empty board, though (0, 2) was searched more often."""
    distribution = np.zeros(9)
    distribution[[0, 2, 4, 8]] = 0.001, 0.6, 0.3, 0.099
    return Insight(HEX, HEX.initial_state(2), 4, Thought(distribution, value, is_search))


def test_the_value_is_seen_from_the_mover() -> None:
    words = insight().words(Coordinates(HEX, letters=False))
    assert words == ": D 30 %, value +0.25 for black; others (0, 2) 60 %, (2, 2) 10 %"
    words = insight(None, is_search=False).words(Coordinates(HEX))
    assert words == ": policy 30 %; others c1 60 %, c3 10 %"
    nothing = Insight(HEX, HEX.initial_state(1), 4, None)
    assert nothing.words(Coordinates(HEX)) == ": not searched"
    assert nothing.shares() == {}


@pytest.mark.parametrize(
    ("outcome", "expected"), [(2, ": won, says the judge"), (1, ": lost, says the judge; D 11 %")]
)
def test_the_value_of_the_judge_comes_first(outcome: int, expected: str) -> None:
    thought = Thought(np.full(9, 1 / 9), -0.25, outcome=outcome)
    words = Insight(HEX, HEX.initial_state(2), 4, thought).words(Coordinates(HEX))
    assert words.startswith(expected)
    assert ("value" in words) == (outcome == 1)


def test_empty_cells_show_their_share_and_the_chosen_move_shows_none() -> None:
    assert insight().shares() == {2: 0.6, 8: 0.099}
    moves = Insight(NIM, NIM.initial_state(1), 0, Thought(np.array([0.2, 0.3, 0.5]), 0.1))
    assert moves.shares() == {}, "a heap has no cells for moves"


@pytest.mark.parametrize("letters", [False, True])
def test_a_board_in_the_terminal_shows_shares_and_names(letters: bool) -> None:
    shown = insight()
    state = HEX.child_state(shown.before, 4)
    console = Console(file=io.StringIO(), width=100)
    view = GameView(HEX, state, "t", ("a", "b"), 1, 4, 0, shown, letters)
    console.print(TerminalBoard(view))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    first, move = ("1", "b2") if letters else ("0", "(1, 1)")
    assert f"last move {move}: D 30 %, value +0.25 for black" in text
    top = next(line for line in text.splitlines() if line.split()[:1] == [first])
    assert (top.split()[-1], top.split()[2]) == ("a" if letters else "0", "·")
    assert text.count("60 ") == text.count("10 ") == 2, "on the board and below it"
    assert "[■]" in text


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
