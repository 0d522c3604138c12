"""What an episode of self-play costs a core that plays, and the process that learns (the driver).

    python -m benchmarks.episode_costs

The table of docs/scale.md, in processor time of this machine.
"""

import math
import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import base.cluster
from base.ray_cluster import Cluster
from benchmarks.timing import seconds, show
from hex_mcts.system import DEFAULT_PARAMS, PRESETS, System, read_params
from rl import schedule
from rl.hooks import Update
from rl.self_play_engine import play_elsewhere, player_for

RUNS = {
    "5x5, on_policy": (DEFAULT_PARAMS, ["rl.episodes_per_update=100"]),
    "5x5, alphazero": (PRESETS["hex-5"], []),
    "7x7, alphazero": (PRESETS["hex-7"], ["rl.sizes={}"]),
}
"""Files of parameters, and changes."""
_TASKS = 250


def least(work: Callable[[], object]) -> float:
    """Return the least processor milliseconds of three calls."""
    return 1000 * min(seconds(work, time.thread_time) for _ in range(3))


def milliseconds_of_a_task() -> float:
    """Return the driver's time for a task on a cluster, and for its result."""
    cluster = Cluster(None)
    cluster.map(abs, range(100))
    base.cluster._TASKS_A_CORE = _TASKS  # so that each job is a task
    return 1000 * seconds(lambda: cluster.map(abs, range(_TASKS))) / _TASKS


def measure(file: Path, words: list[str], task: float) -> dict[str, str]:
    """Return the costs of a run with these parameters; ``task`` is in milliseconds."""
    params = read_params(file, words)
    player = player_for(params)
    games = player.search.games
    with tempfile.TemporaryDirectory() as folder:
        run = System(params).rl_system(Path(folder) / "run")
        weights = run.anet.weights()
        play_elsewhere(params, weights, (), math.inf, [1])  # so that all is loaded
        numbers = range(1, 1 + (2 * games if games > 1 else 25))
        began, episodes = time.thread_time(), []
        for first in numbers[::games]:
            group = range(first, first + games)
            episodes += play_elsewhere(params, weights, (), math.inf, group)
        played = 1000 * (time.thread_time() - began) / len(episodes)
        job, results = pickle.dumps((params, weights)), pickle.dumps(episodes, protocol=5)

        def learn() -> None:
            progress = schedule.progress(params, len(episodes), 0.0)
            update = Update(episodes, None, 0.0, progress, is_net_due=False)
            run._add_cases(update)
            run._train_anet(update)

        learned = least(learn)
        run.close()
    taken = least(lambda: pickle.loads(results)) / len(episodes)
    prepared = least(lambda: player.take(pickle.loads(job)[1]))
    grows = params.rl.reuse is not None  # else it takes as long for any number of episodes
    return {
        "an episode, on a core": f"{played:.1f} ms",
        "an episode, on the driver: to receive it, to learn from it": (
            f"{taken:.2f} ms, {learned / len(episodes) if grows else 0:.2f} ms"
        ),
        "an update, on the driver in addition": f"{0 if grows else learned:.0f} ms",
        "a task, on the driver, on a core": f"{task:.1f} ms, {prepared:.1f} ms",
        "size of a returned episode": f"{len(results) / len(episodes) / 1000:.1f} kB",
        "size of an update for each machine": f"{len(job) / 1000:.0f} kB",
    }


if __name__ == "__main__":
    task = milliseconds_of_a_task()
    found = [measure(*each, task) for each in RUNS.values()]
    show(("", *RUNS), [(name, *(each[name] for each in found)) for name in found[0]])
