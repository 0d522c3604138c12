"""How many cores self-play on a cluster can use: a simulation with measured costs.

    python -m benchmarks.queueing [--measure]

prints the table of docs/scale.md; ``--measure`` first measures the costs, in processor time of this
machine. A driver learns, sends tasks one after the other, and takes their results likewise; cores
play. A batch begins when its net is ready, see ``rl/self_play_engine.py``.
"""

import heapq
import json
import math
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

import base.cluster
from base.ray_cluster import Cluster
from base.storage import write_json
from benchmarks.timing import seconds
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, System, read_params
from rl import schedule
from rl.hooks import Update
from rl.self_play_engine import _play_elsewhere, _prepared

MEASURED = Path(__file__).with_name("queueing.json")

RUNS = {
    "5x5, on_policy": (DEFAULT_PARAMS, ["rl.episodes_per_update=100"]),
    "5x5, alphazero": (PRESETS["hex-5"], []),
    "7x7, alphazero": (PRESETS["hex-7"], ["rl.sizes={}"]),
}
"""Files of parameters, and changes."""
_CORES_A_NODE, _TASKS = 64, 250


@dataclass(frozen=True)
class Costs:
    """The costs of self-play, in seconds and bytes."""

    episode: float  # of a core, for an episode
    spread: float = 0.0  # its standard deviation, as a share
    together: int = 1  # episodes that share the batches of a task; fewer cost a task no less
    prepared: float = 0.0  # of a core, for the net that comes with a task
    task: float = 0.0  # of the driver, for a task and its result
    taken: float = 0.0  # of the driver, for a finished episode
    learned: float = 0.0  # of the driver, to learn from an episode
    update: float = 0.0  # of the driver, for the rest of the learning, once an update
    episode_bytes: float = 0.0  # of a finished episode
    net_bytes: float = 0.0  # sent to each node, once an update
    bandwidth: float = 1.25e9  # of the driver's network, in bytes a second


def bounds(costs: Costs, cores: int, episodes: int) -> dict[str, float]:
    """Return lower bounds on the time of an update, each as if all else took no time."""
    tasks = _tasks(costs, cores, episodes)
    rounds = -(-tasks // cores) * max(costs.together, episodes // tasks)
    return {
        "playing": rounds * costs.episode,
        "learning": costs.update + episodes * costs.learned,
        "sending": tasks * costs.task,
        "taking": episodes * (costs.taken + costs.episode_bytes / costs.bandwidth),
    }


def _tasks(costs: Costs, cores: int, episodes: int) -> int:
    most = -(-episodes // costs.together) if costs.together > 1 else min(episodes, 4 * cores)
    return min(cores, most) if costs.together > 1 else most


def seconds_an_update(
    costs: Costs, cores: int, episodes: int, lag: int = 0, updates: int = 12
) -> float:
    """Return the simulated seconds of an update in a run's second half; one more core learns."""
    rng = np.random.default_rng(1)
    tasks = _tasks(costs, cores, episodes)
    sizes = np.bincount(np.arange(episodes) % tasks)
    steady = costs.episode * np.maximum(sizes, costs.together)
    to_nodes = -(-min(cores, tasks) // _CORES_A_NODE) * costs.net_bytes / costs.bandwidth
    taken = costs.taken + costs.episode_bytes / costs.bandwidth
    free = [0.0] * cores
    sent = took = 0.0  # until when the driver is busy
    learned: list[float] = []
    for update in range(updates):
        begin = learned[update - 1 - lag] if update > lag else 0.0
        sent, finished = max(sent, begin), []
        noise = 1.0 + costs.spread * rng.standard_normal(tasks) / np.sqrt(sizes)
        played = (steady * np.maximum(0.0, noise)).tolist()
        for size, play in zip(sizes.tolist(), played, strict=True):
            sent += costs.task
            finished.append((max(free[0], sent + to_nodes) + costs.prepared + play, size))
            heapq.heapreplace(free, finished[-1][0])
        for core, size in sorted(finished):
            took = max(took, core) + size * taken
        learned.append(max([took, *learned[-1:]]) + costs.update + episodes * costs.learned)
    half = updates // 2
    return (learned[-1] - learned[half - 1]) / (updates - half)


def table() -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| run | cores | episodes an update | episodes a second (cores busy) | with a lag of 1 "
        "| what takes longest |",
        "|---|---|---|---|---|---|",
    ]
    for name, (values, own) in json.loads(MEASURED.read_text(encoding="utf-8")).items():
        costs = Costs(**values)
        for cores in (10, 100, 10_000):
            for episodes in sorted({own, max(own, cores * costs.together)}):
                limits = bounds(costs, cores, episodes)
                cells = [name, f"{cores:,}", f"{episodes:,}"]
                for lag in (0, 1):
                    rate = episodes / seconds_an_update(costs, cores, episodes, lag)
                    cells.append(f"{rate:,.0f} ({rate * costs.episode / cores:.1%})")
                cells.append(max(limits, key=limits.__getitem__))
                lines.append(f"| {' | '.join(cells)} |")
    return lines


def measure(file: Path, words: list[str]) -> tuple[Costs, int]:
    """Return the costs of a run with these parameters, and its episodes per update."""
    params = read_params(file, words)
    cluster = Cluster(None)
    cluster.map(abs, range(100))
    base.cluster._TASKS_A_CORE = _TASKS  # so that each job is a task
    task = seconds(lambda: cluster.map(abs, range(_TASKS))) / _TASKS
    search = _prepared(params).search
    with tempfile.TemporaryDirectory() as folder:
        run = System(params).rl_system(Path(folder) / "run")
        weights = run.anet.weights()
        _play_elsewhere(params, weights, (), math.inf, [1])  # so that all is loaded
        each, episodes = [], []
        for group in range(2 if search.games > 1 else 25):
            numbers = range(1 + group * search.games, 1 + (group + 1) * search.games)
            began = time.thread_time()
            episodes += _play_elsewhere(params, weights, (), math.inf, numbers)
            each.append((time.thread_time() - began) / len(numbers))
        job, results = pickle.dumps((params, weights)), pickle.dumps(episodes, protocol=5)
        player = _prepared(params)

        def learn() -> None:
            progress = schedule.progress(params, len(episodes), 0.0)
            update = Update(episodes, None, 0.0, progress, is_net_due=False)
            run._add_cases(update)
            run._train_anet(update)

        learned = least(learn)
        run.close()
    mean = float(np.mean(each))
    grows = params.rl.reuse is not None  # else it takes as long for any number of episodes
    costs = Costs(
        episode=mean,
        spread=float(np.std(each) * np.sqrt(search.games) / mean),
        together=search.games,
        prepared=least(lambda: player.take(pickle.loads(job)[1])),
        task=task,
        taken=least(lambda: pickle.loads(results)) / len(episodes),
        learned=learned / len(episodes) if grows else 0.0,
        update=0.0 if grows else learned,
        episode_bytes=len(results) / len(episodes),
        net_bytes=len(job),
    )
    return costs, params.rl.episodes_per_update


def least(work: Callable[[], object]) -> float:
    """Return the least processor seconds of three calls."""
    return min(seconds(work, time.thread_time) for _ in range(3))


if __name__ == "__main__":
    if "--measure" in sys.argv[1:]:
        costs = {name: measure(*each) for name, each in RUNS.items()}
        strong, episodes = costs["7x7, alphazero"]
        strong = replace(strong, episode=25 * strong.episode)
        costs["7x7, alphazero, 800 simulations"] = strong, episodes
        write_json(MEASURED, {name: (asdict(each), count) for name, (each, count) in costs.items()})
    print("\n".join(table()))
