"""What self-play on a cluster costs on this machine, in processor time: ``benchmarks.queueing``.

python -m benchmarks.cluster_costs
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
from base.cluster import connect, connected
from base.storage import write_json
from benchmarks.queueing import MEASURED, Costs
from benchmarks.timing import preset_params, seconds
from hex_mcts.system import System
from rl import schedule
from rl.self_play_engine import _play_elsewhere, _prepared

RUNS = {
    "5x5, on_policy": "game.size=5 rl.episodes_per_update=100",
    "5x5, alphazero": "game.size=5 rl.scheme=alphazero",
    "7x7, alphazero": "game.size=7 rl.scheme=alphazero",
}
_TASKS = 250


def measure(words: list[str]) -> tuple[Costs, int]:
    """Measure a run with these words, in processor time of this machine."""
    params = preset_params(words)
    connect(None)
    cluster = connected()
    assert cluster is not None
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
            run._add_cases(episodes)
            run._train_anet(len(episodes), schedule.progress(params, len(episodes), 0.0))

        learned = _least(learn)
        run.close()
    mean = float(np.mean(each))
    grows = params.rl.reuse is not None  # else it takes as long for any number of episodes
    costs = Costs(
        episode=mean,
        spread=float(np.std(each) * np.sqrt(search.games) / mean),
        together=search.games,
        prepared=_least(lambda: player.take(pickle.loads(job)[1])),
        task=task,
        taken=_least(lambda: pickle.loads(results)) / len(episodes),
        learned=learned / len(episodes) if grows else 0.0,
        update=0.0 if grows else learned,
        episode_bytes=len(results) / len(episodes),
        net_bytes=len(job),
    )
    return costs, params.rl.episodes_per_update


def _least(work: Callable[[], object]) -> float:
    return min(seconds(work, time.thread_time) for _ in range(3))


if __name__ == "__main__":
    costs = {name: measure(words.split()) for name, words in RUNS.items()}
    strong, episodes = costs["7x7, alphazero"]
    costs["7x7, alphazero, 800 simulations"] = (
        replace(strong, episode=25 * strong.episode),
        episodes,
    )
    write_json(MEASURED, {name: (asdict(each), count) for name, (each, count) in costs.items()})
