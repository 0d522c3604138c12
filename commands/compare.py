"""``compare``: a round robin of any agents, with intervals, ratings and speeds."""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.errors import UsageError
from commands.files import check_unused, folder_name, game_stem, output_folder
from commands.parser import MOST_GAMES, MOST_SIMULATIONS, MOST_WORKERS, number_reader, whole_number
from commands.play import agents_in_words, game_of
from commands.system import System

if TYPE_CHECKING:
    from agents.match import Arena, PlayedGame, Results
    from base.params import Params
    from display.live.display import Display

_FILES = ("compare.json", "compare.png", "games.jsonl")
_LIBRARIES = ("numba", "numpy", "torch")
_MOST_PAIRS = 15
"""More pairs than this are shown in a cross table, not one in each line."""
_MOSTLY = 0.95
"""Where fewer games are distinct than this share, the intervals are not to be trusted."""


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
    seconds = number_reader(
        "seconds above 0 and up to 3600", float, lambda seconds: 0 < seconds <= 3600
    )
    effort.add_argument(
        "--seconds", type=seconds, metavar="S", help="for each move of all who search"
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


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play everyone against everyone, and show who is better and how sure that is."""
    from agents.match import Arena
    from commands.contestants import check_nets, make_contestants, read_candidates
    from display.live import make_display

    candidates = read_candidates(arguments.agents, arguments.file)
    if len(candidates) < 2:
        raise UsageError(f"expected at least two agents to compare, got {len(candidates)}")
    check_nets(candidates)
    game = game_of(system, tuple(candidate.spec for candidate in candidates))
    stem = f"compare-{game_stem(game)}"
    params = system.params
    contestants = make_contestants(
        candidates, game, params, arguments.simulations, arguments.seconds
    )
    arena = Arena(game, contestants, arguments.games, params.seed, arguments.gauntlet)
    shown = params.display
    if not system.overrides_any("display"):
        # Boards would take longer than the games; the key d brings them all the same.
        shown = shown.model_copy(update={"mode": "off"})
    with (
        output_folder(arguments.out, stem, ".compare.lock") as folder,
        make_display(shown, game, folder / "games") as display,
    ):
        check_unused(folder, _FILES, "--out")
        arguments.workers = arguments.workers or _cores()
        display.show_first(shown.games * len(arena.pairs))  # pairs advance together
        Comparison(arena, display, folder, params, arguments).play()
    return 0


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class Comparison:
    """Plays an arena on several threads; keeps and shows what is finished, however it ends.

    Attributes:
        arena: Who plays what.
        display: Where to show it.
        folder: Where the results go.
        params: The parameters.
        arguments: How many threads play, and what all searches have, if that is set for all.
    """

    arena: Arena
    display: Display
    folder: Path
    params: Params
    arguments: argparse.Namespace
    _kept: int = 0
    _started: float = 0.0

    def play(self) -> None:
        """Play all games; what is finished is kept and shown, whatever ends them."""
        arena, display = self.arena, self.display
        agents = len(arena.contestants)
        display.message(
            f"{agents} agents on {arena.game!r}, {arena.games_per_pair} games of each two, "
            f"{self.arguments.workers} at a time"
        )
        display.start_progress("games", arena.total_games)
        self._started = time.perf_counter()
        try:
            arena.play(self.arguments.workers, [display], self._on_result)
        finally:
            display.stop_progress()
            if arena.records:
                results = arena.results()
                try:
                    self._show(results)
                finally:
                    self._keep(results)

    def _on_result(self, game: PlayedGame) -> None:
        """Keep and count a game."""
        self._keep_games([game])
        self.display.advance(1)

    def _keep_games(self, games: Sequence[PlayedGame]) -> None:
        """Write games, in the order of the plan."""
        from base.storage import AppendLog

        with AppendLog(self.folder / "games.jsonl") as log:
            for game in games:
                log.append(game.record.to_json())
        self._kept += len(games)

    def _show(self, results: Results) -> None:
        """Print the tables."""
        from display.reports.tables import comparison_table, cross_table, effort_table, pairs_table

        display = self.display
        display.write(comparison_table(results))
        if len(results.rows) <= len(results.pairs) <= _MOST_PAIRS:
            display.write(pairs_table(results))
        elif len(results.pairs) >= len(results.rows):
            display.write(cross_table(results, who="agent"))
        display.write(effort_table(results))
        for line in _remarks(results):
            display.message(line)

    def _keep(self, results: Results) -> None:
        """Write the results and their picture."""
        from base.storage import write_json
        from display.reports.tournament_plots import plot_comparison

        self._keep_games(self.arena.records[self._kept :])  # finished ahead of others that are not
        data, picture = self.folder / "compare.json", self.folder / "compare.png"
        write_json(data, {"setup": self._setup(), **results.to_json()})
        plot_comparison(picture, results, self._how_played(results))
        self.display.message(f"Kept in {data}, {picture.name} and games.jsonl.")

    def _setup(self) -> dict[str, Any]:
        """Return how the results came about, as JSON data."""
        game, given, params = self.arena.game, self.arguments, self.params
        return {
            "command": shlex.join(["python", "main.py", *given.given]),
            "seed": params.seed,
            "play": params.play.model_dump(mode="json", exclude={"workers"}),
            "game": game.name,
            "game_params": game.params,
            "games_per_pair": self.arena.games_per_pair,
            "simulations": given.simulations,
            "seconds": given.seconds,
            "workers": given.workers,
            "wall_seconds": time.perf_counter() - self._started,
            "versions": {
                "python": platform.python_version(),
                **{library: version(library) for library in _LIBRARIES},
            },
            "platform": platform.platform(),
            "cores": os.cpu_count(),
        }

    def _how_played(self, results: Results) -> str:
        """Return the line below the picture's heading."""
        words, given = [repr(self.arena.game)], self.arguments
        if given.simulations is not None:
            words.append(f"{given.simulations:,} simulations a move")
        if given.seconds is not None:
            words.append(f"{given.seconds:g} s a move")
        words += [f"{self.arena.games_per_pair} games a pair", "95 % intervals"]
        if any(row.draws for row in results.rows):
            words.append("a draw is half a win")
        if results.total < results.planned:
            words.append(f"ended after {results.total} of {results.planned} games")
        return "   ·   ".join(words)


def _remarks(results: Results) -> list[str]:
    """Return what the figures do not tell."""
    lines = []
    if results.total < results.planned:
        lines.append(f"Ended early: {results.total} of {results.planned} games were played.")
    lines.append(f"{results.distinct_games} of {results.total} games were distinct.")
    if results.distinct_games < _MOSTLY * results.total:
        lines[-1] += " Games that repeat others make the intervals too narrow."
    return lines
