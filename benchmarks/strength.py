"""Strength figures of 5x5 training, over five seeds: what ``make strength`` prints.

For each seed: train with the default parameters but 200 episodes of 500 simulations, play the TOPP
of the five cached nets (G = 50, probabilistic choice), and let the last net play 100 games against
uniformly random moves.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agents import make_agent
from agents.match import GameRecord, PlannedGame, play_series, starting_players
from commands.system import System, read_params
from main import DEFAULT_PARAMS
from rl import cached_nets
from state_manager import StateManager

OVERRIDES = (
    "game.name=hex",
    "game.size=5",
    "rl.episodes=200",
    "rl.cached_nets=5",
    "mcts.simulations=500",
    "topp.games=50",
    "topp.action_choice=probabilistic",
)


@dataclass(frozen=True)
class Figures:
    """What one seed gave.

    Attributes:
        seed: The seed.
        seconds: Training time.
        wins: TOPP wins of the five nets, in order of training.
        random_wins: Games won of 100 against uniformly random moves.
    """

    seed: int
    seconds: float
    wins: tuple[int, ...]
    random_wins: int

    @property
    def ranked(self) -> bool:
        """Whether the untrained net is last and the last two nets are on top."""
        first, *middle, fourth, fifth = self.wins
        return first < min(self.wins[1:]) and min(fourth, fifth) > max(first, *middle)


def measure(seed: int, overrides: list[str], run: Path) -> Figures:
    """Train and play with one seed."""
    system = System(read_params(DEFAULT_PARAMS, [*OVERRIDES, f"seed={seed}", *overrides]))
    rl_system = system.rl_system(run)
    started = time.perf_counter()
    rl_system.train()
    seconds = time.perf_counter() - started
    nets = cached_nets(run)
    topp = system.topp(nets)
    topp.play()
    wins = tuple(row.wins for row in topp.results().rows)
    random_wins = sum(_random_wins(nets[-1], system.game, seed, side) for side in (0, 1))
    return Figures(seed, seconds, wins, random_wins)


def _random_wins(path: Path, game: StateManager, seed: int, side: int) -> int:
    """Return how many of 50 games a net wins, as player 1 (side 0) or 2, against random moves."""
    seeds = np.random.SeedSequence(seed, spawn_key=(side,)).spawn(2)
    net = make_agent(f"anet:{path},choice=greedy", game, seed=seeds[0])
    opponent = make_agent("random", game, seed=seeds[1])
    agents = (net, opponent) if side == 0 else (opponent, net)
    plan = [PlannedGame(lambda: agents, starter) for starter in starting_players(50, "alternate")]
    records: dict[int, GameRecord] = {}
    play_series(game, plan, records)
    return sum(record.winner == side + 1 for record in records.values())


def main() -> int:
    """Print a row for each seed; exit with 1 if a figure is not what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, from 1 on (5)")
    parser.add_argument("overrides", nargs="*", metavar="section.key=value")
    arguments = parser.parse_args()
    table = Table("seed", "training", "TOPP wins", "ranked", "of 100 against random")
    rows = []
    for seed in track(range(1, arguments.seeds + 1), "seeds"):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(seed, arguments.overrides, Path(folder)))
    for row in rows:
        ranked = "yes" if row.ranked else "no"
        wins = " ".join(map(str, row.wins))
        table.add_row(str(row.seed), f"{row.seconds:.1f} s", wins, ranked, str(row.random_wins))
    Console().print(table)
    good = all(row.ranked and row.random_wins >= 99 and row.seconds < 60 for row in rows)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
