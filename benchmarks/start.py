"""How long short commands take: on an empty cache of kernels, then once more.

The difference is the cost of compiling. ``--first-move`` measures the time until a move is on the
screen.
"""

import argparse
import os
import pty
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.timing import ROOT, show

NETS = [ROOT / "nets" / "hex-5" / f"anet_{episode:05}.pt" for episode in (0, 200)]
# The first three show games.
COMMANDS: dict[str, list[str | Path]] = {
    "play": ["--first", "mcts:simulations=50", "--second", "random"],
    "train": ["--run", "run", "rl.episodes=1", "rl.cached_nets=2", "mcts.simulations=20"],
    "topp": [*NETS, "topp.games=2"],
    "demo": ["--seconds", "20"],
}


def run(command: str, cache: Path, first_move: bool) -> tuple[float, float]:
    """Run a command in a terminal; return its seconds, or those to a move, and all cores'."""
    words = [sys.executable, ROOT / "main.py", command, *COMMANDS[command]]
    words += [] if first_move else ["display.mode=off"]
    size = {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    environment = {**os.environ, **size, "NUMBA_CACHE_DIR": str(cache)}
    screen, terminal = pty.openpty()
    before, began = os.times(), time.perf_counter()
    seconds, shown = 0.0, b""
    with tempfile.TemporaryDirectory() as folder:
        streams: Any = {"stdin": subprocess.DEVNULL, "stdout": terminal, "stderr": terminal}
        program = subprocess.Popen(words, cwd=folder, env=environment, **streams)
        os.close(terminal)
        with suppress(OSError):  # the program has ended
            while part := os.read(screen, 65_536):
                shown += part
                if first_move and not seconds and b"move 1" in shown:
                    seconds = time.perf_counter() - began
                    program.terminate()
        program.wait()
    os.close(screen)
    if first_move and not seconds:
        sys.exit(shown.decode())
    seconds, after = seconds or time.perf_counter() - began, os.times()
    return seconds, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", choices=[[], *COMMANDS], metavar="COMMAND")
    parser.add_argument("--first-move", action="store_true", help="until a move is on the screen")
    arguments = parser.parse_args()
    first_move, rows = arguments.first_move, []
    for command in arguments.commands or list(COMMANDS)[: 3 if first_move else None]:
        with tempfile.TemporaryDirectory() as cache:
            cold = run(command, Path(cache), first_move)
            kernels = len(list(Path(cache).rglob("*.kernel")))
            warm = run(command, Path(cache), first_move)
        figures = (cold[0], warm[0], cold[1], warm[1])
        rows.append([command, kernels, *(f"{each:.1f}" for each in figures)])
    show(("command", "kernels", "cold s", "warm s", "cold work s", "warm work s"), rows)


if __name__ == "__main__":
    main()
