"""Reviews of moves, the ends of decided games, and sketches, as the page asks for them."""

from threading import Event, Thread
from typing import Any

import pytest

from judge import Judge, shared_judge
from mcts import MCTS
from mcts.result import SearchResult
from state_manager import NodeLimitError, make_game
from tests.project import TIMEOUT, wait_until
from tests.web.conftest import SEARCH, Post, position
from web.play.reviewing import ReviewRequest, review
from web.server.agent_pool import AgentPool, Deadline
from web.server.requests import RequestError


def test_a_decided_position_is_finished_by_the_shortest_line(post: Post) -> None:
    game = make_game("hex", size=5)
    judge = Judge(game)
    for actions in ((2, 12, 7), (0, 12), (12, 7, 0, 11), (1, 12, 3, 6)):
        state = game.initial_state()
        for action in actions:
            state = game.child_state(state, action)
        winner, about = judge.winner(state), {"position": position(*actions, size=5), "seconds": 20}
        found = post("finish", **about)
        assert found["shortest"]
        assert len(found["line"]) == judge.plies_left(state)
        for each in found["line"]:
            assert judge.winner(state) == winner
            assert each["name"] == f"{'abcde'[each['action'] % 5]}{each['action'] // 5 + 1}"
            state = game.child_state(state, each["action"])
        assert found["path"] == game.winning_path(state)
        assert game.winner(state) == winner


def test_a_line_may_not_be_the_shortest(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"position": position(2, 12, 7, size=5), "seconds": 20}
    known = post("finish", **about)
    monkeypatch.setattr(Judge, "plies_left", lambda *_: 0)
    found = post("finish", **about)
    assert not found["shortest"]
    assert len(found["line"]) == len(known["line"]), "the shortest of a line for each first move"


def test_what_is_undecided_has_no_finish(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: Any) -> int:
        raise NodeLimitError("too hard")

    monkeypatch.setattr(Judge, "winner", give_up)
    assert "no line to the end within 2 s" in post("finish", 400, position=position(4))


def test_an_abandoned_review_is_repeated(pool: AgentPool, monkeypatch: pytest.MonkeyPatch) -> None:
    searching = Event()

    class Leaving(Deadline):
        def is_over(self) -> bool:
            return searching.is_set()

    def search_until_dropped(search: MCTS, *given: Any, **options: Any) -> SearchResult:
        searching.set()
        wait_until(options["stopped"])
        return search_now(search, *given, **options)

    search_now = MCTS.search
    request = ReviewRequest.model_validate({"position": position(84, 85, size=13), "seconds": 0.01})
    monkeypatch.setattr(MCTS, "search", search_until_dropped)
    with pytest.raises(RequestError, match="stopped"):
        review(pool, request, Leaving())
    assert searching.is_set()
    monkeypatch.undo()
    assert review(pool, request, Deadline()) == review(pool, request, Deadline())


def test_the_judge_is_free_in_a_search(pool: AgentPool, monkeypatch: pytest.MonkeyPatch) -> None:
    requested = Event()

    def request_too() -> None:
        with shared_judge(make_game("hex", size=13)).until(requested.is_set):
            requested.set()

    def search_later(search: MCTS, *given: Any, **options: Any) -> SearchResult:
        Thread(target=request_too, daemon=True).start()
        assert requested.wait(TIMEOUT)
        return search_now(search, *given, **options)

    search_now = MCTS.search
    monkeypatch.setattr(MCTS, "search", search_later)
    request = ReviewRequest.model_validate({"position": position(84, size=13), "agent": SEARCH})
    assert not review(pool, request, Deadline())["exact"]
    assert requested.is_set()


def test_the_last_moves_are_reviewed_together(post: Post) -> None:
    actions = (0, 40, 1, 41, 2)
    together = post("reviews", position=position(*actions, size=9), moves=3, agent=SEARCH)[
        "reviews"
    ]
    assert [each["ply"] for each in together] == [3, 4, 5]
    for each in together:
        about = {"position": position(*actions[: each["ply"]], size=9), "agent": SEARCH}
        assert post("review", **about) == each


def test_the_net_sketches_a_game_before_its_review(post: Post) -> None:
    values = post("sketch", position=position(40, 0, size=9))["values"]
    assert len(values) == 3
    assert values[2] > 0.5, "a corner in reply to the centre"
    assert post("sketch", position=position(40, size=9), agent="mcts")["values"] == []
