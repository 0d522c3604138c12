"""The benchmark that makes the maps of first stones."""

from agents.first_stones import first_stones
from benchmarks.first_stones import exact, published, searched
from state_manager import make_game


def test_a_search_gives_symmetric_percentages_near_the_truth() -> None:
    game = make_game("hex", size=5)
    states = [game.child_state(game.initial_state(), cell) for cell in range(25)]
    found, true = searched(game, states, 20), exact(game, states)
    assert (found == found[::-1]).all()
    assert ((found >= 1) & (found <= 99)).all()
    assert ((found >= 50) == (true == 100)).mean() > 0.9
    assert (searched(game, states, 20) == found).all()


def test_the_solved_board_is_the_published_one() -> None:
    stones = first_stones(make_game("hex", size=8))
    assert stones is not None
    assert (stones.percent == 100 * published("benzene", 8)).all()
