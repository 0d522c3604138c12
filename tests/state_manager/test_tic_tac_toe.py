"""Tic-tac-toe by example, against a slow twin, and played perfectly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import DRAW, GOES_ON, TwoWinnersError, make_game
from tests.state_manager import naive_grids as naive

GAME = make_game("tic_tac_toe")


def test_a_board_is_drawn_with_its_rows_and_columns_numbered() -> None:
    state = GAME.from_flat([2, 0, 0, 1, 0, 2, 0, 1, 0, 0])
    assert GAME.text(state) == "0 . . X\n1 . O .\n2 X . .\n  0 1 2"
    assert GAME.player_names == GAME.drawing.pieces == ("X", "O")


@given(st.permutations(range(9)), st.sampled_from([1, 2]))
def test_every_game_equals_the_twins_game(order: list[int], starting_player: int) -> None:
    state = GAME.initial_state(starting_player)
    board = [[0] * 3 for _ in range(3)]
    for action in order:
        empty = [cell for cell in range(9) if not board[cell // 3][cell % 3]]
        assert GAME.legal_actions(state).tolist() == empty
        board[action // 3][action % 3] = GAME.to_play(state)
        outcome = GAME.rules.play(state, action)
        assert naive.board_of(state, 3, 3) == board
        assert outcome == GAME.winner(state) == (naive.line_outcome(board, 3) or GOES_ON)
        if outcome != GOES_ON:
            return
    pytest.fail("a full board ends the game")


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("line", naive.lines([[0] * 3] * 3, 3), ids=str)
def test_each_of_the_eight_lines_wins(line: list[naive.Cell], player: int) -> None:
    board = [[0] * 3 for _ in range(3)]
    for row, column in line:
        board[row][column] = player
    state = GAME.from_flat(naive.flat(board, 3 - player))
    assert GAME.winner(state) == player
    assert {divmod(cell, 3) for cell in GAME.winning_path(state)} == set(line)
    assert len(GAME.winning_path(state)) == 3


def test_a_full_board_without_a_line_is_a_draw() -> None:
    state = GAME.from_flat(naive.flat(naive.drawn("X O X/X O O/O X X")))
    assert GAME.winner(state) == DRAW
    assert GAME.is_final(state)
    assert GAME.winning_path(state) == []
    assert GAME.legal_actions(state).tolist() == []


def test_two_winners_are_refused_with_the_board() -> None:
    state = GAME.from_flat(naive.flat(naive.drawn("X X X/. . ./O O O")))
    with pytest.raises(TwoWinnersError, match=r"got both in\n0 X X X"):
        GAME.winner(state)


def test_the_board_has_eight_symmetries_each_with_and_without_the_swap() -> None:
    assert len(GAME.symmetries) == 15
    assert sum(symmetry.swaps_players for symmetry in GAME.symmetries) == 8
    ways = {(each.actions.tobytes(), each.swaps_players) for each in GAME.symmetries}
    assert len(ways) == 15
    swap = GAME.colour_swap
    assert swap is not None
    assert swap.actions.tolist() == list(range(9)), "the plain swap comes first"
