"""The ratings of the page's levels."""

from __future__ import annotations

import json

import pytest

from agents import make_agent
from agents.anet_agent import ANETAgent
from benchmarks.level_ratings import best_net, fixed, ratings_of
from state_manager import make_game
from tests.project import ROOT
from web.play.catalogue import RATINGS, WITH_NET, WITHOUT_NET

SWAPS = "| 7x", "| 11"
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


@pytest.mark.parametrize(
    "row", [line for line in (ROOT / "docs/page.md").read_text().splitlines() if line[:4] in SWAPS]
)
def test_levels_swap_as_the_page_of_the_docs_says_and_the_better_the_stronger(row: str) -> None:
    stone, *shares = (cell.strip() for cell in row.strip("|").split("|"))
    board, cell = stone.split(",")[0].split()
    game = make_game("hex", size=int(board.split("x")[0]), swap=True)
    state = game.child_state(game.initial_state(), game.parse_action(cell))
    found = list[float]()
    for _, word in WITH_NET[1:6]:
        agent = make_agent(word, game, seed=1)
        assert isinstance(agent, ANETAgent)
        moves = agent.choose_actions([agent] * 400, [state] * 400)
        found.append(moves.count(game.num_actions - 1) / 400)
    assert found == pytest.approx([int(share) / 100 for share in shares], abs=0.07)
    assert found == sorted(found, reverse=not int(shares[-1]))
