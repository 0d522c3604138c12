"""Hex by example: positions are drawn as they look in a terminal."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest

from state_manager import State, StateError, TwoWinnersError, make_game
from state_manager.hex import Hex
from state_manager.hex_rules import BOTH_BORDERS, STONE
from tests.state_manager import naive_hex as naive


def position(text: str, to_play: int = 1) -> tuple[Hex, State]:
    board = naive.drawn(text)
    game = make_game("hex", size=len(board))
    assert isinstance(game, Hex)
    return game, game.from_flat(naive.flat(board, to_play))


RED_DOES_NOT_TOUCH = """
    1 2 .
     2 1 2
      . . 1
"""


def test_two_winners_are_refused_with_the_board() -> None:
    """Geometry forbids two winners; only a forged private memory can claim them."""
    game, state = position(RED_DOES_NOT_TOUCH)
    codes = state[1 + 9 : -1].reshape(5, 5)
    codes[1, 1] = STONE | BOTH_BORDERS
    codes[1, 2] = 2 * STONE | BOTH_BORDERS << 2
    for method in (game.winner, game.legal_actions, game.is_final, game.winning_path):
        with pytest.raises(TwoWinnersError) as caught:
            method(state)
        assert game.text(state) in str(caught.value)
    assert issubclass(TwoWinnersError, StateError)


def exact_share_of_red(state: State, size: int) -> float:
    """Return how often red wins if the rest of the board is filled at random, over all fillings."""
    board = np.asarray(state)[1 : 1 + size * size].copy()
    empty = np.flatnonzero(board == 0)
    of_red = (len(empty) + (state[0] == 1)) // 2
    wins = 0
    for red in combinations(empty.tolist(), of_red):
        filled = np.where(board == 0, 2, board)
        filled[list(red)] = 1
        wins += 1 in naive.winners(tuple(map(tuple, filled.reshape(size, size).tolist())))
    return wins / comb(len(empty), of_red)


@pytest.mark.parametrize("to_play", [1, 2])
@pytest.mark.parametrize(
    "text",
    [
        ". . .\n . . .\n  . . .",
        ". . .\n . 1 .\n  . . .",
        "2 . .\n . 1 .\n  . . 2",
        ". 2 .\n . 1 .\n  1 . 2",
        ". . 2\n . 1 .\n  2 . 1",
    ],
)
def test_fast_rollouts_win_with_the_exact_probability(text: str, to_play: int) -> None:
    game, state = position(text, to_play)
    share = exact_share_of_red(state, 3)
    assert 0.0 < share < 1.0
    rng = np.random.default_rng(1)
    rollouts = 20_000
    wins = sum(game.rules.uniform_rollout(state.copy(), rng) == 1 for _ in range(rollouts))
    assert abs(wins - rollouts * share) < 4.5 * sqrt(rollouts * share * (1 - share))
