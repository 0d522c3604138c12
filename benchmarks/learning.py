"""Do nets learn faster here than in another checkout, in the same processor time?

    python -m benchmarks.learning --against FOLDER --preset hex-11 --minutes 10 --seeds 21 22 23

Both checkouts train from nothing for the same minutes of processor time, in turns of a second, so
that a busy machine treats them alike. Then every net of this checkout plays every net of the other
one: greedy after each first move from both sides, and with searches. Their cached nets play an
agent that does not change, which gives the learning curves. What is in ``--out`` is not trained
again.
"""

import argparse
import math
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import Progress

from agents import parse_agent
from agents.match import Arena, Score
from base.storage import parse_json, read_jsonl, write_json
from benchmarks.timing import ROOT, in_one_line, show
from cli.contestants import Candidate, make_contestants
from cli.exits import UsageError, stop_signals
from hex_mcts.system import read_params
from rl.run_directory import nets_of
from state_manager import StateManager, make_game

TURN, COMMAND = 1.0, "command.json"  # seconds; the words of a training, in its folder
TRAIN = """
import sys, time, types
from pathlib import Path
import rl.clock, rl.self_play_engine
from hex_mcts.system import System, read_params

clock = types.SimpleNamespace(time=time.process_time, perf_counter=time.process_time)
rl.clock.time = rl.self_play_engine.time = clock
file, run, *words = sys.argv[1:]
System(read_params(Path(file), words)).rl_system(Path(run)).train()
"""
"""What a checkout's Python runs: the clock of training counts processor time, of all threads."""


