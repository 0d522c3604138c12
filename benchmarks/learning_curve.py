"""Strength against the time of training: the cached nets of a run against one opponent, plotted.

    python -m benchmarks.learning_curve RUN --sizes 7 9 11 13 --out strength.png

Each cached net plays each first move from both sides against the same agent, by default the best
shipped net, both without a search. The time is that of training, by the run's own clock.
"""

import argparse
from pathlib import Path

from rich.progress import track

from agents.match import Arena, Score
from base.storage import read_jsonl
from benchmarks.timing import show
from display.boards.palette import BLUE
from display.boards.picture import save_figure
from display.reports.sheet import DASHED, PAGE, PANEL, PRINT, new_figure, panels
from rl.run_directory import nets_of
from state_manager import make_game

Curve = dict[float, Score]
"""The score of each net by the minutes of training."""


def measure(nets: dict[float, Path], size: int, opponent: str, games: int | None) -> Curve:
    """Return the curve of one board; ``games`` is for each net, ``None`` for all openings."""
    game = make_game("hex", size=size)
    words = [opponent, *(f"anet:{net},choice=greedy" for net in nets.values())]
    arena = Arena(game, words, games, gauntlet=True)
    arena.play()
    rows = {row.name: row for row in arena.results().rows}
    return dict(zip(nets, (rows[word] for word in words[1:]), strict=True))


def plot(path: Path, curves: dict[int, Curve]) -> None:
    """Draw a panel for each board, with 95 % intervals."""
    figure = new_figure("", PAGE, PANEL * ((len(curves) + 1) // 2), printed=True)
    for axes, (size, curve) in zip(panels(figure, len(curves)), curves.items(), strict=True):
        minutes, scores = list(curve), list(curve.values())
        axes.axhline(50, **DASHED)
        low, high = ([100 * getattr(each, end) for each in scores] for end in ("low", "high"))
        axes.fill_between(minutes, low, high, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(minutes, [100 * each.win_rate for each in scores], ".-", color=BLUE, lw=1)
        words = {"xlabel": f"minutes of training ({size}x{size})", "ylabel": "games won (%)"}
        axes.set(**words, ylim=(0, 100))
    save_figure(figure, path, PRINT)


def main() -> None:
    """Play, plot, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, help="the folder of a run")
    parser.add_argument("--sizes", type=int, nargs="+", required=True, metavar="K")
    parser.add_argument("--opponent", default="anet:best", metavar="AGENT", help="(anet:best)")
    parser.add_argument("--games", type=int, help="for each net (each first move from both sides)")
    parser.add_argument("--out", type=Path, default=Path("strength.png"), metavar="FILE.png")
    given = parser.parse_args()
    times = {each["episode"]: each["seconds"] for each in read_jsonl(given.run / "metrics.jsonl")}
    nets = {times.get(number, 0.0) / 60: net for number, net in nets_of(given.run)}
    curves = {
        size: measure(nets, size, given.opponent, given.games)
        for size in track(given.sizes, "boards")
    }
    plot(given.out, curves)
    rows = (
        (f"{size}x{size}", f"{minutes:.1f}", f"{each.wins} of {each.games}")
        for size, curve in curves.items()
        for minutes, each in curve.items()
    )
    show(("board", "minutes", f"wins against {given.opponent}"), rows)


if __name__ == "__main__":
    main()
