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

import psutil
from rich.progress import track

from agents.open_spiel import OpenSpielAgent, OpenSpielOptions
from anet import ANET
from base.params import ANETParams
from benchmarks.timing import show
from mcts import MCTS, Variant
from state_manager import make_game

BOARD_SIZES, SIMULATIONS, _LARGEST = (5, 7, 11), (1_000, 10_000), 1_000_000
ROLLOUTS = {"uniform": (), "ANET 64-64": (64, 64), "ANET 256-32": (256, 32)}
"""Our rollouts, and the hidden layers of the nets that play them."""


def open_spiel_search(board_size: int, simulations: int) -> Callable[[], int]:
    """Return OpenSpiel's search of the empty board, which returns its number of simulations."""
    game = make_game("hex", size=board_size)
    options = OpenSpielOptions(simulations=simulations, exploration=1.0)
    agent = OpenSpielAgent(game, options=options, seed=1)

    def search() -> int:
        before = agent.simulations_run
        agent.choose_action(game.initial_state())
        return agent.simulations_run - before

    return search


def our_mcts(board_size: int, simulations: int, hidden_layers: Sequence[int] = ()) -> MCTS:
    """Return this project's search, with rollouts by a net that has these layers, if any."""
    game = make_game("hex", size=board_size)
    policy = None
    if hidden_layers:
        net = ANET(game, ANETParams(hidden_layers=tuple(hidden_layers), activation="relu"), seed=1)
        policy = net.evaluator().rollout_policy(epsilon=0.1)
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


def compare(board_size: int, simulations: int, repetitions: int) -> list[list[str]]:
    """Return the rows of a search: the speed with each kind of rollouts beside OpenSpiel's."""
    searches = {"OpenSpiel": open_spiel_search(board_size, simulations)}
    for rollouts, layers in ROLLOUTS.items():
        searches[rollouts] = our_search(board_size, simulations, layers)
    # In turns, and without the first one, which may compile.
    turns = [[rate(search) for search in searches.values()] for _ in range(1 + repetitions)]
    medians = dict(zip(searches, map(median, zip(*turns[1:], strict=True)), strict=True))
    theirs, about = medians.pop("OpenSpiel"), (f"{board_size}x{board_size}", f"{simulations:,}")
    return [
        [*about, rollouts, f"{theirs:,.0f}", f"{ours:,.0f}", f"{ours / theirs:.2f}"]
        for rollouts, ours in medians.items()
    ]


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
    searches: list[list[str]] = []
    for size, simulations in track(kinds, "searching", transient=True):
        searches += compare(size, simulations, arguments.repetitions)
    print(" · ".join(f"{name} {value}" for name, value in machine().items()))
    headings = ("board", "simulations", "rollouts", "OpenSpiel", "ours", "ratio")
    show(headings, searches, "Simulations a second on one core, from the empty board (medians)")
    large, process = our_mcts(max(BOARD_SIZES), _LARGEST), psutil.Process()
    before = process.memory_info().rss
    large.search(large.game.initial_state())
    megabytes = (process.memory_info().rss - before) / 1e6
    print(f"{_LARGEST:,} simulations on {max(BOARD_SIZES)}x{max(BOARD_SIZES)}: {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
