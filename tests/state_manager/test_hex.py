"""Hex by example, with the swap beside a naive twin and under perfect play."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from judge import ExactPlay, Judge
from state_manager import IllegalActionError, State, StateError, TwoWinnersError, make_game
from state_manager.hex import Hex
from state_manager.hex_rules import BOTH_BORDERS, STONE
from tests.random_play import random_game
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


GAME = make_game("hex", size=3, swap=True)
SWAP = GAME.swap_action
PLAIN = make_game("hex", size=3)


def flat_after(*actions: str, starting_player: int = 1) -> list[int]:
    state = GAME.initial_state(starting_player)
    for action in actions:
        state = GAME.child_state(state, GAME.parse_action(action))
    return GAME.to_flat(state)


def test_the_swap_mirrors_the_first_stone_and_changes_its_colour() -> None:
    assert flat_after("b1") == [2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert flat_after("b1", "swap") == [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert flat_after("b2", "Swap", starting_player=2) == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert flat_after("b1", "swap", "b1") == [2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("before", [[], ["b1", "swap"], ["b1", "c3"], ["a1", "a2", "a3"]])
def test_the_swap_is_the_second_move_or_none(before: list[str]) -> None:
    state = GAME.from_flat(flat_after(*before))
    assert SWAP not in GAME.legal_actions(state)
    with pytest.raises(IllegalActionError, match="swap by player"):
        GAME.child_state(state, GAME.num_actions - 1)


def test_a_flat_form_holds_whether_the_swap_is_legal() -> None:
    offered, over = ([2, 0, 1, 0, 0, 0, 0, 0, 0, 0, last] for last in (1, 0))
    assert SWAP in GAME.legal_actions(GAME.from_flat(offered))
    assert SWAP not in GAME.legal_actions(GAME.from_flat(over))
    for flat in ([1, *offered[1:]], [1, *[0] * 9, 0], [1, 1, 2, *[0] * 7, 1], [2, *[0] * 9, 1]):
        with pytest.raises(StateError, match=r"expected [02] as the last number, .* swap, got"):
            GAME.from_flat(flat)


def test_the_swap_gives_the_image_of_the_position_under_the_colour_swap() -> None:
    assert GAME.colour_swap is not None
    for action in range(9):
        first = PLAIN.child_state(PLAIN.initial_state(), action)
        swapped = GAME.child_state(GAME.child_state(GAME.initial_state(), action), 9)
        plain = GAME.states_without_swap(swapped)
        assert np.array_equal(plain, GAME.states_without_swap(swapped[np.newaxis])[0])
        image: Any = PLAIN.colour_swap
        assert np.array_equal(PLAIN.observation(plain)[image.features], PLAIN.observation(first))


def test_the_player_with_the_swap_option_wins_by_the_judge() -> None:
    judge, exact = Judge(GAME), ExactPlay(GAME)
    first = GAME.initial_state(2)
    assert judge.winner(first) == exact.outcome(first) == 1
    assert judge.best_actions(first).tolist() == list(range(9))
    for _, state in GAME.children(first):
        assert judge.winner(state) == exact.outcome(state) == 1
        assert set(judge.best_actions(state).tolist()) == exact.best_actions(state)
        best = judge.best_action(state)
        assert best in exact.best_actions(state)
        if best != SWAP:
            assert judge.plies_left(state) == len(judge.principal_variation(state))
        for _, child in GAME.children(state):
            assert judge.winner(child) == exact.outcome(child)
    assert judge.best_actions(GAME.from_flat(flat_after("b2"))).tolist() == [SWAP]
    weak = judge.best_actions(GAME.from_flat(flat_after("a1")))
    assert len(weak) > 0
    assert SWAP not in weak


def test_without_the_swap_the_game_and_its_texts_are_unchanged() -> None:
    assert (repr(PLAIN), repr(GAME)) == ("hex(size=3)", "hex(size=3, swap=True)")
    assert make_game("hex", size=3, swap=False) == PLAIN == GAME.without_swap
    assert PLAIN.without_swap is PLAIN
    with pytest.raises(IllegalActionError):
        PLAIN.parse_action("swap")


def test_after_the_swap_the_stone_that_landed_is_the_mirrored_one() -> None:
    for seed in range(20):
        states, actions = random_game(GAME, seed, 2)
        for (_, after), action in zip(pairwise(states), actions, strict=True):
            landed: Any = GAME.landing_cell(after, action)
            assert after[1 + landed] == 3 - after[0]
