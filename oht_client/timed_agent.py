"""A move in time, whatever the search does."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents import Agent
    from state_manager import State


@dataclass(frozen=True)
class TimedMove:
    """What was answered, and how it came about.

    Attributes:
        action: The move.
        seconds: From the question to the answer.
        fault: Why the fallback answered instead of the agent; empty if the agent did.
    """

    action: int
    seconds: float
    fault: str = ""


class TimedAgent:
    """Asks an agent; if it is late, takes the best move that its search knows so far.

    A quick fallback answers for an agent that fails, and for a late one that knows nothing at all.
    The agent thinks in a thread of its own, about one state at a time: if it is late it is told to
    stop, and the next question waits until it has. It stays the same, and so does what it knows.
    """

    def __init__(self, agent: Agent, fallback: Agent, limit: float) -> None:
        """Begin to think.

        Args:
            agent: Who chooses. It may have ``stopped``, asked in a search whether to stop it, and
                ``best_so_far(state)``, the best move that its search knows, if any.
            fallback: Answers within milliseconds.
            limit: Seconds that the agent has for a move.
        """
        self.limit = limit
        self._agent = agent
        self._fallback = fallback
        self._questions: queue.SimpleQueue[_Question] = queue.SimpleQueue()
        threading.Thread(target=self._think, daemon=True).start()

    def warm_up(self, state: State) -> None:
        """Let both choose a move without a limit: what must be loaded or compiled, is."""
        self._fallback.choose_action(state)
        self._ask(state).answer.result()

    def choose_action(self, state: State) -> TimedMove:
        """Return a move for a state that is not final, in time."""
        started = time.perf_counter()
        question = self._ask(state)
        fault = ""
        action: int | None = None
        try:
            action = question.answer.result(self.limit)
        except Exception as error:
            if question.answer.done() and error is question.answer.exception():
                fault = f"{type(error).__name__}: {error}"
            else:
                question.over.set()
                action = self._best_so_far(state)
                fault = "" if action is not None else f"no move after {self.limit:g} s"
        if action is None:
            action = self._fallback.choose_action(state)
        return TimedMove(action, time.perf_counter() - started, fault)

    def _ask(self, state: State) -> _Question:
        question = _Question(state)
        self._questions.put(question)
        return question

    def _best_so_far(self, state: State) -> int | None:
        """Return what the agent would answer now, if it knows anything of the state."""
        look = getattr(self._agent, "best_so_far", None)
        return None if look is None else look(state)

    def _think(self) -> None:
        """Answer questions, one after the other; one whose time is over is not begun."""
        while True:
            question = self._questions.get()
            if question.over.is_set():
                continue
            if hasattr(self._agent, "stopped"):
                self._agent.stopped = question.over.is_set
            try:
                question.answer.set_result(int(self._agent.choose_action(question.state)))
            except Exception as error:
                question.answer.set_exception(error)


@dataclass(frozen=True)
class _Question:
    """A state to move in; ``over`` is set when nobody waits for the answer any more."""

    state: State
    answer: Future[int] = field(default_factory=Future)
    over: threading.Event = field(default_factory=threading.Event)
