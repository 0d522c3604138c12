"""A Ray cluster of two nodes in this machine: the same nets as threads, despite crashes."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

import base.ray_cluster
import main
from base.cluster import ClusterError
from base.ray_cluster import Cluster
from tests.project import ROOT, TIMEOUT, Patch, Words
from tests.rl.conftest import BATCHED, TINY, RunMaker, assert_same_run, stopped_training
from tests.rl.jobs import fail, first_of, square_or_die

pytest.importorskip("ray", reason="needs the extra ray, which has no build for this machine")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Ray has no clusters on Windows"),
    # Ray leaves it to the end of its processes to close files and sockets.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]

WAYS = {
    "expert_iteration": ("rl.scheme=expert_iteration", "rl.episodes_per_update=2"),
    "slots and gating": (*BATCHED, "rl.scheme=alphazero", "rl.episodes_per_update=5"),
}


@pytest.fixture(scope="module", autouse=True)
def alone() -> Iterator[None]:
    """Let one process at a time have clusters: two that start can take each other's ports."""
    with FileLock(Path(tempfile.gettempdir()) / "ray_of_the_tests.lock"):
        yield


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    from ray.cluster_utils import Cluster as Nodes

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    started = Nodes(True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    started.add_node(num_cpus=1)
    yield started
    started.shutdown()


@pytest.fixture(scope="module")
def connection(nodes: Any) -> Iterator[Cluster]:
    """Connect to them, once for all tests: processes that begin to work load much."""
    cluster = Cluster(nodes.address)
    yield cluster
    cluster._ray.shutdown()


@pytest.fixture
def on_ray(nodes: Any, connection: Cluster, monkeypatch: Patch) -> Words:
    monkeypatch.setattr(base.ray_cluster, "Cluster", lambda address: connection)
    return "rl.engine=ray", f"rl.ray_address={nodes.address}"


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_two_nodes_train_the_same(make_run: RunMaker, on_ray: Words, words: Words) -> None:
    one = make_run.trained("one", *words)
    other = make_run("other", *words, *on_ray)
    assert other._engine.cluster is not None
    assert other._engine.cluster.cores == 2
    other.train()
    assert_same_run(one, other)


def test_a_killed_node_changes_nothing(make_run: RunMaker, nodes: Any, on_ray: Words) -> None:
    words = ("rl.episodes=24", "rl.episodes_per_update=12", "mcts.simulations=4000")
    one = make_run.trained("one", *words)
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
    assert killed.wait(TIMEOUT)
    assert_same_run(one, other)


def test_a_job_is_repeated_and_may_write_to_arrays(connection: Cluster, tmp_path: Path) -> None:
    squares = connection.map(partial(square_or_die, tmp_path), range(40))
    assert squares == [number**2 for number in range(40)]
    assert len(list(tmp_path.iterdir())) == 2
    large = np.zeros(10**6, np.int64)  # read-only in Ray itself
    assert connection.map(partial(first_of, large), range(3)) == [1, 1, 1]


def test_an_error_in_a_job_is_raised_unchanged(connection: Cluster, monkeypatch: Patch) -> None:
    with pytest.raises(ValueError, match="no square of"):
        connection.map(fail, range(3))
    monkeypatch.setattr(base.ray_cluster, "_program", lambda: "another")
    with pytest.raises(ClusterError, match="expected this very program"):
        connection.map(fail, range(3))


def test_a_killed_run_goes_on_unchanged(make_run: RunMaker, nodes: Any, tmp_path: Path) -> None:
    words = (
        *(*TINY, "rl.episodes=1000000", "rl.cached_nets=2"),
        *("rl.episodes_per_update=4", "mcts.simulations=1500"),
    )
    there = (*words, "rl.engine=ray", f"rl.ray_address={nodes.address}")
    status, output = stopped_training(tmp_path / "other", there, 2, signal.SIGINT)
    assert status == 130
    assert "Stopped after episode" in output
    stopped_training(tmp_path / "other", (*there, "--resume"), 5, signal.SIGKILL)
    other = make_run("other", *words)  # on threads
    other.resume()
    length = f"rl.episodes={other.episode + 20}"
    one = make_run.trained("one", *words, length)
    assert_same_run(one, make_run.resumed("other", *words, length))


def test_matches_and_proofs_on_two_nodes_equal_local_ones(
    on_ray: Words, make_run: RunMaker, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = make_run.trained("run", "rl.episodes=4")
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
    files = ["games.jsonl", "proof.json", "topp/*/standings.json"]
    here, there = ([next(Path(f).glob(e)).read_bytes() for e in files] for f in ("here", "there"))
    assert here == there


@contextmanager
def listening(reply: bytes | None) -> Iterator[str]:
    """Yield the address of a socket that accepts no connection, or sends a reply and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(reply or b"")

        if reply is not None:
            threading.Thread(target=answer, daemon=True).start()
        yield "127.0.0.1:{1}".format(*server.getsockname())


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (None, "timed out"),
        (b"", "expected HTTP/2 from it, got b''"),
        (b"HTTP/1.0 400\r\n", "got b'HTTP/1.0 '"),
        (None, "refused"),
    ],
    ids=["no reply", "closed", "another server", "nothing"],
)
def test_an_address_that_does_not_reply_like_ray_is_reported_in_one_line(
    monkeypatch: Patch, reply: bytes | None, words: str
) -> None:
    limit = 0.2 if words == "timed out" else TIMEOUT  # a reply may take a while to come
    monkeypatch.setattr(base.ray_cluster, "_GREETING_SECONDS", limit)
    with listening(reply) as address, pytest.raises(ClusterError) as error:
        Cluster("127.0.0.1:1" if words == "refused" else address)
    assert re.match(r"rl\.ray_address=[\d.:]+: no Ray cluster that can be used", str(error.value))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_ctrl_c_and_a_time_limit_end_a_connection_that_hangs() -> None:
    done = threading.Event()

    def hang() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.wait()

    for limit in (None, TIMEOUT):
        with pytest.raises(KeyboardInterrupt):
            base.ray_cluster._wait_for(hang, limit)
    with pytest.raises(TimeoutError, match=r"it has not answered for 0\.01 s"):
        base.ray_cluster._wait_for(done.wait, 0.01)
    done.set()


ALONE = """
import contextlib, os, psutil, signal, time
from base.cluster import ClusterError
from base.ray_cluster import Cluster
before = signal.getsignal(signal.SIGTERM)
cluster = Cluster(None)
assert signal.getsignal(signal.SIGTERM) is before
assert cluster.map(abs, [-1, -2]) == [1, 2]
sockets = []
for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
    with contextlib.suppress(psutil.NoSuchProcess):  # Ray begins and ends some all the time
        sockets += process.net_connections("inet")
print(*{each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN})
(raylet,) = [each for each in psutil.Process().children() if each.name() == "raylet"]
try:
    cluster.share_out(time.sleep, [1] * 1000, lambda place, results: None, raylet.kill)
except ClusterError as error:
    print(error, flush=True)
os.kill(os.getpid(), signal.SIGKILL)  # Ray would wait for the raylet
"""


def test_a_local_cluster_listens_at_the_loopback_address_and_reports_a_dead_raylet() -> None:
    words = [sys.executable, "-c", ALONE]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    addresses, *errors = done.stdout.splitlines()
    assert {*addresses.split()} <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert addresses
    assert any("its raylet, has ended" in error for error in errors)


def test_a_missing_ray_is_one_line(monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main.main(["train", "rl.engine=ray"]) == 1
    line = "main.py train: rl.engine=ray: the package ray is missing; "
    assert capsys.readouterr() == ("", f"{line}pip install -c constraints.txt -e .[ray]\n")
