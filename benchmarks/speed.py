"""The speed figures: simulations a second beside OpenSpiel's C++ search, memory, and the start.

Both searches run UCT with the same exploration, one rollout a simulation and no solving of nodes,
from the empty board, on one core. They take turns, so that whatever else the machine does slows
both alike, and the medians are compared. OpenSpiel always plays its rollouts at random; ours do
so too, or are played by a net.

Run it with ``make bench``, or ``python -m benchmarks.speed [--json FILE] [--repetitions N]``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from anet import ANET
from base.params import ANETParams
from mcts import MCTS, Variant
from state_manager import make_game

ROOT = Path(__file__).resolve().parent.parent

BOARD_SIZES = (5, 7, 11)
SIMULATIONS = (1_000, 10_000)
EXPLORATION = 1.0
EPSILON = 0.1
OPEN_SPIEL, UNIFORM = "OpenSpiel", "uniform"
NETS = {"ANET 64-64": (64, 64), "ANET 256-32": (256, 32)}
"""The hidden layers of those that play rollouts."""
WANTED_RATIOS = {
    (UNIFORM, 5): 7.0,
    (UNIFORM, 7): 14.0,
    (UNIFORM, 11): 30.0,
    **{("ANET 64-64", size): 1.5 for size in BOARD_SIZES},
    **{("ANET 256-32", size): 0.7 for size in BOARD_SIZES},
}
"""With 10,000 simulations; with 1,000, two thirds of those of uniform rollouts will do."""
WANTED_FRESH, WANTED_MEGABYTES = 0.9, 500.0
"""The speed on fresh memory beside that on memory that is already there; of the largest search."""
LARGEST_SEARCH = 1_000_000
SMALLEST_RUN = ["game.size=3", "mcts.simulations=1", "rl.episodes=1", "rl.cached_nets=2"]
"""A training that is hardly more than its start."""
OPEN_SPIEL_MEGABYTES = 2_000
"""Room for the largest tree, so that OpenSpiel never stops to collect garbage."""

Search = Callable[[], int]
"""Search once, from a new tree; return how many simulations were really run."""


Row = dict[str, Any]


def open_spiel_search(board_size: int, simulations: int) -> Search:
    """Return OpenSpiel's search of the empty board."""
    import pyspiel

    game = pyspiel.load_game(f"hex(board_size={board_size})")
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1),
        uct_c=EXPLORATION,
        max_simulations=simulations,
        max_memory_mb=OPEN_SPIEL_MEGABYTES,
        solve=False,
        seed=1,
        verbose=False,
    )
    return lambda: int(bot.mcts_search(game.new_initial_state()).explore_count)


def our_search(board_size: int, simulations: int, rollouts: str) -> Search:
    """Return this project's search of the empty board."""
    game = make_game("hex", size=board_size)
    policy = None
    if rollouts in NETS:
        net = ANET(game, ANETParams(hidden_layers=NETS[rollouts], activation="relu"), seed=1)
        policy = net.rollout_policy(epsilon=EPSILON)
    mcts = MCTS(
        game,
        simulations=simulations,
        variant=Variant().with_settings(exploration=EXPLORATION),
        rollout_policy=policy,
        seed=1,
    )
    state = game.initial_state()

    def search() -> int:
        mcts.reset()
        return int(mcts.search(state).visit_counts.sum())

    return search


def compare(board_size: int, simulations: int, repetitions: int) -> Iterator[Row]:
    """Yield how each kind of rollouts compares with OpenSpiel, measured by turns."""
    kinds = [UNIFORM, *NETS]
    searches = {OPEN_SPIEL: open_spiel_search(board_size, simulations)}
    searches |= {kind: our_search(board_size, simulations, kind) for kind in kinds}
    rates: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(1 + repetitions):
        for name, search in searches.items():
            started = time.perf_counter()
            rates[name].append(search() / (time.perf_counter() - started))
    # The first of each may have to compile; it is not counted.
    medians = {name: median(values[1:]) for name, values in rates.items()}
    for kind in kinds:
        yield {
            "board_size": board_size,
            "simulations": simulations,
            "rollouts": kind,
            "open_spiel": medians[OPEN_SPIEL],
            "ours": medians[kind],
            "ratio": medians[kind] / medians[OPEN_SPIEL],
            "wanted_ratio": WANTED_RATIOS[kind, board_size]
            * (2 / 3 if kind == UNIFORM and simulations < max(SIMULATIONS) else 1.0),
        }


def uniform_search(board_size: int, simulations: int) -> MCTS:
    """Return a search with uniform rollouts, of no memory so far."""
    game = make_game("hex", size=board_size)
    return MCTS(game, simulations, variant=Variant().with_settings(exploration=EXPLORATION), seed=1)


def measure_memory(repetitions: int) -> Iterator[Row]:
    """Yield the speed on fresh memory beside that on memory that is already there, by turns."""
    for board_size in BOARD_SIZES:
        rates: dict[str, list[float]] = {"kept": [], "fresh": []}
        kept = uniform_search(board_size, max(SIMULATIONS))
        state = kept.game.initial_state()
        for _ in range(1 + repetitions):
            kept.reset()
            for name, search in (("kept", kept), ("fresh", uniform_search(board_size, 1))):
                result = search.search(state, max(SIMULATIONS))
                rates[name].append(result.simulations / result.seconds)
        # The first may have to compile, and makes the memory that is kept.
        medians = {name: median(values[1:]) for name, values in rates.items()}
        yield {"board_size": board_size, **medians, "wanted_share": WANTED_FRESH}


