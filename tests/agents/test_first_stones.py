"""The shipped maps of first stones."""

from __future__ import annotations

import pytest

from agents.first_stones import first_stones
from state_manager import Judge, make_game

SIZES = range(3, 12)


@pytest.mark.parametrize("size", SIZES)
def test_a_map_is_the_same_after_a_half_turn(size: int) -> None:
    stones = first_stones(make_game("hex", size=size))
    assert stones is not None
    assert len(stones.percent) == size * size
    assert (stones.percent == stones.percent[::-1]).all()
    assert (stones.known == "exact") == set(stones.percent.tolist()).issubset({0, 100})


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("starter", [1, 2])
def test_the_judge_agrees_with_the_exact_maps(size: int, starter: int) -> None:
    game = make_game("hex", size=size)
    judge, stones = Judge(game), first_stones(game, starter)
    assert stones is not None
    first = game.initial_state(starter)
    winners = [judge.winner(game.child_state(first, cell)) for cell in range(size * size)]
    assert stones.percent.tolist() == [100 * (winner == starter) for winner in winners]


def test_the_swap_changes_no_map_and_other_boards_have_none() -> None:
    plain, swapped = (first_stones(make_game("hex", size=8, swap=swap)) for swap in (False, True))
    assert plain is not None
    assert swapped is not None
    assert (plain.percent == swapped.percent).all()
    for game in (make_game("hex", size=13), make_game("tic_tac_toe")):
        assert first_stones(game) is None
