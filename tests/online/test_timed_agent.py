"""A move comes in time from any agent."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial

import pytest

from agents import Agent, foreign, make_agent
from agents.mcts_agent import MCTSAgent
from online.lineup import TimedAgent
from state_manager import State, make_game
from tests.online.conftest import broken, constant
from tests.project import TIMEOUT, wait_until

GAME = make_game("hex", size=3)
START = GAME.initial_state()


class Stuck(Agent):
    """Searches until the end of the test; it may have a best action so far."""

    busy = False

    def __init__(self, over: threading.Event, best: int | None = None) -> None:
        self.over, self.best, self.begun = over, best, threading.Event()
        self.states: list[State] = []
        self.stopped: Callable[[], bool] = lambda: False

    def choose_action(self, state: State) -> int:
        self.states.append(state)
        self.begun.set()
        self.over.wait()
        return 8

    def best_so_far(self, state: State) -> int | None:
        self.begun.wait()  # on a busy machine, the limit may end first
        return self.best if state is self.states[-1] else None


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize(
    ("agent", "action", "fault"),
    [(constant(4), 4, ""), (foreign(broken), 2, "RuntimeError: no idea")],
)
def test_the_fallback_moves_for_a_failing_agent_only(agent: Agent, action: int, fault: str) -> None:
    move = TimedAgent(agent, constant(2), limit=TIMEOUT).choose_action(START)
    assert (move.action, move.fault) == (action, fault)
    assert 0 <= move.seconds < TIMEOUT


@pytest.mark.parametrize(("best", "action", "fault"), [(3, 3, ""), (None, 2, "no move after")])
def test_a_late_agent_is_stopped_and_its_best_move_so_far_or_the_fallbacks_is_taken(
    over: threading.Event, best: int | None, action: int, fault: str
) -> None:
    agent = Stuck(over, best)
    move = TimedAgent(agent, constant(2), limit=0.001).choose_action(START)
    assert (move.action, move.fault[:13]) == (action, fault)
    assert agent.stopped()


def test_an_agent_runs_one_search_and_skips_expired_requests(over: threading.Event) -> None:
    agent = Stuck(over, best=3)
    timed = TimedAgent(agent, constant(2), limit=0.001)
    first, second, third = (GAME.initial_state() for _ in range(3))
    assert timed.choose_action(first).action == 3
    assert timed.choose_action(second).action == 2  # its best action is of another state
    over.set()
    timed.limit = TIMEOUT
    assert timed.choose_action(third).action == 8
    assert [id(state) for state in agent.states] == [id(first), id(third)]
    assert not agent.stopped()


def test_a_search_agent_ponders_until_the_next_request_or_until_it_is_closed() -> None:
    """A thread that searches while the process exits crashes it."""
    before = set(threading.enumerate())
    agent = make_agent("mcts:simulations=10000000,time_limit=0.01", GAME)
    assert isinstance(agent, MCTSAgent)
    timed, state = TimedAgent(agent, constant(0), limit=TIMEOUT), START
    for _ in range(2):
        move = timed.choose_action(state)
        assert move.fault == ""
        after = GAME.child_state(state, move.action)
        wait_until(partial(has_searched, agent, after))
        state = GAME.child_state(after, int(GAME.legal_actions(after)[0]))
    timed.close()
    assert set(threading.enumerate()) <= before


def has_searched(agent: MCTSAgent, state: State) -> bool:
    return agent.best_so_far(state) is not None


def test_a_search_ends_early_when_it_is_stopped() -> None:
    agent = make_agent("mcts:simulations=10000000,time_limit=3600", GAME)
    assert isinstance(agent, MCTSAgent)
    agent.stopped = partial(has_searched, agent, START)
    assert agent.choose_action(START) in GAME.legal_actions(START)


def test_ctrl_c_stops_the_search(over: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Stuck(over)

    def interrupt(*_: object) -> None:
        agent.begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupt)
    with pytest.raises(KeyboardInterrupt):
        TimedAgent(agent, constant(2), limit=TIMEOUT).choose_action(START)
    assert agent.stopped()


def test_the_warm_up_has_no_limit() -> None:
    event = threading.Event()
    threading.Timer(0.05, event.set).start()
    TimedAgent(Stuck(event), constant(0), limit=0.001).warm_up(START)
    assert event.is_set()
