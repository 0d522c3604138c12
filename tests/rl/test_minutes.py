"""Schedules of a game or a run, and runs whose length is a budget of time."""

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import rl.clock
import rl.self_play_engine
from anet import ANET
from base.storage import load_checkpoint, read_jsonl
from rl import schedule
from rl.clock import RunClock
from rl.run_directory import CHECKPOINT_KIND, nets_of
from rl.self_play_engine import play_elsewhere
from tests.project import Patch, Words
from tests.rl.conftest import BATCHED, EXPLOITER, SOME_EXPLOITED, RunMaker, ctrl_c, make_system

UNMEASURED = ("anet.runtime=torch", "anet.learning_precision=float32")
"""Else, a run of a minute measures which are the fastest."""


def test_simulations_grow_by_a_factor_with_each_move_within_limits() -> None:
    def simulations(first: int, growth: float, ply: int) -> int:
        words = f"mcts.simulations={first}", f"mcts.simulations_growth={growth}"
        return schedule.simulations(make_system(*words).params, ply)

    assert [simulations(100, 1.5, ply) for ply in range(3)] == [100, 150, 225]
    assert (simulations(100, 0.5, 2), simulations(3, 0.5, 168)) == (25, 1)
    assert simulations(10_000_000, 4, 168) == schedule.MAX_SIMULATIONS


def test_the_learning_rate_falls_linearly_to_its_end() -> None:
    def shares(*words: str) -> list[float]:
        params, done = make_system(*words).params, (0, 5, 10, 12)
        return [schedule.learning_rate(params, schedule.Progress(each, 10)) for each in done]

    end = "anet.learning_rate_end=0.2"
    assert shares() == [1.0] * 4
    assert shares(end) == pytest.approx([1.0, 0.6, 0.2, 0.2])
    late = [1.0, 1.0 - 0.8 / 1.5, 0.2, 0.2]
    assert shares(end, "anet.learning_rate_end_at=0.75") == pytest.approx(late)


def test_progress_is_a_share_of_episodes_or_of_time() -> None:
    episodes = make_system("rl.episodes=80").params
    assert schedule.progress(episodes, 20, 999.0) == (20, 80)
    minutes = make_system("rl.episodes=80", "rl.minutes=2", "rl.episodes_per_update=50").params
    assert schedule.progress(minutes, 20, 30.0) == (30.0, 120.0)
    assert not schedule.progress(minutes, 10_000, 119.0).is_over
    assert schedule.progress(minutes, 1, 120.5).is_over
    assert schedule.batch(minutes, 50) == range(51, 101), "no batch is cut"
    assert not schedule.ends_early(minutes, 80)


def test_every_schedule_is_stretched_to_the_time() -> None:
    words = "anet.learning_rate_end=0.2", "anet.critic=true", "rl.minutes=10"
    params = make_system(*words, "rl.exploiter=[0.5,1.0]", "rl.cached_nets=5").params
    at = [schedule.progress(params, 3, 60.0 * minutes) for minutes in (0, 5, 7.5, 10, 11)]
    shares = [schedule.learning_rate(params, each) for each in at]
    assert shares == pytest.approx([1.0, 0.6, 0.4, 0.2, 0.2])
    assert [schedule.nets_due(params, each) for each in at] == [1, 3, 4, 5, 5]
    assert [schedule.rounds_due(params, each) for each in at] == [0, 1, 1, 2, 2]


UPDATES = {
    "steady": [1.0] * 500,
    "slows down": [0.1] * 90 + [9.0] * 20,
    "a slow start": [50.0] + [1.0] * 90,
    "few": [13.0] * 9,
    "as many as nets": [20.0] * 6,
    "slower and slower": [1.05**update for update in range(60)],
}


@pytest.mark.parametrize("seconds", UPDATES.values(), ids=UPDATES)
def test_all_nets_are_saved_however_long_the_updates_take(seconds: list[float]) -> None:
    params = make_system(f"rl.minutes={100 / 60}", "rl.cached_nets=5").params
    ends = [end for end in itertools.accumulate(seconds) if end <= 100.0]
    saved = [0]
    for update, end in enumerate(ends, start=1):
        at = schedule.progress(params, update, end)
        if schedule.is_net_due(params, at, len(saved), update) or end == ends[-1]:
            saved.append(update)
    assert len(saved) == 5


@pytest.mark.usefixtures("each_look_takes_a_second")
def test_a_run_by_time_continues_with_its_remaining_time(make_run: RunMaker) -> None:
    words = ("rl.minutes=0.5", "rl.cached_nets=3")
    first = make_run("run", *words)
    with ctrl_c(RunClock, "note_update", 2):
        first.train()
    saved = load_checkpoint(first.run.checkpoint_path, CHECKPOINT_KIND).meta
    again = make_run("run", *words)
    again.resume()
    assert again.progress.done == saved["updated"] > 0
    assert again.progress.whole == 30
    again.train()
    assert again.is_over
    nets = [number for number, _ in nets_of(again.run.path)]
    assert (nets[0], nets[-1], len(nets)) == (0, again.episode, 3)
    longer = make_run("run", "rl.minutes=1", "rl.cached_nets=3")
    longer.resume()
    assert not longer.is_over


@pytest.fixture
def now(monkeypatch: Patch) -> SimpleNamespace:
    clock = SimpleNamespace(seconds=0.0)
    time = SimpleNamespace(perf_counter=lambda: clock.seconds, time=lambda: 1000.0 + clock.seconds)
    monkeypatch.setattr(rl.clock, "time", time)
    return clock


