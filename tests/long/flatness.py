"""Measures whether the memory and the open files of a long run grow.

    python -m tests.long.flatness --episodes 10000

A small run is trained in a process of its own, as a user would start it. Its memory, open files and
threads are counted ten times a second. The replay buffer is full after the first tenth of the run.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
from rich.console import Console
from rich.progress import Progress

from base.storage import write_json

ROOT = Path(__file__).resolve().parent.parent
WORDS = (
    *("game.size=3", "mcts.simulations=20", "rl.replay_buffer_size=5000", "rl.cached_nets=5"),
    *("rl.episodes_per_update=10", "display.mode=off"),
)
_MEGABYTE = 1e6
_MOST_GROWTH = 0.02
"""Of the memory between the first tenth of a run and its end; an allocator rounds up."""


class Sample(NamedTuple):
    episode: int
    megabytes: float
    files: int
    threads: int


def watched(run: Path, episodes: int) -> list[Sample]:
    words = [*WORDS, f"rl.episodes={episodes}", "--run", str(run)]
    command = [sys.executable, str(ROOT / "main.py"), "train", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    seen, samples = psutil.Process(process.pid), []
    with Progress() as bar:
        task = bar.add_task("episodes", total=episodes)
        while process.poll() is None:
            time.sleep(0.1)
            with suppress(psutil.Error, OSError):
                episode = (run / "games.jsonl").read_bytes().count(b"\n")
                with seen.oneshot():
                    memory = seen.memory_info().rss / _MEGABYTE
                    samples.append(Sample(episode, memory, seen.num_fds(), seen.num_threads()))
                bar.update(task, completed=episode)
    if process.returncode:
        raise RuntimeError(f"expected the run to end well, got exit {process.returncode}")
    return samples


def main() -> int:
    """Measure and judge; return 1 if the run has grown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, default=10_000, metavar="N", help="(10,000)")
    parser.add_argument("--out", type=Path, default=Path("flatness.json"), metavar="FILE.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        samples = watched(Path(folder) / "run", arguments.episodes)
    write_json(arguments.out, [sample._asdict() for sample in samples])
    # Between two marks, and not at the ends, where the run begins and is saved.
    early, late = (
        [each for each in samples if begin <= each.episode / arguments.episodes < begin + 0.1]
        for begin in (0.2, 0.85)
    )
    before, after = (max(sample.megabytes for sample in part) for part in (early, late))
    files = [max(sample.files for sample in part) for part in (early, late)]
    has_grown = after > before * (1 + _MOST_GROWTH) or files[1] > files[0]
    Console().print(
        f"Memory: {before:.1f} MB after a fifth, {after:.1f} MB near the end; "
        f"open files: {files[0]}, {files[1]}: {'IT GROWS' if has_grown else 'flat'}."
    )
    return int(has_grown)


if __name__ == "__main__":
    sys.exit(main())
