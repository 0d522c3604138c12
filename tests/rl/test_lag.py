"""Self-play with a net that is some updates old: a rule assigns a net to each episode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from base.params import ParamsError
from rl import schedule
from rl.self_play_engine import SelfPlayEngine
from tests.rl.conftest import ALPHAZERO, BATCHED, RunMaker, assert_same_run, make_system, nets_of

LAGGING = ("rl.episodes=11", "rl.episodes_per_update=2", "rl.cached_nets=7", "rl.lag=2")
WAYS = {
    "on_policy": LAGGING,
    "alphazero": (*LAGGING, *ALPHAZERO, "rl.episodes_per_update=2"),
    "groups that draw together": (
        *LAGGING,
        *BATCHED,
        "rl.scheme=expert_iteration",
        "anet.critic=true",
        "rl.sigma=0.5",
    ),
    "rows": (
        *LAGGING,
        *BATCHED,
        "rl.scheme=alphazero",
    ),
}


def test_a_batch_and_those_that_are_played_during_its_update() -> None:
    params = make_system(*LAGGING).params
    assert schedule.batches(params, 0) == [range(1, 3), range(3, 5), range(5, 7)]
    assert schedule.batches(params, 8) == [range(9, 11), range(11, 12)]
    assert schedule.batches(params, 11) == [range(12, 12)]


def test_a_batch_is_played_with_the_net_of_rl_lag_updates_before(
    make_run: RunMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: dict[int, Any] = {}
    play = SelfPlayEngine.play

    def note(self: SelfPlayEngine, numbers: range, *rest: Any) -> None:
        *_, played[numbers[0] - 1], _ = rest
        play(self, numbers, *rest)

    monkeypatch.setattr(SelfPlayEngine, "play", note)
    run = make_run("run", *LAGGING)
    learned = {0: run.anet.weights()}
    run.train(on_update=lambda record: learned.update({record["episode"]: run.anet.weights()}))
    assert sorted(played) == [0, 2, 4, 6, 8, 10]
    for episode, weights in played.items():
        expected = learned[max(0, episode - 4)]
        assert all(np.array_equal(weights[name], expected[name]) for name in expected)


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_neither_threads_nor_interruptions_change_anything(
    make_run: RunMaker, words: tuple[str, ...]
) -> None:
    one, other = make_run.trained("one", *words), make_run.trained("other", *words, "rl.workers=3")
    assert_same_run(one, other)
    on_policy = make_run.trained("on policy", *words, "rl.lag=0")
    assert nets_of(one).keys() == nets_of(on_policy).keys()
    assert nets_of(one) != nets_of(on_policy)


@pytest.mark.parametrize("stop", [1, 3])
@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_an_interrupted_run_continues_with_the_same_older_nets(
    make_run: RunMaker, words: tuple[str, ...], stop: int
) -> None:
    one = make_run.trained("one", *words)
    updates: list[object] = []

    def press(record: object) -> None:
        updates.append(record)
        if len(updates) == stop:
            raise KeyboardInterrupt

    broken = make_run("broken", *words)
    with pytest.raises(KeyboardInterrupt):
        broken.train(on_update=press)
    resumed = make_run.resumed("broken", *words)
    assert_same_run(one, resumed)


def test_an_extended_run_equals_the_longer_run(make_run: RunMaker, tmp_path: Path) -> None:
    words = (*LAGGING, "rl.cached_nets=2")
    one = make_run.trained("one", *words, "rl.episodes=15")
    make_run.trained("other", *words)
    other = make_run.resumed("other", *words, "rl.episodes=15")
    names = {path.name for path in tmp_path.glob("*/anet_00015.pt")}
    assert names == {"anet_00015.pt"}
    assert nets_of(one)["anet_00015.pt"] == nets_of(other)["anet_00015.pt"]


def test_an_exploiter_reads_the_net_that_plays() -> None:
    with pytest.raises(ParamsError, match=r"rl.exploiter: expected \[\] with rl.lag=1"):
        make_system("rl.lag=1", "rl.exploiter=[1.0]", "anet.critic=true")
