"""Tic-tac-toe by example, against a slow twin, and played perfectly."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import DRAW, GOES_ON, make_game
from tests.state_manager import naive_grids as naive

GAME = make_game("tic_tac_toe")
LINES = [sorted(line) for line in naive.lines([[0] * 3] * 3, 3)]


@given(st.permutations(range(9)), st.sampled_from([1, 2]))
def test_every_game_equals_the_twins_game(order: list[int], starting_player: int) -> None:
    state, board = GAME.initial_state(starting_player), [[0] * 3 for _ in range(3)]
    for action in order:
        empty = [cell for cell in range(9) if not board[cell // 3][cell % 3]]
        assert GAME.legal_actions(state).tolist() == empty
        board[action // 3][action % 3] = GAME.to_play(state)
        outcome = GAME.rules.play(state, action)
        assert naive.board_of(state, 3, 3) == board
        assert outcome == GAME.winner(state) == (naive.line_outcome(board, 3) or GOES_ON)
        if outcome != GOES_ON:
            line = sorted(divmod(cell, 3) for cell in GAME.winning_path(state))
            assert line in (LINES if outcome != DRAW else [[]])
            return
    pytest.fail("a full board ends the game")


def test_the_board_has_eight_symmetries_each_with_and_without_the_swap() -> None:
    assert len(GAME.symmetries) == 15
    assert sum(symmetry.swaps_players for symmetry in GAME.symmetries) == 8
    ways = {(each.actions.tobytes(), each.swaps_players) for each in GAME.symmetries}
    assert len(ways) == 15
    swap: Any = GAME.colour_swap
    assert swap.actions.tolist() == list(range(9)), "the plain swap comes first"
