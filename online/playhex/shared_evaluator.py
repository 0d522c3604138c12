"""``SharedEvaluator``: leaves of searches in several threads share the batches of a net."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anet.evaluator import Evaluator, Policies, Values
from state_manager import State
from state_manager.policy import Policy

_BATCHES = 4, 16, 64
"""States of a batch, filled up with copies: each size takes OpenVINO seconds to prepare."""
_SMALL_BOARD, _USUAL = 49, 16
"""Cells of boards with batches of 64; on others 16 take as long for a state, and end sooner."""


class _Part(NamedTuple):
    states: State  # [B, S], the leaves of one search
    legal: NDArray[np.bool_]  # [B, A]
    evaluation: Future[tuple[Policies, Values | None]]


class SharedEvaluator(Evaluator):
    """Evaluates together what has come while the batch before was evaluated."""

    def __init__(self, inner: Evaluator, thread: ThreadPoolExecutor) -> None:
        """Evaluate by ``inner``, in the only thread of ``thread``."""
        self.game, self.params, self.facts = inner.game, inner.params, inner.facts
        self.episode, self.note = inner.episode, inner.note
        self._inner, self._thread = inner, thread
        self._waiting: deque[_Part] = deque()
        self._shared: dict[tuple[str, str, int], SharedEvaluator] = {}
        self._most = _BATCHES[-1] if self.game.max_plies <= _SMALL_BOARD else _USUAL

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``; symmetric boards are evaluated at once, in this thread."""
        if symmetric:
            return self._inner.evaluate_batch(states, legal, symmetric)
        part = _Part(states.copy(), legal.copy(), Future())
        self._waiting.append(part)
        self._thread.submit(self._evaluate_waiting)
        return part.evaluation.result()

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> Evaluator:
        """See ``Evaluator``; all who ask for the same share it."""
        key = runtime, precision, threads
        if key not in self._shared:
            shared = SharedEvaluator(self._inner.in_runtime(*key), self._thread)
            return self._shared.setdefault(key, shared)
        return self._shared[key]

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """See ``Evaluator``."""
        return self._inner.rollout_policy(epsilon)

    def _evaluate_waiting(self) -> None:
        """Evaluate the parts that wait, perhaps none, up to about a batch."""
        parts, size = list[_Part](), 0
        while self._waiting and size < self._most:
            parts.append(self._waiting.popleft())
            size += len(parts[-1].states)
        if not parts:
            return
        try:
            rows = np.arange(next((each for each in _BATCHES if each >= size), size)) % size
            states, legal = (
                np.concatenate(arrays)[rows] for arrays in list(zip(*parts, strict=True))[:2]
            )
            policies, values = self._inner.evaluate_batch(states, legal)
        except Exception as error:
            for part in parts:
                part.evaluation.set_exception(error)
            return
        at = 0
        for part in parts:
            own = slice(at, at := at + len(part.states))
            part.evaluation.set_result((policies[own], None if values is None else values[own]))
