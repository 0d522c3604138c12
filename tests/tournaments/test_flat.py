"""States and coordinates keep their orientation on the way in and out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state_manager import make_game
from tournaments.flat import (
    FlatError,
    action_at,
    coordinates,
    plain_coordinates,
    size_of,
    state_from_flat,
)

PLAYER_1_JOINS_ROWS = """
02012
02100
00100
22100
01000
"""
PLAYER_2_JOINS_COLUMNS = """
000001
000122
002210
020100
210000
000000
"""
"""Two finished games that the real server has sent or shown."""


def flat(rows: str, to_play: int) -> list[int]:
    """Return a drawn board as the tournament sends it."""
    return [to_play, *(int(cell) for cell in "".join(rows.split()))]


def mirrored(rows: str) -> str:
    """Return a board with its columns in reverse: another neighbourhood."""
    return "\n".join(row[::-1] for row in rows.split())


def transposed(rows: str) -> str:
    """Return a board with rows and columns exchanged: the sides of both players change."""
    return "\n".join("".join(column) for column in zip(*rows.split(), strict=True))


@pytest.mark.parametrize(
    ("rows", "loser", "winner"), [(PLAYER_1_JOINS_ROWS, 2, 1), (PLAYER_2_JOINS_COLUMNS, 1, 2)]
)
def test_the_winner_is_the_player_named_by_the_server(rows: str, loser: int, winner: int) -> None:
    state = flat(rows, to_play=loser)
    game = make_game("hex", size=size_of(state))
    assert game.winner(state_from_flat(game, state)) == winner
    for turned in (mirrored(rows), transposed(rows)):
        assert game.winner(state_from_flat(game, flat(turned, to_play=loser))) != winner


@given(st.integers(3, 9), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
def test_each_stone_lies_at_its_coordinates(size: int, starter: int, random: object) -> None:
    game = make_game("hex", size=size)
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    state, sent = game.initial_state(starter), [starter] + [0] * size * size
    for _ in range(int(rng.integers(1, size * size))):
        action = int(rng.choice(game.legal_actions(state)))
        row, column = coordinates(game, action)
        assert (type(row), type(column)) == (int, int)
        assert action_at(game, (row, column)) == action == action_at(game, [row, column])
        sent[1 + row * size + column] = sent[0]
        sent[0] = 3 - sent[0]
        state = game.child_state(state, action)
        assert game.to_flat(state) == sent
        assert np.array_equal(state_from_flat(game, sent), state)
        assert all(type(number) is int for number in game.to_flat(state))
        if game.is_final(state):
            break


def test_the_player_to_move_is_read_and_not_counted() -> None:
    game = make_game("hex", size=3)
    for to_play in (1, 2):
        assert game.to_play(state_from_flat(game, [to_play] + [0] * 9)) == to_play


def test_a_move_is_sent_as_plain_integers() -> None:
    for kind in (int, np.int64, np.int8):
        cell = [kind(1), kind(2)]
        assert [type(each) for each in plain_coordinates(cell)] == [int, int]  # type: ignore[arg-type]
    for answer in ((1,), (1, 2, 3), (1.0, 2.0), "12"):
        with pytest.raises(TypeError):
            plain_coordinates(answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("numbers", [[], [1], [1, 0, 0], [1] + [0] * 8, [1] + [0] * 24 + [0, 0]])
def test_a_board_that_is_not_square_is_refused(numbers: list[int]) -> None:
    with pytest.raises(FlatError, match="square board"):
        size_of(numbers)


@pytest.mark.parametrize(
    "numbers", [[0] + [0] * 9, [3] + [0] * 9, [1, 7] + [0] * 8, [1] + [0] * 25]
)
def test_a_malformed_state_is_refused(numbers: list[int]) -> None:
    with pytest.raises(FlatError):
        state_from_flat(make_game("hex", size=3), numbers)


@pytest.mark.parametrize(
    "answer",
    [
        (3, 0), (0, 3), (-1, 0), (0,), (0, 1, 2), (True, 0), (0.0, 1), ("0", "1"), "01", None, 4,
        {0: 1, 1: 2}, (10**30, 0), (np.int64(1), 1),
    ],
)  # fmt: skip
def test_a_malformed_cell_is_refused(answer: object) -> None:
    with pytest.raises(FlatError, match=r"expected \(row, column\) from"):
        action_at(make_game("hex", size=3), answer)
