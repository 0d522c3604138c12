"""Tic-tac-toe by example, against a slow twin, and played perfectly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import (
    DRAW,
    GOES_ON,
    ExactPlay,
    IllegalActionError,
    StateError,
    TwoWinnersError,
    make_game,
)
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


def test_there_are_eight_lines() -> None:
    assert len(naive.lines([[0] * 3] * 3, 3)) == 8


def test_a_full_board_without_a_line_is_a_draw() -> None:
    state = GAME.from_flat(naive.flat(naive.drawn("X O X/X O O/O X X")))
    assert GAME.winner(state) == DRAW
    assert GAME.is_final(state)
    assert GAME.winning_path(state) == []
    assert GAME.legal_actions(state).tolist() == []


def test_the_last_stone_can_still_win() -> None:
    state = GAME.from_flat(naive.flat(naive.drawn("X O X/O X O/O X ."), 1))
    assert GAME.rules.play(state, 8) == 1


def test_two_winners_are_refused_with_the_board() -> None:
    state = GAME.from_flat(naive.flat(naive.drawn("X X X/. . ./O O O")))
    with pytest.raises(TwoWinnersError, match=r"got both in\n0 X X X"):
        GAME.winner(state)


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=9, max_size=9), st.sampled_from([1, 2]))
def test_the_input_is_the_mover_and_the_stones_of_both(cells: list[int], mover: int) -> None:
    features = GAME.observation(GAME.from_flat([mover, *cells])).tolist()
    expected = [mover == 1, mover == 2, *(c == 1 for c in cells), *(c == 2 for c in cells)]
    assert features == [float(each) for each in expected]


def test_the_board_has_eight_symmetries_each_with_and_without_the_swap() -> None:
    assert len(GAME.symmetries) == 15
    assert sum(symmetry.swaps_players for symmetry in GAME.symmetries) == 8
    ways = {(each.actions.tobytes(), each.swaps_players) for each in GAME.symmetries}
    assert len(ways) == 15
    swap = GAME.colour_swap
    assert swap is not None
    assert swap.actions.tolist() == list(range(9)), "the plain swap comes first"


def test_perfect_play_is_a_draw_for_either_starting_player() -> None:
    exact = ExactPlay(GAME)
    for player in (1, 2):
        assert exact.outcome(GAME.initial_state(player)) == DRAW


def test_only_the_centre_draws_against_a_first_stone_in_the_corner() -> None:
    state = GAME.child_state(GAME.initial_state(), 0)
    assert ExactPlay(GAME).best_actions(state) == {4}


def test_a_reply_on_an_edge_loses_to_a_trap() -> None:
    """X in a corner, O on an edge beside it: X wins by force, though not in one move."""
    state = GAME.from_flat(naive.flat(naive.drawn("X O ./. . ./. . .")))
    assert ExactPlay(GAME).outcome(state) == 1


@pytest.mark.parametrize("words", ["1 2", "1,2", "(1, 2)", " ( 1 2 ) "])
def test_a_cell_is_read(words: str) -> None:
    assert GAME.parse_action(words) == 5
    assert GAME.landing_cell(GAME.initial_state(), 5) == 5


@pytest.mark.parametrize("words", ["3 0", "0 3", "5", "b4", "d1", "1 2 0", "12"])
def test_words_that_name_no_cell_are_refused(words: str) -> None:
    with pytest.raises(IllegalActionError, match="a row and a column from 0 to 2"):
        GAME.parse_action(words)


def test_a_wrong_cell_value_is_refused_with_its_position() -> None:
    with pytest.raises(StateError, match=r"expected 0 to 2 in every cell, got 3 at \(2, 1\)"):
        GAME.from_flat([1, 0, 0, 0, 0, 0, 0, 0, 3, 0])


def test_a_rollout_of_the_last_empty_cell_gives_the_outcome() -> None:
    rng = np.random.default_rng(1)
    for text, outcome in (("X O X/O X O/O X .", 1), ("X O X/X O O/O X .", DRAW)):
        state = GAME.from_flat(naive.flat(naive.drawn(text)))
        assert GAME.rules.uniform_rollout(state, rng) == outcome
