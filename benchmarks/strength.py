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
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from agents import Agent, Seed, make_agent
from agents.match import Arena, Contestant
from hex_mcts.system import System, read_params
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


def measure(seed: int, overrides: list[str], run: Path) -> tuple[float, list[int], int]:
    """Train and play with one seed.

    Returns:
        The seconds of training, the TOPP wins of the five nets in order of training, and how many
        of 100 games the last one wins against uniformly random moves.
    """
    system = System(read_params(DEFAULT_PARAMS, [*OVERRIDES, f"seed={seed}", *overrides]))
    rl_system = system.rl_system(run)
    started = time.perf_counter()
    rl_system.train()
    seconds = time.perf_counter() - started
    nets = cached_nets(run)
    topp = system.topp(nets)
    topp.play()
    wins = [row.wins for row in topp.results().rows]
    return seconds, wins, wins_against_random(nets[-1], system.game, seed)


def wins_against_random(net: Path, game: StateManager, seed: int) -> int:
    """Return how many of 100 games a net wins, each from the empty board."""

    def contestant(word: str) -> Contestant:
        def make(seed: Seed) -> Agent:
            return make_agent(word, game, seed=seed)

        return Contestant(word, make, word)

    arena = Arena(game, [contestant(f"anet:{net},choice=greedy"), contestant("random")], 100, seed)
    arena.openings = ((),) * 100
    arena.play()
    return arena.results().rows[0].wins


def are_ranked(wins: Sequence[int]) -> bool:
    """Tell whether the untrained net is last and the last two nets are on top."""
    first, *middle, fourth, fifth = wins
    return first < min(wins[1:]) and min(fourth, fifth) > max(first, *middle)


def main() -> int:
    """Print a row for each seed; exit with 1 if a figure is not what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, from 1 on (5)")
    parser.add_argument("overrides", nargs="*", metavar="section.key=value")
    arguments = parser.parse_args()
    table = Table("seed", "training", "TOPP wins", "ranked", "of 100 against random")
    good = True
    for seed in track(range(1, arguments.seeds + 1), "seeds"):
        with tempfile.TemporaryDirectory() as folder:
            seconds, wins, random_wins = measure(seed, arguments.overrides, Path(folder))
        ranked = are_ranked(wins)
        good &= ranked and random_wins >= 99 and seconds < 60
        words = " ".join(map(str, wins)), "yes" if ranked else "no"
        table.add_row(str(seed), f"{seconds:.1f} s", *words, str(random_wins))
    Console().print(table)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