def measure_megabytes() -> Row:
    """Return by how much the process grows in one large search on the largest board."""
    process, search = psutil.Process(), uniform_search(max(BOARD_SIZES), LARGEST_SEARCH)
    before = process.memory_info().rss
    search.search(search.game.initial_state())
    return {
        "board_size": max(BOARD_SIZES),
        "simulations": LARGEST_SEARCH,
        "megabytes": (process.memory_info().rss - before) / 1e6,
        "wanted_megabytes": WANTED_MEGABYTES,
    }


def measure_startup(repetitions: int) -> Iterator[Row]:
    """Yield how long it takes until something is seen, with compiled code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        # The first of each may have to compile; it is not counted.
        helped = [_moments([], "--help") for _ in range(1 + repetitions)][1:]
        trained = []
        for run in (Path(folder) / str(number) for number in range(1 + repetitions)):
            # What a run writes before its first episode, and after its first update.
            written = [run / "anet_00000.pt", run / "metrics.jsonl"]
            words = ("train", *SMALLEST_RUN, "display.mode=off", "--run", str(run))
            trained.append(_moments(written, *words))
    first_nets, first_updates, _ = map(median, zip(*trained[1:], strict=True))
    for command, until, seconds, wanted in (
        ("--help", "its end", median(ends for (ends,) in helped), 0.3),
        ("train", "the first episode begins", first_nets, 3.0),
        # Torch spends most of what is between them on loading its optimisers.
        ("train", "the first update of the net", first_updates, None),
    ):
        named = {"command": command, "until": until}
        yield {**named, "seconds": seconds, "wanted_seconds": wanted}


def _moments(files: Sequence[Path], *arguments: str) -> list[float]:
    """Run the program; return when each file had something in it, in order, and when it ended."""
    started = time.perf_counter()
    command = [sys.executable, "main.py", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    seconds = []
    for file in files:
        while process.poll() is None and not (file.exists() and file.stat().st_size):
            time.sleep(0.002)
        seconds.append(time.perf_counter() - started)
    if process.wait():
        raise subprocess.CalledProcessError(process.returncode, command)
    return [*seconds, time.perf_counter() - started]


def machine() -> dict[str, str]:
    """Return what the figures were measured with."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    packages = {name: version(name) for name in ("numba", "numpy", "open_spiel", "torch")}
    processor = names[0] if names else platform.processor() or platform.machine()
    return {"processor": processor, "python": platform.python_version(), **packages}


def table(title: str, *headings: str) -> Table:
    """Return a table; what is not a word in it is a figure."""
    words = ("rollouts", "python main.py", "until")
    columns = (Column(each, justify="left" if each in words else "right") for each in headings)
    return Table(*columns, title=title)


def verdict(wanted: str, met: bool) -> str:
    """Return what was wanted, and whether it was reached, for a table."""
    return f"{wanted} [green]met[/]" if met else f"{wanted} [red]missed[/]"


def comparison_table(comparisons: list[Row]) -> Table:
    """Return the table of simulations a second."""
    title = "Simulations a second on one core, from the empty board (medians)"
    columns = ("board", "simulations", "rollouts", "OpenSpiel", "ours", "ratio", "wanted")
    rows = table(title, *columns)
    for size, simulations, rollouts, open_spiel, ours, ratio, wanted in map(
        dict.values, comparisons
    ):
        rates = f"{open_spiel:,.0f}", f"{ours:,.0f}", f"{ratio:.2f}"
        met = verdict(f"{wanted:.2f}", ratio >= wanted)
        rows.add_row(f"{size}x{size}", f"{simulations:,}", rollouts, *rates, met)
    return rows


def memory_table(memories: list[Row], largest: Row) -> Table:
    """Return the table of speeds on fresh memory, and of what a large search takes of it."""
    title = f"Simulations a second of {max(SIMULATIONS):,} with uniform rollouts (medians)"
    rows = table(title, "board", "memory kept", "fresh", "share", "wanted")
    for size, kept, fresh, wanted in map(dict.values, memories):
        met = verdict(f"{wanted:.2f}", fresh / kept >= wanted)
        rows.add_row(f"{size}x{size}", f"{kept:,.0f}", f"{fresh:,.0f}", f"{fresh / kept:.2f}", met)
    size, simulations, megabytes, limit = largest.values()
    met = verdict(f"{limit:.0f}", megabytes < limit)
    rows.caption = (
        f"{simulations:,} simulations on {size}x{size} take {megabytes:.0f} MB, wanted under {met}"
    )
    return rows


def startup_table(startups: list[Row]) -> Table:
    """Return the table of times until something is seen."""
    title = "Seconds from the start of a process, with kernels on disk (medians)"
    rows = table(title, "python main.py", "until", "seconds", "wanted")
    for row in startups:
        command, until, seconds, limit = row.values()
        wanted = "" if limit is None else verdict(f"{limit:.1f}", seconds < limit)
        rows.add_row(command, until, f"{seconds:.2f}", wanted)
    return rows


def main() -> None:
    """Measure everything and show it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--repetitions", type=int, default=7, help="of each search (default 7)")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # one core for this process, and those that it starts
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    settings = list(itertools.product(BOARD_SIZES, SIMULATIONS))
    comparisons: list[Row] = []
    for board_size, simulations in track(settings, "searching", transient=True):
        comparisons += compare(board_size, simulations, arguments.repetitions)
    memories, largest = list(measure_memory(arguments.repetitions)), measure_megabytes()
    startups = list(measure_startup(min(arguments.repetitions, 5)))
    console = Console()
    console.print(*(f"{name} {value}" for name, value in machine().items()), sep=" · ")
    console.print(comparison_table(comparisons))
    console.print(memory_table(memories, largest))
    console.print(startup_table(startups))
    if arguments.json:
        figures = {
            "machine": machine(),
            "search": comparisons,
            "memory": {"fresh": memories, "largest": largest},
            "startup": startups,
        }
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
