"""How long does ``analyse --game`` take, beside another checkout of this project?

    python -m benchmarks.analysis FILE --against FOLDER [--net NET] [--turns N]

The two run in turns, each as a command of its own; the first turn may compile, and is left out.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import ROOT, in_turns, seconds, show

HEADINGS = ["checkout", "seconds", "ratio", "processor, s", "exact verdicts", "costliest moves"]


class Run:
    """The command of a checkout, the processor time of each run, and what the last one found."""

    def __init__(self, folder: Path, game: Path, net: str) -> None:
        """Prepare to analyse a game in the checkout of a folder."""
        self.folder, self.processor = folder, list[float]()
        self._words = ["main.py", "analyse", "--game", str(game.resolve()), "--net", net, "--out"]
        self._found: dict[str, Any] = {}

    def measure(self) -> float:
        """Return the seconds of a run."""
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, *self._words, f"{out}/analysis"]
            run = partial(subprocess.run, command, cwd=self.folder, check=True, capture_output=True)
            before = _of_commands()
            taken = seconds(run, time.perf_counter)
            self.processor.append(_of_commands() - before)
            self._found = json.loads(Path(out, "analysis", "game.json").read_text())
        return taken

    def findings(self) -> tuple[str, str]:
        """Return the number of exact verdicts, and the costliest moves with their costs."""
        moves = self._found["moves"]
        exact = sum(move["after"]["exact"] for move in moves)
        dear = [f"{ply} ({moves[ply - 1]['loss']:.1f} %)" for ply in self._found["costliest"]]
        return f"{exact} of {len(moves)}", ", ".join(dear)


def _of_commands() -> float:
    """Return the processor seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure both checkouts in turns, and show them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", type=Path, help="the game, as for analyse --game")
    parser.add_argument("--against", type=Path, required=True, help="the folder of a checkout")
    parser.add_argument("--net", default="best", help="as for analyse (best)")
    parser.add_argument("--turns", type=int, default=1, help="that are measured (1)")
    given = parser.parse_args()
    runs = {str(folder): Run(folder, given.game, given.net) for folder in (given.against, ROOT)}
    measured = in_turns({name: run.measure for name, run in runs.items()}, given.turns)
    least = {name: min(taken) for name, taken in measured.items()}
    rows = [
        [name, f"{least[name]:.1f}", f"{least[str(given.against)] / least[name]:.1f}",
         f"{min(run.processor[1:]):.1f}", *run.findings()]
        for name, run in runs.items()
    ]  # fmt: skip
    show(HEADINGS, rows, given.game.name)


if __name__ == "__main__":
    main()
