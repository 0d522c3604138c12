"""The puzzles that come with the page, and requests for them."""

import json
from functools import reduce

import pytest

from agents import make_agent
from agents.anet_agent import ANETAgent
from benchmarks.level_ratings import best_net, fixed, ratings_of
from benchmarks.puzzles import SOURCES
from judge import Judge
from state_manager import make_game
from tests.project import ROOT
from tests.web.conftest import Post
from web.play.catalogue import RATINGS, WITH_NET, WITHOUT_NET
from web.play.puzzles import FILE, puzzles


def test_in_each_puzzle_exactly_the_named_moves_win() -> None:
    for puzzle in [*puzzles().values()][::15]:
        game = make_game("hex", size=puzzle["size"])
        state = reduce(game.child_state, puzzle["moves"], game.initial_state())
        assert Judge(game).winning_actions(state).tolist() == puzzle["wins"], puzzle


def test_puzzles_are_distinct_positions_with_one_to_three_winning_moves() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) > 300
    moves = [(each["size"], each["moves"]) for each in puzzles().values()]
    stones = {(size, *(frozenset(each[n::2]) for n in (0, 1))) for size, each in moves}
    assert len(stones) == len(lines)
    for puzzle in puzzles().values():
        assert len({*puzzle["moves"], *puzzle["wins"]}) == len(puzzle["moves"] + puzzle["wins"])
        assert 1 <= len(puzzle["wins"]) <= 3
        assert SOURCES[puzzle["size"]].least_grade <= puzzle["grade"] < len(WITH_NET)


def test_a_puzzle_is_found_by_its_id_or_drawn_from_those_not_seen(post: Post) -> None:
    known = puzzles()
    first = next(iter(known))
    named = post("puzzle", id=first)
    assert (named["id"], named["wins"]) == (first, known[first]["wins"])
    assert named["sizes"] == [5, 6, 7, 8, 9, 10, 11]
    assert len(named["names"]) == len(named["wins"])
    assert named["level"] == named["levels"][named["grade"]]
    fitting = [
        name
        for name, each in known.items()
        if (each["size"], len(each["wins"]), each["grade"]) == (6, 1, 3)
    ]
    about = {"size": 6, "wins": 1, "grade": 3}
    assert post("puzzle", **about, seen=fitting[1:])["id"] == fitting[0]
    assert post("puzzle", **about, seen=fitting)["grade"] in (2, 4)
    everything = [*known]
    assert post("puzzle", seen=everything)["id"] in everything


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
def test_levels_swap_as_the_docs_say(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stone, *shares = (cell.strip() for cell in row.strip("|").split("|"))
    board, cell = stone.split(",")[0].split()
    game = make_game("hex", size=int(board.split("x")[0]), swap=True)
    state = game.child_state(game.initial_state(), game.parse_action(cell))
    found = list[float]()
    for _, word in WITH_NET[1:6]:
        agent = make_agent(word, game, seed=1)
        assert isinstance(agent, ANETAgent)
        assert agent.net is not None
        policy = agent.net.policy(state)
        with monkeypatch.context() as patch:  # a net gives a state one policy
            patch.setattr(agent.net, "policy", lambda states, known=policy: [known] * len(states))
            moves = agent.choose_actions([agent] * 400, [state] * 400)
        found.append(moves.count(game.num_actions - 1) / 400)
    assert found == pytest.approx([int(share) / 100 for share in shares], abs=0.07)
    assert found == sorted(found, reverse=not int(shares[-1]))
