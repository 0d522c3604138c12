"""How long does ``analyse --game`` take, beside another checkout of this project?

    python -m benchmarks.analysis FILE... --against FOLDER [--turns N] [--picture NEW.png]

The two run in turns, each as a command of its own; the first turn may compile, and is left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import ROOT, in_turns, seconds, show
from display.boards.palette import BLUE, CELL_EDGE, INK
from display.boards.picture import save_figure
from display.reports.sheet import PAGE, PRINT, new_figure, style_axes

HEADINGS = ["game", "checkout", "seconds", "ratio", "exact verdicts", "costliest moves"]


Review = dict[str, Any]
"""The ``game.json`` of an analysis."""


def analysed(folder: Path, game: Path, net: str) -> tuple[float, Review]:
    """Analyse a game in a checkout; return the seconds that it takes, and the review."""
    with tempfile.TemporaryDirectory() as out:
        words = "--game", str(game.resolve()), "--net", net, "--out", f"{out}/analysis"
        command = [sys.executable, "main.py", "analyse", *words]
        run = partial(subprocess.run, command, cwd=folder, check=True, capture_output=True)
        taken = seconds(run, time.perf_counter)
        return taken, json.loads(Path(out, "analysis", "game.json").read_text())


def row(folder: Path, review: Review, taken: float, other: float) -> list[str]:
    """Return a line of the table; ``other``: the seconds of the other checkout."""
    moves = review["moves"]
    size = review["setup"]["game_params"]["size"]
    exact = f"{sum(move['after']['exact'] for move in moves)} of {len(moves)}"
    dear = ", ".join(f"{ply} ({moves[ply - 1]['loss']:.1f} %)" for ply in review["costliest"])
    game = f"{size}x{size}, {len(moves)} moves"
    return [game, str(folder), f"{taken:.1f}", f"{other / taken:.1f}", exact, dear]


def draw(path: Path, rows: list[list[str]]) -> None:
    """Draw the table's seconds as bars, two for each game."""
    figure = new_figure("", PAGE, 0.5 + 0.22 * len(rows), printed=True)
    axes = figure.add_subplot()
    style_axes(axes, 7)
    for place, (game, _, taken, ratio, *_) in enumerate(reversed(rows)):
        is_ours = place % 2 == 0
        bar = axes.barh(place + 0.1 * is_ours, float(taken), color=BLUE if is_ours else CELL_EDGE)
        words = f"{taken} s, {ratio} times as fast" if is_ours else f"{taken} s"
        axes.bar_label(bar, [f"{game}: {words}"], padding=3, fontsize=7, color=INK)
    axes.set(yticks=[], xlabel="seconds", xlim=(0, 1.3 * max(float(each[2]) for each in rows)))
    save_figure(figure, path, PRINT)


def main() -> None:
    """Measure both checkouts in turns, and show them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", type=Path, nargs="+", help="each as for analyse --game")
    parser.add_argument("--against", type=Path, required=True, help="the folder of a checkout")
    parser.add_argument("--net", default="best", help="as for analyse (best)")
    parser.add_argument("--turns", type=int, default=1, help="that are measured (1)")
    parser.add_argument("--picture", type=Path, metavar="NEW.png", help="draw the seconds as bars")
    given = parser.parse_args()
    rows = []
    for game in given.games:
        folders = given.against, ROOT
        work = {str(each): partial(analysed, each, game, given.net) for each in folders}
        turns = in_turns(work, given.turns)
        least = [min(taken for taken, _ in found) for found in turns.values()]
        for folder, found, taken in zip(folders, turns.values(), least, strict=True):
            rows.append(row(folder, found[-1][1], taken, least[0]))
    show(HEADINGS, rows)
    if given.picture:
        draw(given.picture, rows)


if __name__ == "__main__":
    main()
