"""Leaves of several threads in one batch: the same evaluations as alone."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anet.evaluator import Evaluator
from online.playhex import shared_evaluator
from online.playhex.bots import best_net
from online.playhex.shared_evaluator import SharedEvaluator
from state_manager import State, make_game
from tests.project import wait_until
from tests.random_play import random_game

GAME = make_game("hex", size=4)
STATES = np.stack(random_game(GAME, 1)[0][:-1])
LEGAL = GAME.legal_mask(STATES)


class Counting(Evaluator):
    """A net that keeps the sizes of its batches, and waits before each until it may go on."""

    def __init__(self) -> None:
        net: Any = best_net(GAME)
        self.net, self.game, self.params, self.facts = net, GAME, net.params, net.facts
        self.sizes, self.may, self.fails = list[int](), threading.Event(), False

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> Any:
        self.sizes.append(len(states))
        self.may.wait()
        if self.fails:
            raise RuntimeError("it failed")
        return self.net.evaluate_batch(states, legal, symmetric)


@pytest.fixture
def inner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    monkeypatch.setattr(shared_evaluator, "available_cores", lambda: 1)
    counting = Counting()
    yield counting
    counting.may.set()


def test_parts_of_several_threads_share_a_batch_and_are_as_alone(inner: Counting) -> None:
    truth, true_values = inner.net.evaluate_batch(STATES, LEGAL)
    sizes = [1, 2, 3, 2, 1]
    with ThreadPoolExecutor(1) as threads, ThreadPoolExecutor(len(sizes)) as searches:
        shared = SharedEvaluator(inner, threads)
        first = searches.submit(shared.evaluate_batch, STATES[:1], LEGAL[:1])
        wait_until(lambda: inner.sizes == [4])  # filled up
        rows = [slice(at, at + size) for at, size in enumerate(sizes)]
        parts = [searches.submit(shared.evaluate_batch, STATES[r], LEGAL[r]) for r in rows[1:]]
        wait_until(lambda: len(shared._waiting) == 4)
        inner.may.set()
        found: list[Any] = [first.result(), *(part.result() for part in parts)]
    assert inner.sizes == [4, 8]
    for row, (policies, values) in zip(rows, found, strict=True):
        np.testing.assert_allclose(policies, truth[row], atol=1e-5)
        np.testing.assert_allclose(values, np.asarray(true_values)[row], atol=1e-5)


def test_a_large_part_is_divided(inner: Counting) -> None:
    inner.may.set()
    many = np.concatenate([STATES] * 20)[:70]
    with ThreadPoolExecutor(1) as threads:
        shared = SharedEvaluator(inner, threads)
        policies, _ = shared.evaluate_batch(many, GAME.legal_mask(many))
        symmetric, _ = shared.evaluate_batch(STATES, LEGAL, symmetric=True)
    assert inner.sizes == [64, 8, len(STATES)]
    np.testing.assert_allclose(
        policies[:5], inner.net.evaluate_batch(many, GAME.legal_mask(many))[0][:5], atol=1e-5
    )
    np.testing.assert_array_equal(symmetric, inner.net.evaluate_batch(STATES, LEGAL, True)[0])


def test_an_error_reaches_all_whose_leaves_are_in_the_batch(inner: Counting) -> None:
    inner.fails = True
    inner.may.set()
    with ThreadPoolExecutor(1) as threads:
        shared = SharedEvaluator(inner, threads)
        with pytest.raises(RuntimeError, match="it failed"):
            shared.evaluate_batch(STATES, LEGAL)
        inner.fails = False
        assert len(shared.evaluate_batch(STATES, LEGAL)[0]) == len(STATES)


def test_all_who_ask_for_a_runtime_share_it(inner: Counting) -> None:
    with ThreadPoolExecutor(1) as threads:
        shared = SharedEvaluator(inner, threads)
        assert shared.in_runtime("torch", "float32") is shared.in_runtime("torch", "float32")
        assert shared.in_runtime("torch", "float32") is not shared.in_runtime("torch", "float32", 2)
