"""Simulations a second against the size of the board, of the tree and of the net, plotted.

    python -m benchmarks.curves --out curves.png

Each point is the best of some searches of the empty board of Hex, on one core and in processor
time, with compiled kernels; each search begins with an empty tree.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from matplotlib.ticker import FuncFormatter, NullFormatter
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from anet import ANET
from base.params import ANETParams
from base.storage import write_json
from display.boards.palette import BLUE, OCHRE
from display.reports.sheet import PAGE, Sheet
from mcts import MCTS
from state_manager import make_game

SIZES = range(3, 14)
TREES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
WIDTHS = (16, 32, 64, 128, 256, 512)
SEARCHED, SEARCHED_BY_NET = 10_000, 1_000
BOARDS = (5, 11)
_REPETITIONS = 3

Curves = dict[str, dict[int, float]]
"""Points by the name of their curve: x, and simulations a second."""


def rate(size: int, simulations: int, width: int = 0) -> float:
    """Return simulations a second; ``width`` neurons, in each of two layers, play the rollouts."""
    game = make_game("hex", size=size)
    policy = None
    if width:
        policy = ANET(game, ANETParams(hidden_layers=(width, width)), seed=1).rollout_policy(0.1)
    search = MCTS(game, simulations=simulations, rollout_policy=policy, seed=1)
    state, best = game.initial_state(), 0.0
    for _ in range(_REPETITIONS):
        search.reset()
        began = time.process_time()
        search.search(state)
        best = max(best, simulations / (time.process_time() - began))
    return best


def points() -> Iterator[tuple[str, int, tuple[int, int, int]]]:
    """Yield each point: its curve, its x, and what is measured."""
    for size in SIZES:
        yield "board, uniform rollouts", size, (size, SEARCHED, 0)
        yield "board, rollouts by a net of 64-64", size, (size, SEARCHED_BY_NET, 64)
    for board in BOARDS:
        for simulations in TREES:
            yield f"tree, {board}x{board}", simulations, (board, simulations, 0)
        for width in WIDTHS:
            yield f"net, {board}x{board}", width, (board, SEARCHED_BY_NET, width)


def plot(path: Path, curves: Curves) -> None:
    """Draw a panel for each kind of curve."""
    sheet = Sheet(PAGE, 4.75)
    panels = (
        (sheet.panel(0, 0.3, "a"), "board", "rows of the board"),
        (sheet.panel(1, 0.3, "b"), "tree", "simulations of the search, uniform rollouts"),
        (sheet.panel(0, 2.65, "c"), "net", "neurons in each of two layers"),
    )
    for axes, kind, words in panels:
        chosen = {name: each for name, each in curves.items() if name.startswith(f"{kind}, ")}
        for colour, (name, curve) in zip((BLUE, OCHRE), chosen.items(), strict=True):
            label = name.removeprefix(f"{kind}, ")
            axes.plot(*zip(*curve.items(), strict=True), ".-", color=colour, label=label, lw=1)
        axes.set(xlabel=words, ylabel="1,000 simulations a second", yscale="log")
        if kind != "board":
            axes.set_xscale("log")
            axes.set_xticks(TREES[::2] if kind == "tree" else WIDTHS)
        if kind == "tree":
            axes.set_yticks([800_000, 1_200_000, 1_600_000, 2_000_000])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y / 1000:,.0f}"))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
        axes.legend(frameon=False, fontsize=7)
    sheet.save(path)


def main() -> None:
    """Measure, plot, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("curves.png"), metavar="FILE.png")
    arguments = parser.parse_args()
    curves: Curves = {}
    planned = list(points())
    for name, x, (size, simulations, width) in track(planned, "searches"):
        curves.setdefault(name, {})[x] = rate(size, simulations, width)
    plot(arguments.out, curves)
    write_json(arguments.out.with_suffix(".json"), curves)
    table = Table("curve", *(Column(each, justify="right") for each in ("x", "simulations a s")))
    for name, curve in curves.items():
        for x, found in curve.items():
            table.add_row(name, f"{x:,}", f"{found:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
