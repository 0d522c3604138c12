"""A move comes in time, whatever the agent does."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from agents import Agent, RandomAgent
from oht_client.timed_agent import TimedAgent
from state_manager import State, make_game

GAME = make_game("hex", size=3)


class Constant:
    """Always chooses the same."""

    name = "constant"

    def __init__(self, action: int) -> None:
        self.action = action

    def choose_action(self, state: State) -> int:
        return self.action


class Stuck:
    """Thinks until it is told that the test is over."""

    name = "stuck"

    def __init__(self, over: threading.Event) -> None:
        self.over = over
        self.asked = 0

    def choose_action(self, state: State) -> int:
        self.asked += 1
        self.over.wait()
        return 8


class Broken:
    """Fails."""

    name = "broken"

    def choose_action(self, state: State) -> int:
        raise RuntimeError("no idea")


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_an_agent_in_time_is_heard() -> None:
    timed = TimedAgent(lambda: Constant(4), Constant(0), limit=30.0)
    move = timed.choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (4, "")
    assert 0 <= move.seconds < 30


def test_a_late_agent_is_replaced_and_never_asked_again(over: threading.Event) -> None:
    made: list[Stuck] = []

    def make() -> Stuck:
        made.append(Stuck(over))
        return made[-1]

    timed = TimedAgent(make, Constant(2), limit=0.01)
    for _ in range(3):
        move = timed.choose_action(GAME.initial_state())
        assert (move.action, move.fault) == (2, "no move after 0.01 s")
    over.set()
    assert [agent.asked for agent in made[:3]] == [1, 1, 1]


def test_a_late_answer_is_not_taken_for_the_next_one(over: threading.Event) -> None:
    agents: Iterator[Agent] = iter([Stuck(over), Constant(5)])
    timed = TimedAgent(lambda: next(agents), Constant(2), limit=0.2)
    assert timed.choose_action(GAME.initial_state()).action == 2
    over.set()
    assert timed.choose_action(GAME.initial_state()).action == 5


def test_a_failure_is_named_and_the_fallback_moves() -> None:
    timed = TimedAgent(Broken, Constant(7), limit=30.0)
    move = timed.choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (7, "RuntimeError: no idea")


def test_a_failure_in_the_warm_up_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="no idea"):
        TimedAgent(Broken, RandomAgent(GAME), limit=30.0).warm_up(GAME.initial_state())


def test_the_warm_up_has_no_limit() -> None:
    event = threading.Event()
    threading.Timer(0.1, event.set).start()
    TimedAgent(lambda: Stuck(event), RandomAgent(GAME), limit=0.001).warm_up(GAME.initial_state())
    assert event.is_set()
