"""Kills training runs at random moments; each, resumed until it ends, must equal the unbroken run.

    python -m tests.long.endurance --kills 20

Small runs of all three schemes, in turn, each a process that ``kill -9`` ends: first before or
during its first checkpoint, later in the middle of a round or during a write. A run without a
checkpoint starts anew. After each kill a file in the kernel cache is damaged. At the end nets and
logs are compared, byte by byte except for times, with those of an undisturbed run. Checkpoints
are written about ten times a second.
"""

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import agents.match.series as series
import main as program
import rl.rl_system
from base.storage import read_jsonl
from rl import cached_nets, holds_run

_ROUNDS = ("rl.episodes_per_update=70", "rl.gating_games=4", "rl.cached_nets=3")
_BATCHED = ("anet.network=residual", "anet.channels=4", "anet.blocks=1")
RUNS = {
    "on_policy": ("mcts.simulations=1500", "rl.episodes=60"),
    "expert_iteration": (*_ROUNDS, "mcts.simulations=20000", "rl.episodes=200"),
    "alphazero": (*_ROUNDS, *_BATCHED, "mcts.simulations=20", "rl.episodes=200"),
}
"""Each takes some seconds, and two of them end in the middle of a round."""
_TIMES = ("seconds", "simulations_per_second")


def main() -> int:
    """Kill, resume and compare; return 1 if a run differs from the unbroken one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (1)")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    drawn, killed, different = random.Random(arguments.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        for scheme in RUNS:
            _train(Path(folder) / f"{scheme}-compiles", scheme)
        whole = {scheme: _unbroken(Path(folder) / scheme, scheme) for scheme in RUNS}
        while killed < arguments.kills:
            for scheme, (*seconds, expected) in whole.items():
                run = Path(folder) / f"{scheme}-{killed}"
                most = [seconds[0], *[seconds[1]] * 3][: arguments.kills - killed]
                kills = _disturbed(run, scheme, most, drawn)
                same = _content(run) == expected
                killed, different = killed + kills, different + (not same)
                what = "the unbroken run" if same else f"ANOTHER RUN: {run}"
                print(f"{scheme}: killed {kills} times, {what}")
        print(f"{killed} kills, {different} runs became others")
    return int(different > 0)


def _train(run: Path, scheme: str, at_most: float | None = None) -> bool:
    """Start a run, or resume it, for at most some seconds; return whether it was killed.

    The process that trains has imported everything already.
    """
    words = ["game.size=3", f"rl.scheme={scheme}", *RUNS[scheme]]
    words = ["--resume"] if holds_run(run) else words
    process = multiprocessing.get_context("fork").Process(
        target=_run_quietly, args=(["train", "--run", str(run), *words, "display.mode=off"],)
    )
    process.start()
    process.join(at_most)
    if killed := process.exitcode is None:
        process.kill()
        process.join()
    assert killed or process.exitcode == 0
    return killed


def _run_quietly(words: list[str]) -> None:
    rl.rl_system.CHECKPOINT_SECONDS, series.TICK_SECONDS = 0.1, 0.05
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(program.main(words))


def _unbroken(run: Path, scheme: str) -> tuple[float, float, object]:
    """Train without interruption; return when net 0 was saved, the duration, and the content."""
    started = time.time()
    _train(run, scheme)
    begun = (run / "anet_00000.pt").stat().st_mtime
    return begun - started, time.time() - started, _content(run)


def _disturbed(run: Path, scheme: str, most: Sequence[float], drawn: random.Random) -> int:
    """Train, and kill each part after up to that many seconds; return the number of kills."""
    for kill, seconds in enumerate(most):
        if not _train(run, scheme, drawn.uniform(0.0, seconds)):
            return kill
        _damage_a_kernel(drawn)
    _train(run, scheme)
    return len(most)


def _damage_a_kernel(drawn: random.Random) -> None:
    """Empty, halve or garble a file of the cache; its kernel must be compiled again."""
    file = drawn.choice(sorted(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.kernel")))
    content = file.read_bytes()
    file.write_bytes(drawn.choice((b"", content[: len(content) // 2], content[::-1])))


def _content(run: Path) -> object:
    """Return the content of a run, except for times."""
    metrics = read_jsonl(run / "metrics.jsonl")
    return (
        {path.name: path.read_bytes() for path in cached_nets(run)},
        (run / "games.jsonl").read_bytes(),
        [{key: line[key] for key in line if key not in _TIMES} for line in metrics],
    )


if __name__ == "__main__":
    sys.exit(main())
