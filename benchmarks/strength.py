"""Strength figures of 5x5 training, over five seeds: what ``make strength`` prints.

For each seed: train with the default parameters but 200 episodes of 500 simulations, play the TOPP
of the five cached nets (G = 50, probabilistic choice), and let the last net play 100 games against
uniformly random moves.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.progress import track

from agents.match import Arena
from benchmarks.timing import ROOT, seconds, show
from hex_mcts.system import System, read_params
from rl import cached_nets

WORDS = "game.name=hex game.size=5 rl.episodes=200 rl.cached_nets=5 mcts.simulations=500"
TOPP_WORDS = "topp.games=50 topp.action_choice=probabilistic"


def measure(seed: int, overrides: list[str], run: Path) -> tuple[float, list[int], int]:
    """Return the seconds of training, the nets' TOPP wins, and the last net's against random."""
    words = [*WORDS.split(), *TOPP_WORDS.split(), f"seed={seed}", *overrides]
    system = System(read_params(ROOT / "params.yaml", words))
    training = seconds(system.rl_system(run).train, perf_counter)
    nets = cached_nets(run)
    topp = system.topp(nets)
    topp.play()
    wins = [row.wins for row in topp.results().rows]
    arena = Arena(system.game, [f"anet:{nets[-1]},choice=greedy", "random"], 100, seed)
    arena.openings = ((),) * 100  # each game from the empty board
    arena.play()
    return training, wins, arena.results().rows[0].wins


def are_ranked(wins: Sequence[int]) -> bool:
    """Return whether the untrained net is last and the last two nets are on top."""
    first, *middle, fourth, fifth = wins
    return first < min(wins[1:]) and min(fourth, fifth) > max(first, *middle)


def main() -> int:
    """Print a row for each seed; return 1 if a figure is worse than wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, from 1 on (5)")
    parser.add_argument("overrides", nargs="*", metavar="section.key=value")
    arguments = parser.parse_args()
    rows, good = [], True
    for seed in track(range(1, arguments.seeds + 1), "seeds"):
        with tempfile.TemporaryDirectory() as folder:
            training, wins, random_wins = measure(seed, arguments.overrides, Path(folder))
        good &= are_ranked(wins) and random_wins >= 99 and training < 60
        ranked = "yes" if are_ranked(wins) else "no"
        rows.append([seed, f"{training:.1f} s", " ".join(map(str, wins)), ranked, random_wins])
    show(("seed", "training", "TOPP wins", "ranked", "of 100 against random"), rows)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
