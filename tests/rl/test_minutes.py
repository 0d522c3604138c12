"""Runs whose length is a budget of time."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from base.storage import load_checkpoint
from rl import RLSystem, schedule
from rl.exploiter import Exploiter
from rl.run_directory import CHECKPOINT_KIND, nets_of
from tests.rl.conftest import RunMaker, make_system


@pytest.fixture
def _each_look_takes_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a clock show one second more each time that a run reads how long it has trained."""
    clocks: dict[int, Any] = {}

    def seconds(self: RLSystem) -> float:
        clock = clocks.setdefault(id(self), itertools.count(1))
        return self._seconds_before + float(next(clock))

    monkeypatch.setattr(RLSystem, "_seconds", seconds)


def test_progress_is_a_share_of_episodes_or_of_time() -> None:
    episodes = make_system("rl.episodes=80").params
    assert schedule.progress(episodes, 20, 999.0) == (20, 80)
    minutes = make_system("rl.episodes=80", "rl.minutes=2").params
    assert schedule.progress(minutes, 20, 30.0) == (30.0, 120.0)
    assert not schedule.progress(minutes, 10_000, 119.0).is_over
    assert schedule.progress(minutes, 1, 120.5).is_over


def test_every_schedule_is_stretched_to_the_time() -> None:
    words = (
        *("anet.learning_rate_end=0.2", "anet.critic=true"),
        *("rl.minutes=10", "rl.exploiter=[0.5,1.0]"),
    )
    params = make_system(*words, "rl.cached_nets=5").params
    at = [schedule.progress(params, 3, 60.0 * minutes) for minutes in (0, 5, 7.5, 10, 11)]
    shares = [schedule.learning_rate(params, each) for each in at]
    assert shares == pytest.approx([1.0, 0.6, 0.4, 0.2, 0.2])
    assert [schedule.nets_due(params, each) for each in at] == [1, 3, 4, 5, 5]
    game = make_system(*words).game
    exploiter = Exploiter(game, params, None)  # type: ignore[arg-type]
    assert [exploiter.is_due(each) for each in at] == [False, True, True, True, True]
    exploiter.rounds = 1
    assert [exploiter.is_due(each) for each in at] == [False, False, False, True, True]


def test_a_batch_is_never_cut_where_time_is_the_budget() -> None:
    params = make_system("rl.episodes=6", "rl.minutes=1", "rl.episodes_per_update=4").params
    assert schedule.batch(params, 4) == range(5, 9)
    assert not schedule.ends_early(params, 6)


@pytest.mark.usefixtures("_each_look_takes_a_second")
def test_the_run_ends_with_the_time_and_the_last_weights_are_saved(make_run: RunMaker) -> None:
    run = make_run("run", "rl.minutes=0.25", "rl.cached_nets=3")
    run.train()
    nets = [number for number, _ in nets_of(run.run.path)]
    assert run.is_over
    assert nets[0] == 0
    assert nets[-1] == run.episode > 1
    assert len(nets) == 3


@pytest.mark.usefixtures("_each_look_takes_a_second")
def test_a_run_by_time_goes_on_where_its_time_stood(make_run: RunMaker) -> None:
    words = ("rl.minutes=0.5", "rl.cached_nets=2")

    class StopError(Exception):
        pass

    def stop(record: dict[str, Any]) -> None:
        if record["episode"] == 2:
            raise StopError

    first = make_run("run", *words)
    with pytest.raises(StopError):
        first.train(on_update=stop)
    first.close()
    saved = load_checkpoint(first.run.checkpoint_path, CHECKPOINT_KIND).meta
    again = make_run("run", *words)
    again.resume()
    assert again.progress.done == saved["updated"] > 0
    assert again.progress.whole == 30
    again.train()
    assert again.is_over
    assert again.run.net_path(again.episode).exists()
    again.close()
    longer = make_run("run", "rl.minutes=1", "rl.cached_nets=2")
    longer.resume()
    assert not longer.is_over
