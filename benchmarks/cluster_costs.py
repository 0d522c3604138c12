"""What self-play on a cluster costs on this machine, in processor time: ``benchmarks.queueing``.

python -m benchmarks.cluster_costs game.size=5 rl.scheme=alphazero
"""

from __future__ import annotations

import math
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

import base.cluster
from base.ray_cluster import Cluster
from base.storage import write_json
from benchmarks.queueing import MEASURED, Costs
from hex_mcts.system import System, find_preset, read_params
from main import DEFAULT_PARAMS
from rl import schedule
from rl.self_play_engine import _play_elsewhere, _prepared

RUNS = {
    "5x5, on_policy": "game.size=5 rl.episodes_per_update=100",
    "5x5, alphazero": "game.size=5 rl.scheme=alphazero",
    "7x7, alphazero": "game.size=7 rl.scheme=alphazero",
}
_TASKS = 250


def measure(words: list[str]) -> tuple[Costs, int]:
    """Measure what a run with these words takes, in processor time of this machine."""
    preset = find_preset(DEFAULT_PARAMS, words, True)
    params = read_params(DEFAULT_PARAMS, words, [preset] if preset else [], True)
    cluster = Cluster(None)
    cluster.map(abs, range(100))
    base.cluster._TASKS_A_CORE = _TASKS  # so that there is a task for each job
    began = time.process_time()
    cluster.map(abs, range(_TASKS))
    task = (time.process_time() - began) / _TASKS
    search = _prepared(params).search
    with tempfile.TemporaryDirectory() as folder:
        run = System(params).rl_system(Path(folder) / "run")
        weights = run.anet.weights()
        _play_elsewhere(params, weights, (), math.inf, [1])  # so that all is loaded
        seconds, episodes = [], []
        for group in range(2 if search.games > 1 else 25):
            numbers = range(1 + group * search.games, 1 + (group + 1) * search.games)
            began = time.thread_time()
            episodes += _play_elsewhere(params, weights, (), math.inf, numbers)
            seconds.append((time.thread_time() - began) / len(numbers))
        job, came = pickle.dumps((params, weights)), pickle.dumps(episodes, protocol=5)
        player = _prepared(params)
        prepared = _least(lambda: player.take(pickle.loads(job)[1]))
        taken = _least(lambda: pickle.loads(came)) / len(episodes)

        def learn() -> None:
            run._add_cases(episodes)
            run._train_anet(len(episodes), schedule.progress(params, len(episodes), 0.0))

        learned = _least(learn)
        run.close()
    each = float(np.mean(seconds))
    grows = params.rl.reuse is not None  # else it takes as long for any number of episodes
    costs = Costs(
        episode=each,
        spread=float(np.std(seconds) * np.sqrt(search.games) / each),
        together=search.games,
        prepared=prepared,
        task=task,
        taken=taken,
        learned=learned / len(episodes) if grows else 0.0,
        update=0.0 if grows else learned,
        episode_bytes=len(came) / len(episodes),
        net_bytes=len(job),
    )
    return costs, params.rl.episodes_per_update


def _least(work: Callable[[], object]) -> float:
    """Return the least processor time that some work took, in seconds."""
    seconds = []
    for _ in range(3):
        began = time.thread_time()
        work()
        seconds.append(time.thread_time() - began)
    return min(seconds)


def main() -> None:
    """Measure all runs, and write what ``benchmarks.queueing`` reads."""
    costs = {name: measure(words.split()) for name, words in RUNS.items()}
    name = "7x7, alphazero"
    (strong, episodes) = costs[name]
    costs[f"{name}, 800 simulations"] = replace(strong, episode=25 * strong.episode), episodes
    kept = {name: (asdict(each), episodes) for name, (each, episodes) in costs.items()}
    write_json(MEASURED, kept)


if __name__ == "__main__":
    main()
