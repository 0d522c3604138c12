"""A Ray cluster of three nodes in this machine: the nets of threads, whatever dies meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import base.cluster
import main
from base.cluster import ClusterError, connected, disconnect
from tests.project import PATIENCE
from tests.rl.conftest import TINY, RunMaker, assert_same_run, stopped_training
from tests.rl.test_batched_nets import BATCHED

pytest.importorskip("ray", reason="needs the extra ray, which has no build for this machine")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Ray has no clusters on Windows"),
    # Ray leaves it to the end of its processes to close files and sockets.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]

WAYS = {
    "on_policy": ("rl.episodes=10", "rl.episodes_per_update=4"),
    "expert_iteration": ("rl.scheme=expert_iteration", "rl.episodes_per_update=2"),
    "rows and gating": (*BATCHED, "rl.scheme=alphazero", "rl.episodes_per_update=5"),
    "lag": ("rl.episodes=8", "rl.episodes_per_update=2", "rl.lag=2"),
}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Start three nodes of one core each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    started = Cluster(True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        started.add_node(num_cpus=1)
    yield started
    started.shutdown()


@pytest.fixture(scope="module")
def connection(nodes: Any) -> Iterator[base.cluster.Cluster]:
    """Connect to them, once for all tests: processes that begin to work load much."""
    cluster = base.cluster.Cluster(nodes.address)
    yield cluster
    base.cluster._connected = cluster
    disconnect()


@pytest.fixture
def on_ray(
    nodes: Any, connection: base.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """Return the words that connect to the three nodes."""
    monkeypatch.setattr(base.cluster, "_connected", None)
    monkeypatch.setattr(base.cluster, "Cluster", lambda address: connection)
    return "rl.engine=ray", f"rl.ray_address={nodes.address}"


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_three_nodes_give_the_nets_of_a_thread(
    make_run: RunMaker, on_ray: tuple[str, str], words: tuple[str, ...]
) -> None:
    one = make_run("one", *words)
    one.train()
    other = make_run("other", *words, *on_ray)
    cluster = connected()
    assert cluster is not None
    assert cluster.cores == 3
    other.train()
    assert_same_run(one, other)


def test_a_node_that_is_killed_while_it_plays_changes_nothing(
    make_run: RunMaker, nodes: Any, on_ray: tuple[str, str]
) -> None:
    words = ("rl.episodes=24", "rl.episodes_per_update=12", "mcts.simulations=4000")
    one = make_run("one", *words)
    one.train()
    other = make_run("other", *words, *on_ray)
    node = nodes.add_node(num_cpus=1)
    killed = threading.Event()

    def kill() -> None:
        nodes.remove_node(node, allow_graceful=False)
        killed.set()

    in_a_moment = threading.Timer(0.2, kill)

    def kill_in_a_moment(record: dict[str, Any]) -> None:
        if record["episode"] == 12:  # the first of two updates
            in_a_moment.start()

    other.train(on_update=kill_in_a_moment)
    assert killed.wait(PATIENCE)
    assert_same_run(one, other)


def dying(folder: Path, number: int) -> int:
    """Return the square of a number; whoever does so first for 7 or 17 runs out of memory."""
    mark = folder / f"{number} was here"
    if number in (7, 17) and not mark.exists():
        mark.touch()
        if number == 7:
            os.kill(os.getpid(), signal.SIGKILL)  # as the system does to who takes too much
        raise MemoryError
    return number**2


def test_the_job_of_a_worker_that_runs_out_of_memory_is_done_again(
    connection: base.cluster.Cluster, tmp_path: Path
) -> None:
    squares = connection.map(partial(dying, tmp_path), range(40))
    assert squares == [number**2 for number in range(40)]
    assert len(list(tmp_path.iterdir())) == 2


def fail(number: int) -> int:
    raise ValueError(f"no square of {number}")


def test_an_error_in_a_job_is_the_error_that_it_would_be_here(
    connection: base.cluster.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="no square of"):
        connection.map(fail, range(3))
    monkeypatch.setattr(base.cluster, "_program", lambda: "another")
    with pytest.raises(ClusterError, match="expected this very program"):
        connection.map(fail, range(3))


def test_a_run_that_is_ended_and_then_killed_goes_on_as_if_nothing_had_been(
    make_run: RunMaker, nodes: Any, tmp_path: Path
) -> None:
    words = (
        *TINY,
        *("rl.episodes=40", "rl.episodes_per_update=4", "rl.lag=1", "mcts.simulations=1500"),
    )
    one = make_run("one", *words)
    one.train()
    there = (*words, "rl.engine=ray", f"rl.ray_address={nodes.address}")
    status, output = stopped_training(tmp_path / "other", there, 2, signal.SIGINT)
    assert status == 130
    assert "Stopped after episode" in output
    stopped_training(tmp_path / "other", (*there, "--resume"), 5, signal.SIGKILL)
    other = make_run("other", *words)  # on threads
    other.resume()
    other.train()
    assert_same_run(one, other)


def test_matches_and_proofs_on_three_nodes_are_those_of_here(
    on_ray: tuple[str, str], make_run: RunMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = make_run("run", "rl.episodes=4")
    run.train()
    nets = [str(path) for path in sorted(run.run.path.glob("anet_*.pt"))]
    match = ("compare", "mcts", *(f"anet:{net}" for net in nets[:2]), "--games", "6")
    match += ("--simulations", "20", "--workers", "1")
    proof = ("certify", "--net", nets[0])
    tournament = ("topp", *nets, "topp.games=6", "display.mode=off")
    for folder, words in (("here", ()), ("there", on_ray)):
        assert main.main([*match, "--out", folder, *words]) == 0
        assert main.main([*proof, "--out", f"{folder}/proof.json", *words]) == 1  # it is untrained
        assert main.main([*tournament, *words]) == 0
        Path("runs").rename(f"{folder}/topp")
    assert connected() is not None
    files = ["games.jsonl", "proof.json", "topp/*/standings.json"]
    here, there = ([next(Path(f).glob(e)).read_bytes() for e in files] for f in ("here", "there"))
    assert here == there


def test_what_keeps_from_having_a_cluster_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ClusterError, match="no Ray cluster that can be used"):
        base.cluster.Cluster("127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main.main(["train", "rl.engine=ray"]) == 1
    assert main.main(["train", "rl.ray_address=auto"]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    missing, useless = errors.splitlines()
    how = "pip install -c constraints.txt -e .[ray]"
    assert missing == f"main.py train: rl.engine=ray: the package ray is missing; {how}"
    assert useless.endswith("rl.ray_address: expected rl.engine=ray with it, got threads")