def test_time_is_reserved_for_an_update_as_long_as_earlier_ones(now: SimpleNamespace) -> None:
    now.seconds = 100.0
    clock = RunClock(make_system("rl.minutes=2").params)
    clock.start(began=92.0)  # the start has taken 8 seconds, the end will take 2
    assert clock.games_end() == pytest.approx(1100.0 + 0.75 * 110.0)
    now.seconds = 140.0  # 40 seconds of play, 10 of learning
    assert clock.note_games(is_cut=False) == 48.0
    now.seconds = 149.0
    list(clock.while_time_is_left([]))
    now.seconds = 150.0
    clock.note_update()
    assert clock.games_end() == 1200.0, "a whole batch fits in, and ten seconds after it"
    now.seconds = 200.0
    assert clock.games_end() == 1208.0, "of the ten seconds that are left, a fifth is for learning"
    assert clock.note_games(is_cut=True) == 120.0, "all is done"
    clock.start(began=180.0)  # on a busy machine the end takes longer
    assert clock.games_end() == 1295.0 - 10.0


def test_a_round_of_the_exploiter_is_no_part_of_an_update(now: SimpleNamespace) -> None:
    clock = RunClock(make_system("rl.minutes=2").params)
    now.seconds = 10.0
    clock.note_games(is_cut=False)
    list(clock.while_time_is_left(MINIBATCHES))
    now.seconds = 50.0
    clock.leave_out(40.0)
    clock.note_update()
    now.seconds = 110.0
    assert list(clock.while_time_is_left(MINIBATCHES)) == MINIBATCHES


MINIBATCHES = ["first", "second", "third"]


def test_after_its_minutes_a_run_trains_on_one_minibatch_and_without_minutes_on_all() -> None:
    endless, over = (RunClock(make_system(*words).params) for words in ((), ("rl.minutes=2",)))
    endless.before = over.before = 1e9
    assert endless.games_end() == math.inf
    assert list(endless.while_time_is_left(MINIBATCHES)) == MINIBATCHES
    assert list(over.while_time_is_left(MINIBATCHES)) == MINIBATCHES[:1]


@pytest.fixture
def end_after(monkeypatch: Patch) -> Callable[[int], None]:
    """Return what ends the time of a run after some calls of the clock by its engine."""
    looks = itertools.count()
    monkeypatch.setattr(rl.self_play_engine, "time", SimpleNamespace(time=lambda: next(looks)))
    return lambda end: monkeypatch.setattr(RunClock, "games_end", lambda self: end)


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        (30, ("rl.episodes_per_update=20",)),
        (30, ("rl.episodes_per_update=20", "rl.workers=2")),
        (75, (*BATCHED, *UNMEASURED, "rl.scheme=alphazero", "rl.episodes_per_update=200")),
    ],
    ids=["on_policy", "threads", "rows"],
)
def test_a_batch_ends_with_the_time_and_its_games_are_trained_on(
    make_run: RunMaker, end_after: Callable[[int], None], looks: int, words: Words
) -> None:
    end_after(looks)
    run = make_run.trained("run", *words, "rl.minutes=100")
    assert run.is_over
    assert 0 < run.episode < run.params.rl.episodes_per_update
    games = [line["episode"] for line in read_jsonl(run.run.games_path)]
    assert games == [*range(1, run.episode + 1)]
    assert [number for number, _ in nets_of(run.run.path)] == [0, run.episode]
    assert [line["episode"] for line in read_jsonl(run.run.metrics_path)] == [run.episode]
    again = make_run("run", *words, "rl.minutes=200")
    again.resume()
    assert again.progress == (6000.0, 12000.0)
    assert again.waiting == 0


@pytest.mark.parametrize("words", [EXPLOITER, SOME_EXPLOITED], ids=["all", "some"])
def test_when_the_time_is_up_no_round_of_the_exploiter_is_held(
    make_run: RunMaker, end_after: Callable[[int], None], words: Words
) -> None:
    end_after(400)
    long = ("rl.minutes=100", "rl.episodes_per_update=200")
    run = make_run.trained("run", *words, *UNMEASURED, *long)
    assert run.is_over
    assert run.episode % 200, "a batch was cut"
    assert run.hard_cases.rounds == 0


def test_a_round_of_the_exploiter_has_a_share_of_the_time_between(now: SimpleNamespace) -> None:
    clock = RunClock(make_system("rl.minutes=2").params)
    now.seconds = 40.0
    assert clock.round_end() == 60.0
    now.seconds = 55.0
    clock.leave_out(15.0)
    now.seconds = 59.0
    assert clock.round_end() == 61.0
    now.seconds = 110.0
    assert clock.round_end() == 118.0, "the end of the process takes 2 seconds"
    assert RunClock(make_system().params).round_end() == math.inf


@pytest.mark.parametrize("looks", [0, 25])
def test_the_last_weights_are_saved_and_measured_if_the_time_ends_before_any_game(
    make_run: RunMaker, end_after: Callable[[int], None], looks: int
) -> None:
    end_after(looks)
    run = make_run.trained("run", "rl.minutes=100", "rl.cached_nets=2", "rl.regret_positions=5")
    assert run.is_over
    assert [number for number, _ in nets_of(run.run.path)] == sorted({0, run.episode})
    measured = [line["episode"] for line in read_jsonl(run.run.metrics_path) if "regret" in line]
    assert measured == sorted({0, run.episode})


def test_elsewhere_no_game_starts_after_the_end_of_the_time() -> None:
    system = make_system("rl.engine=processes")
    net = ANET(system.game, system.params.anet)
    assert play_elsewhere(system.params, net.weights(), (), 0.0, [1]) == []
    assert len(play_elsewhere(system.params, net.weights(), (), math.inf, [1])) == 1
