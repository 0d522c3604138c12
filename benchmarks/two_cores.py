"""What a second core gives to training, and whether the nets stay the same.

python -m benchmarks.two_cores

Some updates of each scheme: with one thread, with two, with two processes, and with two processes
that play the next batch while the last one is learned from (``rl.lag=1``; that trains other nets,
which are not compared). And with one thread in two runs at once, which share nothing: what the
machine gives to two programs is the most that any way can reach. Nothing else may run meanwhile.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from anet import ANET
from base.storage import read_jsonl

ROOT = Path(__file__).resolve().parent.parent
SCHEMES = {
    "on_policy, 5x5": "rl.episodes_per_update=50 rl.episodes=400",
    "expert_iteration, 5x5": "rl.scheme=expert_iteration rl.episodes=2000",
    "alphazero, 5x5": "rl.scheme=alphazero rl.exploiter=[] rl.episodes=6144",
    "alphazero, 7x7": "game.size=7 rl.exploiter=[] rl.episodes_per_update=256 rl.episodes=1024",
}
WAYS = {
    "1 thread": "rl.workers=1",
    "2 threads": "rl.workers=2",
    "2 processes": "rl.workers=2 rl.engine=processes",
    "and lag 1": "rl.workers=2 rl.engine=processes rl.lag=1",
}
MOST = "two runs at once"
_WARM_UP = 1  # updates, while processes begin and the replay buffer is small


def train(words: str, run: Path) -> tuple[float, bytes]:
    """Train; return the median seconds of an update, and the last net's weights."""
    subprocess.run(
        [
            sys.executable,
            ROOT / "main.py",
            "train",
            *words.split(),
            "--run",
            run,
            "rl.cached_nets=2",
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    seconds = [record["seconds"] for record in read_jsonl(run / "metrics.jsonl")]
    taken = [after - before for before, after in itertools.pairwise(seconds)]
    weights = ANET.load(max(run.glob("anet_*.pt"))).weights()
    return median(taken[_WARM_UP:]), b"".join(w.numpy().tobytes() for w in weights.values())


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("schemes", nargs="*", choices=[[], *SCHEMES], metavar="SCHEME")
    table = Table("seconds of an update", *WAYS, MOST, "times", "nets")
    for name in parser.parse_args().schemes or SCHEMES:
        with tempfile.TemporaryDirectory() as folder:
            found = {
                way: train(f"{SCHEMES[name]} {words}", Path(folder) / way)
                for way, words in WAYS.items()
            }
            with ThreadPoolExecutor() as both:
                words = f"{SCHEMES[name]} {WAYS['1 thread']}"
                at_once = list(both.map(train, [words] * 2, [Path(folder, "a"), Path(folder, "b")]))
        seconds = [each for each, _ in found.values()]
        # Two updates in the time of the slower run.
        seconds.append(max(each for each, _ in at_once) / 2)
        same = len({weights for _, weights in list(found.values())[:3]}) == 1
        ratios = " ".join(f"{seconds[0] / each:.2f}" for each in seconds[1:])
        table.add_row(
            name, *(f"{each:.2f}" for each in seconds), ratios, "same" if same else "OTHER"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
