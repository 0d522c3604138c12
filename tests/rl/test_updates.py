"""An update of the net is complete or has no effect, wherever Ctrl-C comes."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from agents.match import GameRecord
from agents.match.game import GameInPlay
from anet import ANET, Minibatch, TrainingMetrics
from base.cluster import Map
from tests.rl.conftest import ALPHAZERO, RunMaker, assert_same_run


@pytest.mark.parametrize("game", [1, 4, 6])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_update_that_is_interrupted_during_gating_is_repeated(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch, game: int, workers: int
) -> None:
    words = (*ALPHAZERO, "rl.replay_buffer_size=20", f"rl.workers={workers}")
    whole = make_run.trained("whole", *words)
    ended, end = 0, GameInPlay.end

    def interrupting(one: GameInPlay) -> GameRecord:
        nonlocal ended
        ended += 1
        if ended == game:
            raise KeyboardInterrupt
        return end(one)

    monkeypatch.setattr(GameInPlay, "end", interrupting)
    parts = make_run("parts", *words)
    with pytest.raises(KeyboardInterrupt):
        parts.train()
    assert (parts.episode, parts.waiting) == ((0, 3) if game <= 4 else (3, 3))

    parts = make_run.resumed("parts", *words)
    assert_same_run(whole, parts)


@pytest.mark.parametrize("words", [(), ALPHAZERO, ("rl.replay_buffer_size=16",)])
def test_an_update_that_is_interrupted_during_training_is_repeated(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    whole = make_run.trained("whole", *words)
    steps, train = 0, ANET.train

    def interrupting(self: ANET, minibatch: Minibatch, sharing: Map) -> TrainingMetrics:
        nonlocal steps
        steps += 1
        if steps == 5:
            raise KeyboardInterrupt
        return train(self, minibatch, sharing)

    monkeypatch.setattr(ANET, "train", interrupting)
    parts = make_run("parts", *words)
    with pytest.raises(KeyboardInterrupt):
        parts.train()
    parts = make_run.resumed("parts", *words)
    assert_same_run(whole, parts)


def test_ctrl_c_does_not_wait_for_the_end_of_an_update(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, train = 0, ANET.train

    def pressing(self: ANET, minibatch: Minibatch, sharing: Map) -> TrainingMetrics:
        nonlocal steps
        steps += 1
        if steps == 4:
            signal.raise_signal(signal.SIGINT)
        return train(self, minibatch, sharing)

    monkeypatch.setattr(ANET, "train", pressing)
    parts = make_run("parts", "rl.minibatches=3")
    with pytest.raises(KeyboardInterrupt):
        parts.train()
    assert (steps, parts.episode, parts.waiting) == (4, 1, 1)


def test_each_update_learns_at_the_rate_of_the_schedule(make_run: RunMaker) -> None:
    rl_system, shares = make_run("run", "anet.learning_rate_end=0.4"), list[float]()

    def on_update(record: dict[str, Any]) -> None:
        rate = rl_system.anet._optimizer.param_groups[0]["lr"]
        shares.append(rate / rl_system.params.anet.learning_rate)

    rl_system.train(on_update=on_update)
    assert shares == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
