"""A move in time, whatever the search does."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
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
    """Asks an agent, and a quick fallback if the agent is late or fails.

    The agent thinks in a thread of its own. One that is late is left to itself and is never asked
    again: a new agent takes its place, so that no agent is ever in two searches at once.
    """

    def __init__(self, make_agent: Callable[[], Agent], fallback: Agent, limit: float) -> None:
        """Make the agent.

        Args:
            make_agent: Makes the agent, and another when the first one is late.
            fallback: Answers within milliseconds.
            limit: Seconds that the agent has for a move.
        """
        self.limit = limit
        self._make_agent = make_agent
        self._fallback = fallback
        self._thinker = _Thinker(make_agent())

    def warm_up(self, state: State) -> None:
        """Let both choose a move without a limit: what must be loaded or compiled, is."""
        self._fallback.choose_action(state)
        self._thinker.ask(state)
        answer = self._thinker.answer(None)
        if isinstance(answer, Exception):
            raise answer

    def choose_action(self, state: State) -> TimedMove:
        """Return a move for a state that is not final, in time."""
        started = time.perf_counter()
        self._thinker.ask(state)
        answer = self._thinker.answer(self.limit)
        fault = ""
        if answer is None:
            fault = f"no move after {self.limit:g} s"
            self._thinker.leave()
            self._thinker = _Thinker(self._make_agent())
        elif isinstance(answer, Exception):
            fault = f"{type(answer).__name__}: {answer}"
        if fault:
            answer = self._fallback.choose_action(state)
        assert isinstance(answer, int)
        return TimedMove(answer, time.perf_counter() - started, fault)


class _Thinker:
    """An agent in a thread of its own, which ends with the program."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._questions: queue.SimpleQueue[State | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[int | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._think, daemon=True).start()

    def ask(self, state: State) -> None:
        self._questions.put(state)

    def answer(self, limit: float | None) -> int | Exception | None:
        """Return the move, or the agent's failure, or ``None`` after ``limit`` seconds."""
        try:
            return self._answers.get(timeout=limit)
        except queue.Empty:
            return None

    def leave(self) -> None:
        """Let the thread end when it has finished its thought."""
        self._questions.put(None)

    def _think(self) -> None:
        while (state := self._questions.get()) is not None:
            try:
                self._answers.put(int(self._agent.choose_action(state)))
            except Exception as error:
                self._answers.put(error)
