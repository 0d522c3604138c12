"""What a second core gives to training, and whether the nets stay the same.

    python -m benchmarks.two_cores

Some updates of each scheme: with one thread, with two, with two processes, and with two processes
that play the next batch during the learning (``rl.lag=1``, which trains other nets; they are not
compared). Two independent runs at once, of one thread each, show the most that any way can reach.
Run it on an idle machine.
"""

import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from anet import ANET
from base.storage import read_jsonl
from benchmarks.timing import ROOT, show

SCHEMES = {
    "on_policy, 5x5": "rl.episodes_per_update=50 rl.episodes=400",
    "expert_iteration, 5x5": "rl.scheme=expert_iteration rl.episodes=2000",
    "alphazero, 5x5": "rl.scheme=alphazero rl.exploiter=[] rl.episodes=6144",
    "alphazero, 7x7": "game.size=7 rl.sizes={} rl.exploiter=[] rl.episodes=1024"
    " rl.episodes_per_update=256",
}
WAYS = {
    "1 thread": "rl.workers=1",
    "2 threads": "rl.workers=2",
    "2 processes": "rl.workers=2 rl.engine=processes",
    "and lag 1": "rl.workers=2 rl.engine=processes rl.lag=1",
}
_WARM_UP = 1  # updates, while processes begin and the replay buffer is small


def train(words: str, run: Path) -> tuple[float, bytes]:
    """Train; return the median seconds of an update, and the last net's weights."""
    options = [*words.split(), "--run", str(run), "rl.cached_nets=2"]
    subprocess.run(
        [sys.executable, ROOT / "main.py", "train", *options],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    ends = [record["seconds"] for record in read_jsonl(run / "metrics.jsonl")]
    updates = [after - before for before, after in itertools.pairwise(ends)]
    weights = ANET.load(max(run.glob("anet_*.pt"))).weights()
    return median(updates[_WARM_UP:]), b"".join(w.numpy().tobytes() for w in weights.values())


def main() -> None:
    """Measure and print the table."""
    rows = []
    for name, scheme in SCHEMES.items():
        words = [f"{scheme} {way}" for way in WAYS.values()]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as both:
            found = [train(each, Path(folder, str(way))) for way, each in enumerate(words)]
            at_once = list(both.map(train, words[:1] * 2, [Path(folder, "a"), Path(folder, "b")]))
        # Two updates in the time of the slower run.
        seconds = [*(each for each, _ in found), max(each for each, _ in at_once) / 2]
        same = len({weights for _, weights in found[:3]}) == 1
        ratios = " ".join(f"{seconds[0] / each:.2f}" for each in seconds[1:])
        figures = (f"{each:.2f}" for each in seconds)
        rows.append([name, *figures, ratios, "same" if same else "OTHER"])
    show(("seconds of an update", *WAYS, "two runs at once", "times", "nets"), rows)


if __name__ == "__main__":
    main()
