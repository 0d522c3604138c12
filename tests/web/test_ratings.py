"""The ratings of the page's levels."""

from __future__ import annotations

import json

import pytest

from benchmarks.level_ratings import best_net, fixed, ratings_of
from state_manager import make_game
from web.catalogue import RATINGS, WITH_NET, WITHOUT_NET

SAVED = json.loads(RATINGS.read_text("utf-8"))


@pytest.mark.parametrize("size", range(3, 20))
def test_each_level_as_it_is_now_was_measured(size: int) -> None:
    game, setup = make_game("hex", size=size), SAVED["setup"]
    board = SAVED["boards"][repr(game)]
    assert board["net"] == best_net(game)
    levels = [word for _, word in (WITH_NET if size > 3 else WITHOUT_NET)]
    assert board["words"] == [fixed(word, setup["simulations"]) for word in levels]
    assert [*board["elo"]] == levels
    assert [*board["elo"].values()] == ratings_of(board["wins"], board["games"])


def test_searches_with_a_time_limit_get_simulations_instead() -> None:
    assert fixed("mcts:best,simulations=300", 5) == "mcts:best,simulations=300"
    timed = "mcts:best,judge=true,simulations=1000000,time_limit=3"
    expected = "mcts:best,judge=true,simulations=5,time_limit=null,leaves=16,runtime=openvino"
    assert fixed(timed, 5) == expected
    assert fixed("mcts:simulations=9,time_limit=3", 5) == "mcts:simulations=5,time_limit=null"


def test_a_level_that_wins_three_games_of_four_has_some_190_points_more() -> None:
    weak, strong = ratings_of([300], 400)
    assert weak == [0, 0, 0]
    assert strong[1] < 190 < strong[2]
    assert abs(strong[0] - 190) < 3