@dataclass
class Run:
    """A training of one checkout for ``minutes``; ``words`` change the parameters of ``file``."""

    checkout: Path
    file: Path
    words: Sequence[str]
    minutes: float
    path: Path

    def begin(self) -> psutil.Popen:
        """Start to train, in a process that waits for its turn."""
        if self.path.exists():  # it was stopped
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True)
        write_json(self.path / COMMAND, self.command)
        command = [sys.executable, "-c", TRAIN, *self.command]
        with (self.path / "errors.txt").open("w") as errors:
            process = psutil.Popen(command, cwd=self.checkout, stderr=errors)
        process.suspend()
        return process

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of ``metrics.jsonl`` with an update; none without a file."""
        file = self.path / "metrics.jsonl"
        return [line for line in read_jsonl(file) if "loss" in line] if file.exists() else []

    @property
    def command(self) -> list[str]:
        """The words after ``TRAIN``: the file of parameters, the folder, the other parameters."""
        return [str(self.file), str(self.path), *self.words, f"rl.minutes={self.minutes}"]

    @property
    def is_over(self) -> bool:
        """Whether the net is there that has learned from all games.

        A folder of another training, or of anything else, is a ``UsageError``.
        """
        kept = self.path / COMMAND
        trained = parse_json(kept.read_bytes()) if kept.exists() else None
        if self.path.exists() and trained != self.command:
            raise UsageError(f"{self.path}: expected a training of these words; try another --out")
        return bool(self.lines) and self.lines[-1]["episode"] == nets_of(self.path)[-1][0]

    @property
    def net(self) -> Path:
        """The last net."""
        return nets_of(self.path)[-1][1]

    @property
    def learned(self) -> tuple[int, int]:
        """The numbers of games and positions."""
        episodes = [0, *(line["episode"] for line in self.lines)]
        games = [after - before for before, after in pairwise(episodes)]
        plies = [line["plies"] for line in self.lines]
        return episodes[-1], round(sum(n * each for n, each in zip(games, plies, strict=True)))

    @property
    def curve(self) -> list[tuple[float, Path]]:
        """The cached nets but the first, with the minutes of processor time before each."""
        minutes = {line["episode"]: line["seconds"] / 60 for line in self.lines}
        return [(minutes[n], file) for n, file in nets_of(self.path) if n in minutes]


def end(process: psutil.Popen) -> None:
    """End a process, if it has not ended by itself."""
    with suppress(psutil.NoSuchProcess):
        process.kill()
    process.wait()


def train(runs: Sequence[Run]) -> None:
    """Train side by side, each for a second in turn, and show how far they are."""
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        name = " and ".join(run.path.name for run in runs)
        task = progress.add_task(name, total=60 * sum(run.minutes for run in runs))
        processes = list[psutil.Popen]()
        for run in runs:
            processes.append(run.begin())
            stack.callback(end, processes[-1])
        used = dict.fromkeys(range(len(runs)), 0.0)
        while {each.returncode for each in processes} in ({None}, {None, 0}):
            for place, each in enumerate(processes):
                with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
                    each.resume()
                    each.wait(TURN)
                with suppress(psutil.NoSuchProcess):
                    used[place] = sum(each.cpu_times()[:2])
                    each.suspend()
            progress.update(task, completed=sum(used.values()))
    for run, each in zip(runs, processes, strict=True):
        if each.returncode:
            *_, last = (run.path / "errors.txt").read_text().splitlines() or ["no message"]
            raise UsageError(f"{run.checkout}: the training failed: {last}")


def play(
    game: StateManager, ours: Sequence[str], theirs: Sequence[str], games: int | None = None
) -> Score:
    """Return the sum of what ours won against theirs, after all first moves or ``games`` a pair."""
    candidates = [Candidate(parse_agent(word), word) for word in (*ours, *theirs)]
    made = make_contestants(candidates, game, read_params(ROOT / "params.yaml").for_games(2))
    total = np.zeros(4, int)
    for mine in made[: len(ours)]:
        arena = Arena(game, [mine, *made[len(ours) :]], games, gauntlet=True)
        arena.play(workers=2)
        score = arena.results().rows[0]
        total += score.games, score.wins, score.losses, score.draws
    return Score(*total.tolist())


def elo(score: Score) -> float:
    """Return the difference in Elo points, as if one drawn game more had been played."""
    rate = (score.win_rate * score.games + 0.5) / (score.games + 1)
    return 400 * math.log10(rate / (1 - rate))


def draw(curves: Sequence[tuple[bool, list[tuple[float, float]]]], against: str, to: Path) -> None:
    """Draw Elo points against minutes, a line for each training: whether it is ours, and points."""
    figure, colours = Figure(figsize=(7, 4.2), layout="constrained"), ("#888888", "#c0392b")
    axes = figure.add_subplot()
    for is_ours, points in curves:
        axes.plot(*zip(*points, strict=True), marker="o", color=colours[is_ours])
    for colour, name in zip(colours, ("the other checkout", "this checkout"), strict=True):
        axes.plot([], [], color=colour, label=name)
    title = f"nets, greedy, against {against}"
    axes.set(title=title, xlabel="minutes of processor time", ylabel="difference in Elo points")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(to, dpi=130)


def trainings(given: argparse.Namespace) -> list[tuple[Run, Run]]:
    """Return ours and that of the other checkout, for each seed."""
    if len({*given.seeds}) < len(given.seeds):
        raise UsageError(f"--seeds: expected different ones, got {given.seeds}")
    other, none = given.against.resolve(), list[str]()
    ours = "ours", ROOT, given.minutes, given.ours
    theirs = "theirs", other, given.their_minutes or given.minutes, none
    name = f"presets/{given.preset.replace('-', '_')}.yaml" if given.preset else "params.yaml"

    def training(seed: int, side: str, checkout: Path, minutes: float, words: list[str]) -> Run:
        if not (checkout / "rl" / "clock.py").exists():
            raise UsageError(f"{checkout}: expected a checkout of this program")
        if not (file := checkout / name).exists():
            raise UsageError(f"{checkout}: there is no preset {given.preset}")
        words = [*given.overrides, *words, f"seed={seed}"]
        return Run(checkout, file, words, minutes, given.out.resolve() / f"{side}-{seed}")

    return [(training(seed, *ours), training(seed, *theirs)) for seed in given.seeds]


def compare(given: argparse.Namespace) -> None:
    """Train, play and print, with the words of the command line."""
    pairs = trainings(given)
    params = read_params(pairs[0][0].file, pairs[0][0].words)  # mistakes come before all work
    left = [[run for run in pair if not run.is_over] for pair in pairs]
    for some in filter(None, left):
        train(some)
    runs = [run for pair in pairs for run in pair]
    rows = [[run.path.name, f"{run.lines[-1]['seconds'] / 60:.2f}", *run.learned] for run in runs]
    show(("training", "processor minutes", "games", "positions"), rows)
    game = make_game(params.game.name, **params.game.options.model_dump())
    greedy, search = "anet:{},choice=greedy", f"mcts:{{}},simulations={given.simulations}"
    ways = [("greedy", greedy, None)]
    if given.simulations:
        ways += [(f"{given.simulations} simulations", f"{search},time_limit=null", given.games)]
    rows, sides = [], (runs[::2], runs[1::2])
    for name, word, games in ways:
        ours, theirs = ([word.format(run.net) for run in side] for side in sides)
        score = play(game, ours, theirs, games)
        rate = f"{score.win_rate:.1%}", f"{score.low:.1%} to {score.high:.1%}"
        rows.append([name, score.games, score.wins, *rate, f"{elo(score):+.0f}"])
    show(("our nets against theirs", "games", "won", "rate", "95 %", "Elo"), rows)
    if given.fixed:
        curves = []
        for place, run in enumerate(runs):
            scores = [(n, play(game, [greedy.format(net)], [given.fixed])) for n, net in run.curve]
            curves.append((place % 2 == 0, [(n, elo(score)) for n, score in scores]))
        draw(curves, given.fixed, given.out / "curves.png")
        print(f"The learning curves are in {given.out / 'curves.png'}.")


def main() -> None:
    """Compare two checkouts; a mistake is one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add, words = parser.add_argument, "section.key=value"
    add("--against", type=Path, required=True, metavar="FOLDER", help="the other checkout")
    add("--preset", help="of each checkout (its params.yaml)")
    add("--minutes", type=float, default=10.0, help="of processor time, for each training (10)")
    add("--their-minutes", type=float, metavar="MINUTES", help="of the other checkout (as many)")
    add("--seeds", type=int, nargs="+", default=[21, 22, 23], help="a training each (21 22 23)")
    add("--simulations", type=int, default=32, help="of the searches; 0 for none (32)")
    add("--games", type=int, help="of the searches, a pair (from both sides of every first move)")
    add("--fixed", metavar="WORD", help="an agent that the cached nets play, for the curves")
    add("--out", type=Path, required=True, metavar="FOLDER", help="the trainings, and curves.png")
    add("--ours", nargs="+", default=[], metavar=words, help="parameters of this checkout alone")
    add("--set", nargs="+", default=[], metavar=words, dest="overrides", help="of both")
    given, stopped = parser.parse_args(), "Stopped; the same command trains what is left."
    with in_one_line("benchmarks.learning", stopped), stop_signals():
        compare(given)


if __name__ == "__main__":
    main()
