"""The speed figures: simulations a second beside OpenSpiel's C++ search, and how fast it starts.

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
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

ROOT = Path(__file__).resolve().parent.parent

BOARD_SIZES = (5, 7, 11)
SIMULATIONS = (1_000, 10_000)
EXPLORATION = 1.0
EPSILON = 0.1
HIDDEN_LAYERS = (64, 64)
UNIFORM, NET = "uniform", "ANET"
WANTED_RATIOS = {
    (UNIFORM, 5): 2.4,
    (UNIFORM, 7): 2.9,
    (UNIFORM, 11): 3.5,
    (NET, 5): 0.65,
    (NET, 7): 0.65,
}
SMALLEST_RUN = (
    "train",
    "game.size=3",
    "mcts.simulations=1",
    "rl.episodes=1",
    "rl.cached_nets=2",
    "display.mode=off",
    "--run",
)
"""A training that is hardly more than its start; the folder follows."""
OPEN_SPIEL_MEGABYTES = 2_000
"""Room for the largest tree, so that OpenSpiel never stops to collect garbage."""

Search = Callable[[], tuple[int, float]]
"""Search once, from a new tree: the simulations that were really run, and the seconds they took."""


@dataclass(frozen=True)
class Comparison:
    """Median simulations a second of both searches on one board."""

    board_size: int
    simulations: int
    rollouts: str
    open_spiel: float
    ours: float
    ratio: float
    wanted_ratio: float


@dataclass(frozen=True)
class Startup:
    """Median seconds from the start of a process until something happens; not all has a limit."""

    command: str
    until: str
    seconds: float
    wanted_seconds: float | None = None


def stay_on_one_core() -> None:
    """Let this process, and those that it starts, use a single core, where the system can do so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


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

    def search() -> tuple[int, float]:
        state = game.new_initial_state()
        started = time.perf_counter()
        root = bot.mcts_search(state)
        return root.explore_count, time.perf_counter() - started

    return search


def our_search(board_size: int, simulations: int, rollouts: str) -> Search:
    """Return this project's search of the empty board."""
    from anet import ANET
    from base.params import ANETParams
    from mcts import MCTS, Variant
    from state_manager import make_game

    game = make_game("hex", size=board_size)
    policy = None
    if rollouts == NET:
        net = ANET(game, ANETParams(hidden_layers=HIDDEN_LAYERS, activation="relu"), seed=1)
        policy = net.rollout_policy(epsilon=EPSILON)
    mcts = MCTS(
        game,
        simulations=simulations,
        variant=Variant().with_settings(exploration=EXPLORATION),
        rollout_policy=policy,
        seed=1,
    )
    state = game.initial_state()

    def search() -> tuple[int, float]:
        mcts.reset()
        started = time.perf_counter()
        result = mcts.search(state)
        seconds = time.perf_counter() - started
        return int(result.visit_counts.sum()), seconds

    return search


def compare(board_size: int, simulations: int, repetitions: int) -> Iterator[Comparison]:
    """Yield how each kind of rollouts compares with OpenSpiel, measured by turns."""
    kinds = [kind for kind in (UNIFORM, NET) if (kind, board_size) in WANTED_RATIOS]
    searches = {"open_spiel": open_spiel_search(board_size, simulations)}
    searches |= {kind: our_search(board_size, simulations, kind) for kind in kinds}
    rates: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search()
    for _ in range(repetitions):
        for name, search in searches.items():
            run, seconds = search()
            rates[name].append(run / seconds)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for kind in kinds:
        yield Comparison(
            board_size,
            simulations,
            kind,
            medians["open_spiel"],
            medians[kind],
            medians[kind] / medians["open_spiel"],
            WANTED_RATIOS[kind, board_size],
        )


def measure_startup(repetitions: int) -> Iterator[Startup]:
    """Yield how long it takes until something is seen, with compiled code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [Path(folder) / str(number) for number in range(1 + repetitions)]
        # The first of each may have to compile; it is not counted.
        listed = [_moments([], "--help") for _ in runs][1:]
        # What a run writes before its first episode, and after its first update.
        written = [[run / "anet_00000.pt", run / "metrics.jsonl"] for run in runs]
        trained = [
            _moments(files, *SMALLEST_RUN, str(run))
            for files, run in zip(written, runs, strict=True)
        ][1:]
    ends = [seconds for (seconds,) in listed]
    first_nets, first_updates, _ = zip(*trained, strict=True)
    yield Startup("--help", "its end", statistics.median(ends), 0.3)
    yield Startup("train", "the first episode begins", statistics.median(first_nets), 3.0)
    # Torch spends most of what is between them on loading its optimisers.
    yield Startup("train", "the first update of the net", statistics.median(first_updates))


def _moments(files: Sequence[Path], *arguments: str) -> list[float]:
    """Run the program; return when each file had something in it, in order, and when it ended.

    Raises:
        CalledProcessError: If the program failed.
    """
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
    packages = {name: version(name) for name in ("numba", "numpy", "open_spiel", "torch")}
    return {"processor": processor(), "python": platform.python_version(), **packages}


def processor() -> str:
    """Return the name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def verdict(wanted: str, met: bool) -> str:
    """Return what was wanted, and whether it was reached, for a table."""
    return f"{wanted} [green]met[/]" if met else f"{wanted} [red]missed[/]"


def figures(*headings: str) -> list[Column]:
    """Return columns of figures."""
    return [Column(heading, justify="right") for heading in headings]


def comparison_table(comparisons: list[Comparison]) -> Table:
    """Return the table of simulations a second."""
    columns = figures("board", "simulations"), figures("OpenSpiel", "ours", "ratio", "wanted")
    title = "Simulations a second on one core, from the empty board (medians)"
    table = Table(*columns[0], "rollouts", *columns[1], title=title)
    for row in comparisons:
        size, simulations = f"{row.board_size}x{row.board_size}", f"{row.simulations:,}"
        rates = f"{row.open_spiel:,.0f}", f"{row.ours:,.0f}", f"{row.ratio:.2f}"
        wanted = verdict(f"{row.wanted_ratio:.2f}", row.ratio >= row.wanted_ratio)
        table.add_row(size, simulations, row.rollouts, *rates, wanted)
    return table


def startup_table(startups: list[Startup]) -> Table:
    """Return the table of times until something is seen."""
    title = "Seconds from the start of a process, with kernels on disk (medians)"
    table = Table("python main.py", "until", *figures("seconds", "wanted"), title=title)
    for row in startups:
        limit = row.wanted_seconds
        wanted = "" if limit is None else verdict(f"{limit:.1f}", row.seconds < limit)
        table.add_row(row.command, row.until, f"{row.seconds:.2f}", wanted)
    return table


def main() -> None:
    """Measure everything and show it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--repetitions", type=int, default=7, help="of each search (default 7)")
    arguments = parser.parse_args()
    stay_on_one_core()
    settings = list(itertools.product(BOARD_SIZES, SIMULATIONS))
    comparisons: list[Comparison] = []
    for board_size, simulations in track(settings, "searching", transient=True):
        comparisons += compare(board_size, simulations, arguments.repetitions)
    startups = list(measure_startup(min(arguments.repetitions, 5)))
    console = Console()
    console.print(*(f"{name} {value}" for name, value in machine().items()), sep=" · ")
    console.print(comparison_table(comparisons))
    console.print(startup_table(startups))
    if arguments.json:
        figures = {
            "machine": machine(),
            "search": [asdict(row) for row in comparisons],
            "startup": [asdict(row) for row in startups],
        }
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
