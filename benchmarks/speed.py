"""The speed figures: simulations a second beside OpenSpiel's C++ search, and memory.

Both searches run UCT with the same exploration, one rollout a simulation and no solving of nodes,
from the empty board, on one core. They take turns, so that a busy machine slows both alike, and
medians are compared. OpenSpiel plays uniformly random rollouts; ours are uniform, or by a net.

Run it with ``make bench``, or ``python -m benchmarks.speed [--repetitions N]``.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from rich.progress import track

from anet import ANET
from base.params import ANETParams
from benchmarks.timing import in_turns, show
from mcts import MCTS, Variant
from state_manager import make_game

BOARD_SIZES, SIMULATIONS = (5, 7, 11), (1_000, 10_000)
ROLLOUTS = {"uniform": (), "ANET 64-64": (64, 64), "ANET 256-32": (256, 32)}
"""Our rollouts, and the hidden layers of the nets that play them."""

Row = dict[str, Any]


def open_spiel_search(board_size: int, simulations: int) -> Callable[[], int]:
    """Return OpenSpiel's search of the empty board, which returns its number of simulations."""
    import pyspiel

    game = pyspiel.load_game(f"hex(board_size={board_size})")
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1),
        uct_c=1.0,
        max_simulations=simulations,
        max_memory_mb=2_000,  # enough for the largest tree, so that it never collects garbage
        solve=False,
        seed=1,
        verbose=False,
    )
    return lambda: int(bot.mcts_search(game.new_initial_state()).explore_count)


def our_mcts(board_size: int, simulations: int, hidden_layers: Sequence[int] = ()) -> MCTS:
    """Return this project's search, with rollouts by a net that has these layers, if any."""
    game = make_game("hex", size=board_size)
    policy = None
    if hidden_layers:
        net = ANET(game, ANETParams(hidden_layers=tuple(hidden_layers), activation="relu"), seed=1)
        policy = net.rollout_policy(epsilon=0.1)
    variant = Variant().with_settings(exploration=1.0)
    return MCTS(game, simulations, variant=variant, rollout_policy=policy, seed=1)


def our_search(
    board_size: int, simulations: int, hidden_layers: Sequence[int] = ()
) -> Callable[[], int]:
    """Return its search of the empty board from an empty tree."""
    mcts = our_mcts(board_size, simulations, hidden_layers)
    state = mcts.game.initial_state()

    def search() -> int:
        mcts.reset()
        return int(mcts.search(state).visit_counts.sum())

    return search


def rate(search: Callable[[], int]) -> float:
    """Return the simulations a second of one search."""
    began = time.perf_counter()
    return search() / (time.perf_counter() - began)


def compare(board_size: int, simulations: int, repetitions: int) -> list[Row]:
    """Return the speeds of all rollouts beside OpenSpiel's."""
    searches = {"OpenSpiel": open_spiel_search(board_size, simulations)}
    for rollouts, layers in ROLLOUTS.items():
        searches[rollouts] = our_search(board_size, simulations, layers)
    measured = {name: lambda one=one: rate(one) for name, one in searches.items()}
    medians = {name: median(rates) for name, rates in in_turns(measured, repetitions).items()}
    return [
        {
            "board_size": board_size,
            "simulations": simulations,
            "rollouts": rollouts,
            "open_spiel": medians["OpenSpiel"],
            "ours": medians[rollouts],
            "ratio": medians[rollouts] / medians["OpenSpiel"],
        }
        for rollouts in ROLLOUTS
    ]


def measure_memory(board_size: int, repetitions: int) -> Row:
    """Return the speed on used memory, and on fresh memory."""
    simulations = max(SIMULATIONS)
    kept = our_mcts(board_size, simulations)
    state = kept.game.initial_state()

    def speed_of(search: MCTS) -> float:
        search.reset()
        result = search.search(state, simulations)
        return result.simulations / result.seconds

    measured = {"kept": lambda: speed_of(kept), "fresh": lambda: speed_of(our_mcts(board_size, 1))}
    medians = {name: median(rates) for name, rates in in_turns(measured, repetitions).items()}
    return {"board_size": board_size, **medians}


def measure_megabytes() -> Row:
    """Return the growth of the process in one large search on the largest board."""
    size, simulations, process = max(BOARD_SIZES), 1_000_000, psutil.Process()
    search, before = our_mcts(size, simulations), process.memory_info().rss
    search.search(search.game.initial_state())
    grown = (process.memory_info().rss - before) / 1e6
    return {"board_size": size, "simulations": simulations, "megabytes": grown}


def machine() -> dict[str, str]:
    """Return the processor and the versions of the packages."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    packages = {name: version(name) for name in ("numba", "numpy", "open_spiel", "torch")}
    processor = names[0] if names else platform.processor() or platform.machine()
    return {"processor": processor, "python": platform.python_version(), **packages}


def main() -> None:
    """Measure everything and show it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=7, help="of each search (default 7)")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # one core
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    kinds = [(size, simulations) for size in BOARD_SIZES for simulations in SIMULATIONS]
    searches: list[Row] = []
    for size, simulations in track(kinds, "searching", transient=True):
        searches += compare(size, simulations, arguments.repetitions)
    memories = [measure_memory(size, arguments.repetitions) for size in BOARD_SIZES]
    largest = measure_megabytes()
    print(" · ".join(f"{name} {value}" for name, value in machine().items()))
    headings = ("board", "simulations", "rollouts", "OpenSpiel", "ours", "ratio")
    form = "{}x{}|{:,}|{}|{:,.0f}|{:,.0f}|{:.2f}"
    rows = [form.format(row["board_size"], *row.values()).split("|") for row in searches]
    show(headings, rows, "Simulations a second on one core, from the empty board (medians)")
    rows = [
        f"{size}x{size}|{kept:,.0f}|{fresh:,.0f}|{fresh / kept:.2f}".split("|")
        for size, kept, fresh in map(dict.values, memories)
    ]
    title = f"Simulations a second of {max(SIMULATIONS):,} with uniform rollouts (medians)"
    show(("board", "memory kept", "fresh", "share"), rows, title)
    print("{1:,} simulations on {0}x{0}: {2:.0f} MB".format(*largest.values()))


if __name__ == "__main__":
    main()
