"""How long commands take that have little to do: on an empty cache of kernels, then once more.

The difference is what compiling costs. ``--beside`` measures another checkout in turn with this
one, so that both meet the same machine. `oht` gets no further than its warm-up: there is no server.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

ROOT = Path(__file__).resolve().parent.parent
NETS = [ROOT / "nets" / "hex-5" / f"anet_{episode:05}.pt" for episode in (0, 200)]

FIGURES = ("cold s", "warm s", "cold work s", "warm work s")
COMMANDS: dict[str, list[str | Path]] = {
    "play": ["--first", "mcts:simulations=50", "--second", "random"],
    "train": ["--run", "run", "rl.episodes=1", "rl.cached_nets=2", "mcts.simulations=20"],
    "topp": [*NETS, "topp.games=2"],
    "demo": ["--seconds", "20"],
    "compare": ["mcts", "mcts:tree_policy=uct_rave", "--simulations", "20", "--games", "2"],
    "analyse": ["--net", NETS[1], "--simulations", "1"],
    "oht": ["--server", "localhost:1", "--net", NETS[1]],
}


def run(project: Path, command: str, cache: Path) -> tuple[float, float]:
    """Run a command of a checkout in an empty folder.

    Returns:
        The seconds from its start to its end, and those of all cores together.
    """
    words = [sys.executable, project / "main.py", command, *COMMANDS[command], "display.mode=off"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    before, began = os.times(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True
        )
    seconds, after = time.perf_counter() - began, os.times()
    return seconds, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print a line for each command and checkout."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", choices=[[], *COMMANDS], metavar="COMMAND")
    parser.add_argument("--beside", type=Path, metavar="DIR", help="another checkout")
    arguments = parser.parse_args()
    projects = [ROOT] if arguments.beside is None else [arguments.beside.resolve(), ROOT]
    columns = (Column(each, justify="right") for each in FIGURES)
    table = Table("command", "checkout", "kernels", *columns)
    for command in arguments.commands or COMMANDS:
        for project in projects:
            with tempfile.TemporaryDirectory() as cache:
                cold = run(project, command, Path(cache))
                kernels = len(list(Path(cache).rglob("*.nbi")))
                warm = run(project, command, Path(cache))
            pairs = zip(cold, warm, strict=True)
            numbers = (f"{number:.1f}" for pair in pairs for number in pair)
            table.add_row(command, project.name, f"{kernels}", *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()
