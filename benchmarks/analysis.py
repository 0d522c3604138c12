"""How long does ``analyse --game`` take, beside another checkout of this project?

    python -m benchmarks.analysis FILE --against FOLDER [--net NET] [--turns N]

The two run in turns, each as a command of its own; the first turn may compile, and is left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import ROOT, in_turns, seconds, show

HEADINGS = ["checkout", "seconds", "ratio", "exact verdicts", "costliest moves"]


def main() -> None:
    """Measure both checkouts in turns, and show them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", type=Path, help="the game, as for analyse --game")
    parser.add_argument("--against", type=Path, required=True, help="the folder of a checkout")
    parser.add_argument("--net", default="best", help="as for analyse (best)")
    parser.add_argument("--turns", type=int, default=1, help="that are measured (1)")
    given = parser.parse_args()
    words = "main.py", "analyse", "--game", str(given.game.resolve()), "--net", given.net, "--out"
    found: dict[str, Any] = {}

    def measure(folder: Path) -> float:
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, *words, f"{out}/analysis"]
            run = partial(subprocess.run, command, cwd=folder, check=True, capture_output=True)
            taken = seconds(run, time.perf_counter)
            found[str(folder)] = json.loads(Path(out, "analysis", "game.json").read_text())
        return taken

    folders = given.against, ROOT
    measured = in_turns({str(each): partial(measure, each) for each in folders}, given.turns)
    least, rows = [min(taken) for taken in measured.values()], []
    for place, (folder, review) in enumerate(found.items()):
        moves = review["moves"]
        exact = f"{sum(move['after']['exact'] for move in moves)} of {len(moves)}"
        dear = [f"{ply} ({moves[ply - 1]['loss']:.1f} %)" for ply in review["costliest"]]
        ratio = f"{least[0] / least[place]:.1f}"
        rows.append([folder, f"{least[place]:.1f}", ratio, exact, ", ".join(dear)])
    show(HEADINGS, rows, given.game.name)


if __name__ == "__main__":
    main()
