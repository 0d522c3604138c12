"""The shipped maps of first stones."""

import pytest

from agents.first_stones import first_stones
from judge import Judge
from state_manager import make_game

SIZES = range(3, 12)


@pytest.mark.parametrize("size", SIZES)
def test_a_map_is_the_same_after_a_half_turn(size: int) -> None:
    stones = first_stones(make_game("hex", size=size))
    assert stones is not None
    assert len(stones.percent) == size * size
    assert (stones.percent == stones.percent[::-1]).all()
    is_certain = set(stones.percent.tolist()).issubset({0, 100})
    assert (stones.known == "exact" or stones.known.startswith("solved: ")) == is_certain


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("starter", [1, 2])
def test_the_judge_agrees_with_the_exact_maps(size: int, starter: int) -> None:
    game = make_game("hex", size=size)
    judge, stones = Judge(game), first_stones(game, starter)
    assert stones is not None
    first = game.initial_state(starter)
    winners = [judge.winner(game.child_state(first, cell)) for cell in range(size * size)]
    assert stones.percent.tolist() == [100 * (winner == starter) for winner in winners]


def test_published_proofs_are_certain() -> None:
    stones = first_stones(make_game("hex", size=8))
    assert stones is not None
    won = "a5 a7 a8 b3 b4 b5 b6 b7 c3 c4 c5 c6 d3 d4 d5 d6"  # of the first half, by column
    names = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
    found = {name for name, each in zip(names, stones.percent, strict=True) if each == 100}
    assert {name for name in found if name[0] in "abcd"} == set(won.split(" "))
    nine = first_stones(make_game("hex", size=9))
    assert nine is not None
    assert nine.percent[[0, 1, 40, 79, 80]].tolist() == [0, 0, 100, 0, 0]


def test_the_swap_changes_no_map_and_other_boards_have_none() -> None:
    plain, swapped = (first_stones(make_game("hex", size=8, swap=swap)) for swap in (False, True))
    assert plain is not None
    assert swapped is not None
    assert (plain.percent == swapped.percent).all()
    for game in (make_game("hex", size=13), make_game("tic_tac_toe")):
        assert first_stones(game) is None
