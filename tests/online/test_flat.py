"""States and coordinates keep their orientation on the way in and out."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from online.flat import FlatError, action_at, coordinates, size_of, state_from_flat
from state_manager import make_game

HEX_3 = make_game("hex", size=3)
PLAYER_1_JOINS_ROWS = "02012 02100 00100 22100 01000"
PLAYER_2_JOINS_COLUMNS = "000001 000122 002210 020100 210000 000000"
"""Two finished games that the real server has sent or shown."""


def flat(rows: str, to_play: int) -> list[int]:
    return [to_play, *(int(cell) for cell in "".join(rows.split()))]


@pytest.mark.parametrize(("rows", "loser"), [(PLAYER_1_JOINS_ROWS, 2), (PLAYER_2_JOINS_COLUMNS, 1)])
def test_the_winner_is_the_player_named_by_the_server(rows: str, loser: int) -> None:
    state = flat(rows, to_play=loser)
    game = make_game("hex", size=size_of(state))
    assert game.winner(state_from_flat(game, state)) == 3 - loser
    mirrored = " ".join(row[::-1] for row in rows.split())
    transposed = " ".join("".join(column) for column in zip(*rows.split(), strict=True))
    for turned in (mirrored, transposed):
        assert game.winner(state_from_flat(game, flat(turned, to_play=loser))) != 3 - loser


@settings(max_examples=30)
@given(st.integers(3, 6), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
def test_each_stone_lies_at_its_coordinates(size: int, starter: int, rng: random.Random) -> None:
    game = make_game("hex", size=size)
    state, sent = game.initial_state(starter), [starter] + [0] * size * size
    while not game.is_final(state):
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


MALFORMED: list[tuple[Callable[[Any], object], list[object]]] = [
    (size_of, [[], [1], [1, 0, 0], [1] + [0] * 8, [1] + [0] * 26]),
    (partial(state_from_flat, HEX_3), [[0] * 10, [3] + [0] * 9, [1, 7] + [0] * 8, [1] + [0] * 25]),
    (
        partial(action_at, HEX_3),
        [
            (3, 0), (0, 3), (-1, 0), (0,), (0, 1, 2), (True, 0), (0.0, 1), ("0", "1"), "01", None,
            4, {0: 1, 1: 2}, (10**30, 0), (np.int64(1), 1),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("read", "values"), MALFORMED, ids=["size", "state", "cell"])
def test_what_is_malformed_is_refused(read: Callable[[Any], object], values: list[object]) -> None:
    for value in values:
        with pytest.raises(FlatError, match="expected"):
            read(value)
