"""Hex against a slow twin that floods the board from scratch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import GOES_ON, State, hex_rules, make_game
from state_manager.hex import Hex
from state_manager.hex_rules import BOTH_BORDERS, FIRST_BORDER, LAST_BORDER, STONE
from tests.state_manager import naive_hex as naive

SIZES = [3, 4, 5, 8, 13, 16, 17, 19]


def hex_game(size: int) -> Hex:
    game = make_game("hex", size=size)
    assert isinstance(game, Hex)
    return game


def borders_by_flag(state: State, size: int, row: int, column: int) -> set[str]:
    """Read a stone's borders from the private memory, which must hold its owner as well."""
    codes = state[1 + size * size : -1].reshape(size + 2, size + 2)
    code, player = int(codes[row + 1, column + 1]), int(state[1 + row * size + column])
    shift = 2 * (player - 1)
    assert code & ~(BOTH_BORDERS << shift) == STONE * player
    flags = {FIRST_BORDER << shift: "first", LAST_BORDER << shift: "last"}
    return {name for flag, name in flags.items() if code & flag}


@pytest.mark.parametrize("size", SIZES)
def test_the_winner_and_the_border_flags_of_every_group_are_the_twins(size: int) -> None:
    """The board is filled to the last cell: flags stay right even after the game is won."""
    game, rng = hex_game(size), np.random.default_rng(size)
    for starter in (1, 2):
        state, has_ended = game.initial_state(starter), False
        for ply, action in enumerate(rng.permutation(size * size)):
            mover, outcome = game.to_play(state), game.rules.play(state, int(action))
            board = naive.board_of(state, size)
            if not has_ended:
                assert game.winner(state) == outcome
                assert outcome == (mover if naive.shortest_chain(board, mover) else GOES_ON)
                has_ended = outcome != GOES_ON
            if size < 9 or ply % 7 == 0 or outcome != GOES_ON:
                for row, column in np.argwhere(np.array(board)):
                    cell = (int(row), int(column))
                    assert borders_by_flag(state, size, *cell) == naive.borders(board, cell)


@pytest.mark.parametrize("size", SIZES)
def test_the_winning_path_is_a_shortest_chain_between_the_winners_borders(size: int) -> None:
    game, rng = hex_game(size), np.random.default_rng(size)
    seen = set()
    for _ in range(8):
        cells = rng.integers(1, 3, size * size)
        state = game.from_flat([1, *cells.tolist()])
        board, player = naive.board_of(state, size), game.winner(state)
        seen.add(player)
        path = [divmod(cell, size) for cell in game.winning_path(state)]
        assert len(path) == naive.shortest_chain(board, player)
        assert all(board[row][column] == player for row, column in path)
        assert all(following in naive.neighbours(cell, size) for cell, following in pairwise(path))
        assert (path[0][player - 1], path[-1][player - 1]) == (0, size - 1)
    assert seen == {1, 2}


def masks(board: np.ndarray) -> np.ndarray:
    """Return the red stones row by row, bit c for column c."""
    return np.array([sum(1 << int(c) for c in np.flatnonzero(row == 1)) for row in board], np.int64)


@pytest.mark.parametrize("size", SIZES)
def test_the_flood_over_bit_masks_agrees_on_random_boards_and_winding_chains(size: int) -> None:
    """Chains run to and fro, and up and down again; each of their links is needed."""
    rng, reached, results = np.random.default_rng(size), np.empty(size, np.int64), set[bool]()

    def check(board: np.ndarray) -> None:
        joined = naive.shortest_chain(tuple(map(tuple, board.tolist())), 1) > 0
        assert hex_rules.rows_are_joined(masks(board), reached, size) == joined
        results.add(joined)

    for red_share in np.linspace(0.3, 0.7, 60):
        check(np.where(rng.random((size, size)) < red_share, 1, 2))
    assert results == {True, False}
    for board in (to_and_fro(size), up_and_down(size)) if size < 19 else ():
        for turned in (board, board[::-1, ::-1]):
            assert hex_rules.rows_are_joined(masks(turned), reached, size)
            for row, column in np.argwhere(turned == 1):
                broken = turned.copy()
                broken[row, column] = 2
                check(broken)


def to_and_fro(size: int) -> np.ndarray:
    """Full rows, joined at alternate ends."""
    board = np.full((size, size), 2)
    board[::2] = 1
    board[1::4, -1] = 1
    board[3::4, 0] = 1
    board[-1, board[-2] == 1] = 1
    return board


def up_and_down(size: int) -> np.ndarray:
    """Full columns, joined at alternate ends; the first begins at the top, the last ends below."""
    board = np.full((size, size), 2)
    last = size - 1 if (size - 1) // 2 % 2 == 0 else size - 3
    for place, column in enumerate(range(0, last + 1, 2)):
        board[1:-1, column] = 1
        if column < last:
            board[-2 if place % 2 == 0 else 1, column + 1] = 1
    board[0, 0] = board[-1, last] = 1
    return board


@given(st.integers(0, 2**19 - 1), st.integers(0, 2**19 - 1))
def test_runs_are_filled_from_any_of_their_seeds(cells: int, seeds: int) -> None:
    filled = seeds = seeds & cells
    for _ in range(19):
        filled |= cells & (filled << 1 | filled >> 1)
    assert hex_rules.fill_runs(seeds, cells) == filled
