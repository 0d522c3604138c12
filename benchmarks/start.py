"""How long commands take that have little to do: on an empty cache of kernels, then once more.

The difference is what compiling costs. ``--first-move`` measures the time until a move is on the
screen. ``--beside`` measures another checkout in turn with this one, so that both meet the same
machine. `oht` gets no further than its warm-up: there is no server.
"""

from __future__ import annotations

import argparse
import os
import pty
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
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


SHOW_GAMES = ("play", "train", "topp")


def run(project: Path, command: str, cache: Path, is_shown: bool) -> tuple[float, float]:
    """Run a command of a checkout in an empty folder, in a terminal.

    Args:
        project: The checkout.
        command: One of ``COMMANDS``.
        cache: The folder for its kernels.
        is_shown: Whether it shows games, and ends with the first move.

    Returns:
        The seconds from its start to this move, or to its end, and those of all cores together.
    """
    words = [sys.executable, project / "main.py", command, *COMMANDS[command]]
    words += [] if is_shown else ["display.mode=off"]
    size = {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    environment = {**os.environ, **size, "NUMBA_CACHE_DIR": str(cache)}
    screen, terminal = pty.openpty()
    before, began = os.times(), time.perf_counter()
    seconds, said = 0.0, b""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
        ) as program,
    ):
        os.close(terminal)
        with suppress(OSError):  # which says that the program has ended
            while part := os.read(screen, 65_536):
                said += part
                if is_shown and not seconds and b"move 1" in said:
                    seconds = time.perf_counter() - began
                    program.terminate()
    os.close(screen)
    if is_shown and not seconds:
        sys.exit(said.decode())
    seconds, after = seconds or time.perf_counter() - began, os.times()
    return seconds, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print a line for each command and checkout."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", choices=[[], *COMMANDS], metavar="COMMAND")
    parser.add_argument("--first-move", action="store_true", help="until a move is on the screen")
    parser.add_argument("--beside", type=Path, metavar="DIR", help="another checkout")
    arguments = parser.parse_args()
    projects = [ROOT] if arguments.beside is None else [arguments.beside.resolve(), ROOT]
    columns = (Column(each, justify="right") for each in FIGURES)
    table = Table("command", "checkout", "kernels", *columns)
    is_shown = arguments.first_move
    for command in arguments.commands or (SHOW_GAMES if is_shown else COMMANDS):
        for project in projects:
            with tempfile.TemporaryDirectory() as cache:
                cold = run(project, command, Path(cache), is_shown)
                kernels = len(list(Path(cache).rglob("*.kernel")))
                warm = run(project, command, Path(cache), is_shown)
            pairs = zip(cold, warm, strict=True)
            numbers = (f"{number:.1f}" for pair in pairs for number in pair)
            table.add_row(command, project.name, f"{kernels}", *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()
