"""Self-play in processes of this machine: the same nets as threads, and a dying process."""

import os
import signal
import sys
import time
from collections.abc import Iterator

import pytest

import base.cluster
from base.cluster import ClusterError, LocalProcesses
from tests.project import Patch, Words
from tests.rl.conftest import BATCHED, RunMaker, assert_same_run
from tests.rl.jobs import die, fail, give_back, process_number, take_much

WAYS = {
    "on_policy": ("rl.episodes=10", "rl.episodes_per_update=4"),
    "sizes": (
        *BATCHED,
        "anet.network=pooled",
        "rl.scheme=alphazero",
        "rl.gating_games=0",
        "rl.sizes={3: 1, 4: 1}",
    ),
    "slots and gating": (*BATCHED, "rl.scheme=alphazero", "rl.episodes_per_update=5"),
}


@pytest.fixture(scope="module")
def processes() -> Iterator[LocalProcesses]:
    """Return two processes; they load much when they begin, so all tests share them."""
    two = LocalProcesses(2)
    yield two
    two.end()


@pytest.fixture(autouse=True)
def processes_do_the_jobs(processes: LocalProcesses, monkeypatch: Patch) -> None:
    monkeypatch.setattr(base.cluster, "LocalProcesses", lambda count: processes)


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_processes_train_the_nets_of_a_thread(make_run: RunMaker, words: Words) -> None:
    one = make_run.trained("one", *words)
    other = make_run("other", *words, "rl.engine=processes", "rl.workers=2")
    assert other._engine.cluster is not None
    assert other._engine.cluster.cores == 2
    other.train()
    assert_same_run(one, other)


def test_an_error_in_a_job_is_raised_unchanged(processes: LocalProcesses) -> None:
    assert processes.map(abs, [-1, 2, -3]) == [1, 2, 3]
    with pytest.raises(ValueError, match="no square of"):
        processes.map(fail, range(3))
    assert processes.map(abs, [-1, 2, -3]) == [1, 2, 3]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_process_that_dies_ends_the_run_in_one_line(processes: LocalProcesses) -> None:
    with pytest.raises(ClusterError, match="one of them died"):
        processes.map(die, range(3))
    assert processes.map(abs, [-1, 2, -3]) == [1, 2, 3]
    os.kill(processes.map(process_number, range(2))[0], signal.SIGKILL)  # without work
    while processes._pool._flags.broken is None:
        time.sleep(0.01)
    with pytest.raises(ClusterError, match="one of them died"):
        processes.map(abs, [-1, 2, -3])
    assert processes.map(abs, [-1, 2, -3]) == [1, 2, 3]


def test_a_process_that_takes_much_memory_stays(processes: LocalProcesses) -> None:
    processes.map(process_number, range(8))
    before = set(processes._pool._processes)
    assert max(processes.map(take_much, range(2))) >= 400_000_000
    assert set(processes.map(process_number, range(100))) <= before
    processes.map(give_back, range(8))
    assert set(processes._pool._processes) == before
