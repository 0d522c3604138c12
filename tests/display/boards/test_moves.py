"""Clicks on a picture mean moves, in every game; cells have two names."""

from __future__ import annotations

import numpy as np
import pytest

from display.boards.cells import (
    Coordinates,
    begins_a_move,
    cell_at,
    cell_centers,
    cells_of_move,
    clicked_move,
    has_cells,
)
from state_manager import StateManager, game_names, make_game
from tests.display.conftest import played

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
