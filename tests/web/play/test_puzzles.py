"""The puzzles that come with the page, and requests for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.puzzles import SOURCES
from judge import Judge
from state_manager import State, StateManager, make_game
from tests.web.conftest import Post
from web.play.catalogue import WITH_NET
from web.play.puzzles import FILE, puzzles


def positions(every: int) -> Iterator[tuple[dict[str, Any], StateManager, State]]:
    """Yield a sample of the puzzles, each with its game and its state."""
    for puzzle in [*puzzles().values()][::every]:
        game = make_game("hex", size=puzzle["size"])
        state = game.initial_state()
        for action in puzzle["moves"]:
            assert action in game.legal_actions(state)
            state = game.child_state(state, action)
        yield puzzle, game, state


def test_in_each_puzzle_exactly_the_named_moves_win() -> None:
    for puzzle, game, state in positions(every=15):
        assert Judge(game).winning_actions(state).tolist() == puzzle["wins"], puzzle


def test_puzzles_are_distinct_positions_with_one_to_three_winning_moves() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) > 300
    assert len({(game, state.tobytes()) for _, game, state in positions(every=1)}) == len(lines)
    for puzzle in puzzles().values():
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
    assert "id of a puzzle" in post("puzzle", status=400, id="none")
    assert "no such puzzle" in post("puzzle", status=400, size=19)
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


@pytest.mark.parametrize("question", [{"wins": 4}, {"seen": ["x" * 13]}, {"grade": -1}])
def test_questions_beyond_the_limits_are_refused(post: Post, question: dict[str, Any]) -> None:
    post("puzzle", status=400, **question)
