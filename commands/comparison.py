"""A comparison as it is played, shown and kept, for ``compare``."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.match import Arena, PlayedGame, Results
    from display.live.display import Display

_LIBRARIES = ("numba", "numpy", "torch")
_MOST_PAIRS = 15
"""More pairs than this are shown in a cross table, not one in each line."""
_MOSTLY = 0.95
"""Where fewer games are distinct than this share, the intervals are not to be trusted."""


@dataclass
class Comparison:
    """Plays an arena on several threads; keeps and shows what is finished, however it ends.

    Attributes:
        arena: Who plays what.
        display: Where to show it.
        shown: How many games of each two agents are shown, if games are shown at all.
        folder: Where the results go.
        workers: How many threads play.
        simulations: What all searches had, if that was set for all.
        seconds: The same.
        setup: What else the results are to say of how they came about.
    """

    arena: Arena
    display: Display
    shown: int
    folder: Path
    workers: int
    simulations: int | None
    seconds: float | None
    setup: Mapping[str, Any]
    _kept: int = 0
    _started: float = 0.0

    def play(self) -> None:
        """Play all games; what is finished is kept and shown, whatever ends them."""
        arena, display = self.arena, self.display
        agents = len(arena.contestants)
        display.message(
            f"{agents} agents on {arena.game!r}, {arena.games_per_pair} games of each two, "
            f"{self.workers} at a time"
        )
        display.show_first(self.shown * len(arena.pairs))  # pairs advance together
        display.start_progress("games", arena.total_games)
        self._started = time.perf_counter()
        try:
            arena.play(self.workers, [display], self._on_result)
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
        write_json(data, {"setup": self._full_setup(), **results.to_json()})
        plot_comparison(picture, results, self._how_played(results))
        self.display.message(f"Kept in {data}, {picture.name} and games.jsonl.")

    def _full_setup(self) -> dict[str, Any]:
        """Return how the results came about, as JSON data."""
        game = self.arena.game
        return {
            **self.setup,
            "game": game.name,
            "game_params": game.params,
            "games_per_pair": self.arena.games_per_pair,
            "simulations": self.simulations,
            "seconds": self.seconds,
            "workers": self.workers,
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
        words = [repr(self.arena.game)]
        if self.simulations is not None:
            words.append(f"{self.simulations:,} simulations a move")
        if self.seconds is not None:
            words.append(f"{self.seconds:g} s a move")
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
