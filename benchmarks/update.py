"""What does an update of the presets cost, beside another checkout of this project?

    python -m benchmarks.update --against FOLDER [--games 512] [--turns 1] [--presets hex-7 hex-11]

A trained net plays games with one thread, in int8, and learns from them once, in bfloat16: the
processor time of both. The checkouts run in turns; the first turn may compile, and is left out.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path

from benchmarks.timing import ROOT, in_turns, seconds, show
from hex_mcts.system import PRESETS, System, read_params

NETS = {"hex-7": "hex-7-large/anet_14336.pt", "hex-11": "hex-7/anet_49152.pt"}
"""Presets, and nets of their architectures; the second net has learned on a smaller board."""
WORDS = (
    "anet.device=cpu anet.runtime=openvino anet.precision=int8 anet.learning_precision=bfloat16 "
    "rl.workers=1 rl.sizes={} rl.exploiter=[]"
)
HEADINGS = ["preset", "checkout", "play", "learning", "both", "ratio"]


def costs(preset: str, games: int) -> tuple[float, float]:
    """Return the processor seconds of play and of learning, in this checkout."""
    words = [f"rl.start={ROOT / 'nets' / NETS[preset]}", f"rl.episodes_per_update={games}"]
    system = System(read_params(PRESETS[preset], [*WORDS.split(), *words]))
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(system.rl_system(Path(folder) / "run")) as run,
    ):
        updates = []
        played = seconds(lambda: updates.append(run._play(())))
        run._add_cases(updates[0])
        return played, seconds(lambda: run._train_anet(updates[0]))


def measured(folder: Path, preset: str, games: int) -> tuple[float, float]:
    """Return the ``costs`` in a checkout, by this file in a process with that checkout's code."""
    command = [sys.executable, "-P", __file__, "--measured", preset, "--games", str(games)]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = partial(subprocess.run, env=environment, check=True, stdout=subprocess.PIPE)
    played, learned = json.loads(run(command, cwd=folder).stdout.splitlines()[-1])
    return played, learned


def main() -> None:
    """Measure both checkouts in turns, and show them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", type=Path, help="the folder of a checkout")
    parser.add_argument("--games", type=int, default=512, help="of an update (512)")
    parser.add_argument("--turns", type=int, default=1, help="that are measured (1)")
    parser.add_argument("--presets", nargs="+", choices=NETS, default=list(NETS))
    parser.add_argument("--measured", choices=NETS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measured:
        print(json.dumps(costs(given.measured, given.games)))
        return
    folders = [*filter(None, [given.against]), ROOT]
    rows = []
    for preset in given.presets:
        of = {str(each): partial(measured, each.resolve(), preset, given.games) for each in folders}
        found = in_turns(of, given.turns)
        least = [[min(part) for part in zip(*each, strict=True)] for each in found.values()]
        for folder, parts in zip(folders, least, strict=True):
            figures = [*parts, sum(parts)]
            ratio = f"{sum(parts) / sum(least[0]):.2f}"
            rows.append([preset, folder, *(f"{each:.1f} s" for each in figures), ratio])
    show(HEADINGS, rows, f"an update of {given.games} games")


if __name__ == "__main__":
    main()
