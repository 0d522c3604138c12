"""A move comes in time from any agent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any
from unittest.mock import Mock

import pytest

from agents import Agent, foreign, make_agent
from agents.random import RandomAgent
from state_manager import State, make_game
from tests.project import TIMEOUT, wait_until
from tournaments.lineup import TimedAgent

GAME = make_game("hex", size=3)


def constant(action: int) -> Agent:
    """Return an agent that always chooses the same action."""
    return foreign(lambda state: action)


class Stuck(Agent):
    """Searches until the end of the test; it may have a best action so far."""

    busy = False

    def __init__(self, over: threading.Event, best: int | None = None) -> None:
        self.over, self.best = over, best
        self.states: list[State] = []

    def choose_action(self, state: State) -> int:
        assert not self.busy
        self.busy = True
        self.states.append(state)
        self.over.wait()
        self.busy = False
        return 8

    def best_so_far(self, state: State) -> int | None:
        return self.best if state is self.states[-1] else None


class OnceBusy(TimedAgent):
    """Its clock starts with the agent's search, on a busy machine too."""

    def __init__(self, agent: Agent, is_busy: Callable[[State], object]) -> None:
        super().__init__(agent, constant(2), limit=0.001)
        self._is_busy = is_busy

    def _request(self, state: State, ponders: bool = False) -> Any:
        request = super()._request(state, ponders)
        wait_until(lambda: bool(self._is_busy(state)))
        return request


def broken(state: State) -> int:
    raise RuntimeError("no idea")


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_a_move_in_time_is_played() -> None:
    timed = TimedAgent(constant(4), constant(0), limit=TIMEOUT)
    move = timed.choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (4, "")
    assert 0 <= move.seconds < TIMEOUT


def test_a_late_agent_is_stopped_and_its_best_move_so_far_is_taken(over: threading.Event) -> None:
    agent = Stuck(over, best=3)
    move = OnceBusy(agent, lambda state: agent.busy).choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (3, "")
    assert agent.stopped()


def test_the_fallback_replaces_a_late_agent_without_a_result(over: threading.Event) -> None:
    agent = Stuck(over)
    move = OnceBusy(agent, lambda state: agent.busy).choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (2, "no move after 0.001 s")


def test_an_agent_runs_one_search_at_a_time_and_skips_expired_requests(
    over: threading.Event,
) -> None:
    agent = Stuck(over, best=3)
    timed = OnceBusy(agent, lambda state: agent.states)
    first, second, third = (GAME.initial_state() for _ in range(3))
    assert timed.choose_action(first).action == 3
    assert timed.choose_action(second).action == 2  # its best action is of another state
    over.set()
    timed.limit = TIMEOUT
    assert timed.choose_action(third).action == 8
    assert [id(state) for state in agent.states] == [id(first), id(third)]
    assert not agent.stopped()


def test_a_late_search_agent_returns_a_move_from_its_tree() -> None:
    """Its own limit is far too long; the stop signal comes in time."""
    agent = make_agent("mcts:simulations=10000000,time_limit=3600", GAME)
    state = GAME.initial_state()
    timed = OnceBusy(agent, lambda state: agent.best_so_far(state) is not None)
    move = timed.choose_action(state)
    assert move.action in GAME.legal_actions(state)
    assert move.fault == ""


def test_a_search_agent_ponders_until_the_next_request_or_it_is_closed() -> None:
    """A thread that searches while the process exits crashes it."""
    before = set(threading.enumerate())
    agent = make_agent("mcts:simulations=10000000,time_limit=0.01", GAME)
    timed = TimedAgent(agent, constant(0), limit=TIMEOUT)

    def after_move(state: State) -> State:
        move = timed.choose_action(state)
        after = GAME.child_state(state, move.action)
        wait_until(lambda: agent.best_so_far(after) is not None)
        assert move.fault == ""
        return after

    state = after_move(GAME.initial_state())
    after_move(GAME.child_state(state, int(GAME.legal_actions(state)[0])))
    timed.close()
    assert set(threading.enumerate()) <= before


def test_ctrl_c_stops_the_search(over: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Stuck(over)
    timed = OnceBusy(agent, lambda state: agent.busy)
    monkeypatch.setattr(Future, "result", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        timed.choose_action(GAME.initial_state())
    assert agent.stopped()


def test_the_fallback_moves_after_a_failure_that_is_reported() -> None:
    timed = TimedAgent(foreign(broken), constant(7), limit=TIMEOUT)
    move = timed.choose_action(GAME.initial_state())
    assert (move.action, move.fault) == (7, "RuntimeError: no idea")


def test_the_warm_up_has_no_limit() -> None:
    event = threading.Event()
    threading.Timer(0.1, event.set).start()
    TimedAgent(Stuck(event), RandomAgent(GAME), limit=0.001).warm_up(GAME.initial_state())
    assert event.is_set()
