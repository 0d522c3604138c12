"""Connect four by example, against a slow twin, and played perfectly on small boards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state_manager import DRAW, GOES_ON, StateManager, make_game
from tests.state_manager import naive_grids as naive

FULL_WITHOUT_FOUR = "X X O O/O O X X/X X O O/O O X X"


def connect_four(rows: int = 6, columns: int = 7) -> StateManager:
    return make_game("connect_four", rows=rows, columns=columns)


@given(
    st.integers(4, 10),
    st.integers(4, 10),
    st.sampled_from([1, 2]),
    st.lists(st.floats(0, 0.999), min_size=60, max_size=100),
)
@settings(max_examples=40)
def test_every_game_equals_the_twins_game(
    rows: int, columns: int, player: int, choices: list[float]
) -> None:
    """Each choice is a share of the legal actions."""
    game = connect_four(rows, columns)
    state, board = game.initial_state(player), [[0] * columns for _ in range(rows)]
    for choice in choices:
        free = [column for column in range(columns) if board[0][column] == 0]
        assert game.legal_actions(state).tolist() == free
        action = free[int(choice * len(free))]
        before, board = board, naive.drop(board, action, game.to_play(state))
        outcome = game.rules.play(state, action)
        assert naive.board_of(state, rows, columns) == board
        (landed,) = np.flatnonzero(np.array(before).reshape(-1) != np.array(board).reshape(-1))
        assert game.landing_cell(state, action) == landed
        assert outcome == game.winner(state) == (naive.line_outcome(board, 4) or GOES_ON)
        assert game.from_flat(naive.flat(board, game.to_play(state))).tobytes() == state.tobytes()
        if outcome != GOES_ON:
            return


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (6, 7), (4, 10)])
def test_each_line_of_four_is_found_whichever_stone_comes_last(rows: int, columns: int) -> None:
    """The other stones may float: the rule reads lines only and does not check the rest."""
    game = connect_four(rows, columns)
    for line in naive.lines([[0] * columns for _ in range(rows)], 4):
        for last in line:
            state = game.initial_state()
            for row, column in line:
                if (row, column) != last:
                    state[1 + row * columns + column] = 1
            state[1 + rows * columns + last[1]] = rows - 1 - last[0]
            assert game.rules.play(state, last[1]) == 1
            assert game.winner(state) == 1
            assert sorted(game.winning_path(state)) == [r * columns + c for r, c in sorted(line)]


def test_three_are_not_enough_and_of_five_four_are_marked() -> None:
    game = connect_four()
    state = game.from_flat(naive.flat(naive.drawn("/".join([". " * 7] * 5 + ["X X . X X . ."]))))
    assert game.winner(game.child_state(state, 5)) == GOES_ON
    won = game.child_state(state, 2)
    assert game.winner(won) == 1
    path = game.winning_path(won)
    assert path == list(range(path[0], path[0] + 4))


def test_a_full_board_without_four_is_a_draw() -> None:
    game = connect_four(4, 4)
    state = game.from_flat(naive.flat(naive.drawn("." + FULL_WITHOUT_FOUR[1:])))
    assert game.winner(state) == GOES_ON
    assert game.rules.play(state, 0) == game.winner(state) == DRAW
    assert game.winning_path(state) == []


def test_the_mirror_and_the_swap_are_the_symmetries() -> None:
    game = connect_four(4, 5)
    kinds = [(each.swaps_players, each.actions.tolist()) for each in game.symmetries]
    columns = [0, 1, 2, 3, 4]
    assert kinds == [(False, columns[::-1]), (True, columns), (True, columns[::-1])]
