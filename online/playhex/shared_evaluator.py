"""``SharedEvaluator``: leaves of searches in several threads share the batches of a net."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anet.evaluator import Evaluator, Policies, Values
from base.cluster import available_cores
from state_manager import State
from state_manager.policy import Policy

_LEAST = 4
"""Batches are filled up with copies to a power of two: each size takes seconds to prepare."""
_SMALL_BOARD, _MOST = 49, (16, 64)
"""States of a batch, and of one on boards of few cells: larger ones only end later."""


class _Part(NamedTuple):
    states: State  # [B, S], leaves of one search
    legal: NDArray[np.bool_]  # [B, A]
    evaluation: Future[tuple[Policies, Values | None]]


class SharedEvaluator(Evaluator):
    """Evaluates together what has come while the batches before were evaluated."""

    def __init__(self, inner: Evaluator, threads: ThreadPoolExecutor) -> None:
        """Evaluate by ``inner`` in these threads, one for each core."""
        self.game, self.params, self.facts = inner.game, inner.params, inner.facts
        self.episode, self.note = inner.episode, inner.note
        self._inner, self._threads = inner, threads
        self._waiting, self._lock = deque[_Part](), Lock()
        self._shared: dict[tuple[str, str, int], SharedEvaluator] = {}
        self._most = _MOST[self.game.max_plies <= _SMALL_BOARD]

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``; symmetric boards are evaluated at once, in this thread."""
        if symmetric:
            return self._inner.evaluate_batch(states, legal, symmetric)
        share = self._most if self._waiting else -(-len(states) // available_cores())
        begins = range(0, len(states), share := min(max(share, _LEAST), self._most))
        cuts = [slice(begin, begin + share) for begin in begins]
        parts = [_Part(states[cut].copy(), legal[cut].copy(), Future()) for cut in cuts]
        for part in parts:
            self._waiting.append(part)
            self._threads.submit(self._evaluate_waiting)
        policies, values = zip(*(part.evaluation.result() for part in parts), strict=True)
        return np.concatenate(policies), None if values[0] is None else np.concatenate(values)

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> Evaluator:
        """See ``Evaluator``; all who ask for the same share it."""
        key = runtime, precision, threads
        if key not in self._shared:
            shared = SharedEvaluator(self._inner.in_runtime(*key), self._threads)
            return self._shared.setdefault(key, shared)
        return self._shared[key]

    def rollout_policy(self, epsilon: float = 0.1) -> Policy:
        """See ``Evaluator``."""
        return self._inner.rollout_policy(epsilon)

    def _evaluate_waiting(self) -> None:
        parts, size = list[_Part](), 0
        with self._lock:
            while self._waiting and size + len(self._waiting[0].states) <= self._most:
                parts.append(self._waiting.popleft())
                size += len(parts[-1].states)
        if not parts:
            return
        try:
            rows = np.arange(max(_LEAST, 1 << (size - 1).bit_length())) % size
            states = np.concatenate([each.states for each in parts])[rows]
            legal = np.concatenate([each.legal for each in parts])[rows]
            policies, values = self._inner.evaluate_batch(states, legal)
        except Exception as error:
            for part in parts:
                part.evaluation.set_exception(error)
            return
        at = 0
        for part in parts:
            own = slice(at, at := at + len(part.states))
            part.evaluation.set_result((policies[own], None if values is None else values[own]))
