"""Simulations a second against the size of the board, of the tree and of the net, plotted.

    python -m benchmarks.curves --out curves.png

Each point is the best of four searches of the empty board of Hex, on one core and in processor
time, with compiled kernels; each search begins with an empty tree.
"""

import argparse
from pathlib import Path

from matplotlib.ticker import FuncFormatter, NullFormatter
from rich.progress import track

from base.storage import write_json
from benchmarks.speed import our_search
from benchmarks.timing import seconds, show
from display.boards.palette import BLUE, OCHRE
from display.boards.picture import save_figure
from display.reports.sheet import PAGE, PANEL, PRINT, new_figure, panels

TREES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
WIDTHS = (16, 32, 64, 128, 256, 512)
POINTS = [
    *(("board, uniform rollouts", size, (size, 10_000, 0)) for size in range(3, 14)),
    *(("board, rollouts by a net of 64-64", size, (size, 1_000, 64)) for size in range(3, 14)),
    *((f"tree, {size}x{size}", count, (size, count, 0)) for size in (5, 11) for count in TREES),
    *((f"net, {size}x{size}", width, (size, 1_000, width)) for size in (5, 11) for width in WIDTHS),
]
"""Each point: its curve, its x; and board size, simulations, and neurons in each of two layers."""

Curves = dict[str, dict[int, float]]
"""Points by the name of their curve: x, and simulations a second."""


def plot(path: Path, curves: Curves) -> None:
    """Draw a panel for each kind of curve."""
    figure = new_figure("", PAGE, 2 * PANEL, printed=True)
    kinds = {
        "board": "rows of the board",
        "tree": "simulations of the search, uniform rollouts",
        "net": "neurons in each of two layers",
    }
    for axes, (kind, words) in zip(panels(figure, 3), kinds.items(), strict=True):
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
    save_figure(figure, path, PRINT)


def main() -> None:
    """Measure, plot, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("curves.png"), metavar="FILE.png")
    arguments = parser.parse_args()
    curves: Curves = {}
    for name, x, (size, simulations, width) in track(POINTS, "searches"):
        search = our_search(size, simulations, (width, width) if width else ())
        least = min(seconds(search) for _ in range(4))
        curves.setdefault(name, {})[x] = simulations / least
    plot(arguments.out, curves)
    write_json(arguments.out.with_suffix(".json"), curves)
    points = ((name, f"{x:,}", f"{y:,.0f}") for name in curves for x, y in curves[name].items())
    show(["curve", "x", "simulations a second"], points)


if __name__ == "__main__":
    main()
