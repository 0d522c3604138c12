"""Hex against a slow twin that floods the board from scratch."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state_manager import GOES_ON, State, make_game
from state_manager.hex import Hex
from state_manager.hex_rules import (
    BOTH_BORDERS,
    FIRST_BORDER,
    LAST_BORDER,
    STONE,
    fill_runs,
    rows_are_joined,
)
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
def test_the_border_flags_of_every_group_are_right_at_every_ply(size: int) -> None:
    """The board is filled to the last cell: flags stay right even after the game is won."""
    game = hex_game(size)
    rng = np.random.default_rng(size)
    state = game.initial_state(1 + size % 2)
    check_every = 1 if size < 9 else 7
    for ply, action in enumerate(rng.permutation(size * size)):
        outcome = game.rules.play(state, int(action))
        if ply % check_every == 0 or outcome != GOES_ON:
            board = naive.board_of(state, size)
            for row, column in np.argwhere(np.array(board)):
                cell = (int(row), int(column))
                assert borders_by_flag(state, size, *cell) == naive.borders(board, cell)


@pytest.mark.parametrize("size", [3, 4, 5, 7])
def test_the_winning_actions_equal_the_twins_actions(size: int) -> None:
    game = hex_game(size)
    rng = np.random.default_rng(size)
    actions, listed = np.empty(size * size, np.int64), 0
    for _ in range(6):
        state = game.initial_state(1 + int(rng.integers(2)))
        for action in rng.permutation(size * size):
            board = np.array(naive.board_of(state, size))
            for player in (1, 2):
                winning = []
                for cell in np.flatnonzero(board.reshape(-1) == 0).tolist():
                    filled = board.copy()
                    filled.reshape(-1)[cell] = player
                    if naive.shortest_chain(tuple(map(tuple, filled.tolist())), player):
                        winning.append(cell)
                count = game.rules.winning_actions(state, player, actions)
                assert actions[:count].tolist() == winning
                listed += count
            if game.rules.play(state, int(action)) != GOES_ON:
                break
    assert listed > 20


@pytest.mark.parametrize("size", SIZES)
def test_the_winner_equals_the_twins_winner_at_every_ply(size: int) -> None:
    game = hex_game(size)
    rng = np.random.default_rng(size)
    for _ in range(3):
        state = game.initial_state()
        for action in rng.permutation(size * size):
            mover = game.to_play(state)
            outcome = game.rules.play(state, int(action))
            won = naive.shortest_chain(naive.board_of(state, size), mover) > 0
            assert outcome == (mover if won else GOES_ON)
            assert game.winner(state) == outcome
            if won:
                break


@st.composite
def full_boards(draw: st.DrawFn) -> tuple[int, list[int]]:
    """Draw a size and a full board, the stones in any proportion."""
    size = draw(st.integers(3, 9))
    cells = draw(st.lists(st.sampled_from([1, 2]), min_size=size**2, max_size=size**2))
    return size, cells


@given(full_boards(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_full_board_has_exactly_one_winner_in_any_order_of_the_moves(
    full: tuple[int, list[int]], random: Random
) -> None:
    size, cells = full
    game = hex_game(size)
    order = list(range(size * size))
    random.shuffle(order)
    state = game.initial_state()
    for cell in order:
        state[0] = cells[cell]
        game.rules.play(state, cell)
    state[0] = 1
    assert state.tobytes() == game.from_flat([1, *cells]).tobytes()
    assert naive.winners(naive.board_of(state, size)) == {game.winner(state)}


@pytest.mark.parametrize("size", SIZES)
def test_the_winning_path_is_a_shortest_chain_between_the_winners_borders(size: int) -> None:
    game = hex_game(size)
    rng = np.random.default_rng(size)
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
        assert path[0][player - 1] == 0
        assert path[-1][player - 1] == size - 1
    assert seen == {1, 2}


def masks(board: np.ndarray) -> np.ndarray:
    """Return the red stones row by row, bit c for column c."""
    return np.array([sum(1 << int(c) for c in np.flatnonzero(row == 1)) for row in board], np.int64)


@pytest.mark.parametrize("size", SIZES)
def test_the_flood_over_bit_masks_agrees_on_random_full_boards(size: int) -> None:
    rng = np.random.default_rng(size)
    reached = np.empty(size, np.int64)
    results = []
    for red_share in np.linspace(0.3, 0.7, 60):
        board = np.where(rng.random((size, size)) < red_share, 1, 2)
        joined = naive.shortest_chain(tuple(map(tuple, board.tolist())), 1) > 0
        assert rows_are_joined(masks(board), reached, size) == joined
        results.append(joined)
    assert {True, False} == set(results)


@pytest.mark.parametrize("size", SIZES[:-1])
def test_the_flood_over_bit_masks_follows_winding_chains(size: int) -> None:
    """Chains that run to and fro, and up and down again; each link is needed."""
    reached = np.empty(size, np.int64)
    for board in (to_and_fro(size), up_and_down(size)):
        for turned in (board, board[::-1, ::-1]):
            assert rows_are_joined(masks(turned), reached, size)
            for row, column in np.argwhere(turned == 1):
                broken = turned.copy()
                broken[row, column] = 2
                expected = naive.shortest_chain(tuple(map(tuple, broken.tolist())), 1) > 0
                assert rows_are_joined(masks(broken), reached, size) == expected


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
@settings(max_examples=150)
def test_runs_are_filled_from_any_of_their_seeds(cells: int, seeds: int) -> None:
    seeds &= cells
    filled = seeds
    for _ in range(19):
        filled |= cells & (filled << 1 | filled >> 1)
    assert fill_runs(seeds, cells) == filled
