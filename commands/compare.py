"""``compare``: a round robin of any agents, with intervals, ratings and speeds."""

from __future__ import annotations

import argparse
import math
import os
import shlex
from pathlib import Path

from base.storage import excerpt
from commands.errors import UsageError
from commands.files import check_unused, folder_name, game_stem, output_folder
from commands.parser import MOST_GAMES, MOST_SIMULATIONS, MOST_WORKERS, whole_number
from commands.play import agents_in_words, game_of
from commands.system import System

_MOST_SECONDS = 3600.0
_FILES = ("compare.json", "compare.png", "games.jsonl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument(
        "--agents", dest="file", type=Path, metavar="FILE", help="a YAML list of more agents"
    )
    parser.add_argument(
        "--games",
        type=whole_number(MOST_GAMES),
        metavar="G",
        help="games of each two agents (each first move from both sides)",
    )
    parser.add_argument(
        "--gauntlet",
        action="store_true",
        help="only the first agent meets all others, instead of everyone everyone",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--simulations",
        type=whole_number(MOST_SIMULATIONS),
        metavar="N",
        help="for each move of all who search",
    )
    effort.add_argument(
        "--seconds", type=_seconds, metavar="S", help="for each move of all who search"
    )
    parser.add_argument(
        "--workers",
        type=whole_number(MOST_WORKERS),
        metavar="W",
        help="games played at a time (one a core)",
    )
    parser.add_argument("--out", type=folder_name, metavar="DIR", help="where the results go")
    parser.set_defaults(agents=[])
    parser.usage = (
        f"{parser.prog} [-h] AGENT AGENT ... [--agents FILE] [--games G]\n"
        "         [--gauntlet] [--simulations N | --seconds S] [--workers W] [--out DIR]\n"
        "         [--params FILE] [section.key=value ...]"
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "FILE holds a list of agents, each as its word or as {name: ..., agent: ...}.\n\n"
        f"{agents_in_words(people=False)}\n\n{parser.epilog}"
    )


def _seconds(text: str) -> float:
    """Read a time."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.0 < seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"expected seconds above 0 and up to {_MOST_SECONDS:g}, got {excerpt(text)}"
        )
    return seconds


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play everyone against everyone, and show who is better and how sure that is."""
    from agents.match import Arena
    from commands.comparison import Comparison
    from commands.contestants import check_nets, make_contestants, read_candidates
    from display.live import make_display

    candidates = read_candidates(arguments.agents, arguments.file)
    if len(candidates) < 2:
        raise UsageError(f"expected at least two agents to compare, got {len(candidates)}")
    check_nets(candidates)
    game = game_of(system, tuple(candidate.spec for candidate in candidates))
    stem = f"compare-{game_stem(game.name, game.params)}"
    params, (simulations, seconds) = system.params, (arguments.simulations, arguments.seconds)
    contestants = make_contestants(candidates, game, params, simulations, seconds)
    arena = Arena(game, contestants, arguments.games, params.seed, arguments.gauntlet)
    shown = params.display
    if not any(word.startswith("display.") for word in system.overrides):
        # Boards would take longer than the games; the key d brings them all the same.
        shown = shown.model_copy(update={"mode": "off"})
    with (
        output_folder(arguments.out, stem, ".compare.lock") as folder,
        make_display(shown, game, folder / "games") as display,
    ):
        check_unused(folder, _FILES, "--out")
        Comparison(
            arena,
            display,
            shown.games,
            folder,
            workers=arguments.workers or _cores(),
            simulations=simulations,
            seconds=seconds,
            setup={
                "command": shlex.join(["python", "main.py", *arguments.given]),
                "seed": params.seed,
                "play": params.play.model_dump(mode="json", exclude={"workers"}),
            },
        ).play()
    return 0


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
