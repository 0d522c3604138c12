"""Requests of the page with a position that is set up."""

from __future__ import annotations

from typing import Any

import pytest

from formats import sgf
from state_manager import game_names
from tests.web.conftest import Post, in_base64, position

# . R .    three red stones and a black one; black is to move, and cannot stop both a2 and b2
#  . . R
#   R B .
CELLS = [0, 1, 0, 0, 0, 1, 1, 2, 0]


def set_up(*actions: int, start: int = 2, cells: Any = CELLS) -> dict[str, Any]:
    return {**position(*actions, start=start), "setup": cells}


def test_a_game_goes_on_from_any_numbers_of_stones(post: Post) -> None:
    view = post("position", position=set_up(4))
    assert view["cells"] == [0, 1, 0, 0, 2, 1, 1, 2, 0]
    assert (view["to_play"], view["last"], view["history"]) == (1, 4, ["b2"])
    assert [move["action"] for move in view["moves"]] == [0, 2, 3, 8]
    for agent in ("random", "exact", "mcts:simulations=20,judge=true"):
        assert post("move", position=set_up(), agent=agent)["action"] in {0, 2, 3, 4, 8}
    won = post("position", position=set_up(start=1, cells=[0, 1, 0, 0, 1, 0, 1, 0, 0]))
    assert (won["winner"], won["path"], won["moves"]) == (1, [1, 4, 6], [])


def test_hint_judge_review_and_explanation_know_the_stones(post: Post) -> None:
    assert post("judge", position=set_up())["words"] == "red wins, whatever black plays"
    open_game = [0, 1, 0, 0, 0, 1, 0, 2, 2]
    assert post("judge", position=set_up(start=1, cells=open_game))["keep"] == [6]
    hint = post("hint", position=set_up(start=1, cells=open_game), agent="mcts", simulations=50)
    assert hint["action"] == 6
    bad = set_up(0, start=1, cells=open_game)
    review = post("review", position=bad, agent="mcts:simulations=50")
    assert (review["grade"], review["exact"], review["ply"]) == ("blunder", True, 1)
    assert [each["name"] for each in review["better"]] == ["a3"]
    steps = post("explain", position=set_up(), simulations=3)["steps"]
    assert all(step["board"]["cells"][1] == 1 for step in steps)


def test_the_swap_is_over_where_stones_are_set_up(post: Post) -> None:
    about = {"name": "hex", "params": {"size": 3, "swap": True}}
    view = post("position", position={**set_up(cells=[0, 0, 0, 0, 1, 0, 0, 0, 0]), "game": about})
    assert [move["action"] for move in view["moves"]] == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"setup": [0, 1]}, "setup: expected the 9 cells of 3x3, got 2"),
        ({"setup": [1] * 362}, "position.setup: "),
        ({"setup": [3, *CELLS[1:]]}, "position.setup.0: "),
        ({"setup": ["1", *CELLS[1:]]}, "position.setup.0: "),
        ({"start": 3}, "position.start: "),
        ({"stones": [1]}, "position.stones: "),
        ({"actions": [1]}, "move 1: expected a legal action, got 1"),
    ],
)
def test_a_wrong_position_is_refused_in_a_line(
    post: Post, wrong: dict[str, Any], words: str
) -> None:
    assert words in post("position", 400, position={**set_up(), **wrong})


@pytest.mark.parametrize("name", [each for each in game_names() if each != "hex"])
def test_stones_are_set_up_in_hex_alone(post: Post, name: str) -> None:
    where = {"game": {"name": name}, "setup": [1]}
    assert "expected a game of hex" in post("position", 400, position=where)


def test_sgf_keeps_the_stones_and_whose_turn_it_is(post: Post) -> None:
    nodes = [{"action": 4, "parent": 0}, {"action": 3, "parent": 1}, {"action": 3, "parent": 0}]
    about = position()["game"]
    tree = {"game": about, "start": 2, "setup": CELLS, "players": ["me", "you"]}
    written = post("write_sgf", **tree, nodes=nodes)
    for words in ("PL[W]", "AB[b1][c2][a3]", "AW[b3]", "RE[B+]"):
        assert words in written["sgf"]
    assert written["link"].startswith("https://hexworld.org/board/#3c1,b1b3c2:pa3")
    [root] = sgf.parse(written["sgf"])
    assert sgf.record_of(root)[1].setup == tuple(CELLS)
    read = post("read_sgf", file=in_base64(written["sgf"]))
    assert [each.pop("name") for each in read["nodes"]] == ["b2", "a2", "a2"]
    result = {"facts": {"RE": "B+"}, "games": [], "notes": []}
    assert read == {**tree, "nodes": nodes, "date": "", "comment": "", **result}
    assert "legal" in post("write_sgf", 400, **tree, nodes=[{"action": 1, "parent": 0}])
