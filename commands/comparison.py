"""A comparison as it is played, shown and kept, for ``compare``."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.match import Arena, PlayedGame, Results
    from display import Display

_LIBRARIES = ("numba", "numpy", "torch")
_MOST_PAIRS = 15
"""More pairs than this are shown in a cross table, not one in each line."""
_MOSTLY = 0.95
"""Where fewer games are distinct than this share, the intervals are not to be trusted."""


class Comparison:
    """Plays an arena on several threads; keeps and shows what is finished, however it ends."""

    def __init__(
        self,
        arena: Arena,
        display: Display,
        shown: int,
        folder: Path,
        *,
        workers: int,
        simulations: int | None,
        seconds: float | None,
        setup: Mapping[str, Any],
    ) -> None:
        """Prepare a comparison.

        Args:
            arena: Who plays what.
            display: Where to show it.
            shown: How many games of each two agents are shown, if games are shown at all.
            folder: Where the results go.
            workers: How many threads play.
            simulations: What all searches had, if that was set for all.
            seconds: What all searches had, if that was set for all.
            setup: What else the results are to say of how they came about.
        """
        self._arena = arena
        self._display = display
        self._shown = shown
        self._folder = folder
        self._workers = workers
        self._simulations = simulations
        self._seconds = seconds
        self._setup = setup
        self._kept: set[PlayedGame] = set()
        self._started = 0.0

    def play(self) -> None:
        """Play all games; what is finished is kept and shown, whatever ends them."""
        arena, display = self._arena, self._display
        agents = len(arena.contestants)
        display.message(
            f"{agents} agents on {arena.game!r}, {arena.games_per_pair} games of each two, "
            f"{self._workers} at a time"
        )
        display.show_first(self._shown * len(arena.pairs))  # pairs advance together
        display.start_progress("games", arena.total_games)
        self._started = time.perf_counter()
        try:
            arena.play(self._workers, display.observers, self._on_result)
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
        self._display.advance(1)

    def _keep_games(self, games: Sequence[PlayedGame]) -> None:
        """Write those games that are not yet written."""
        from base.storage import AppendLog

        with AppendLog(self._folder / "games.jsonl") as log:
            for game in games:
                if game not in self._kept:
                    log.append(game.record.to_json())
                    self._kept.add(game)

    def _show(self, results: Results) -> None:
        """Print the tables."""
        from display import comparison_table, cross_table, effort_table, pairs_table

        display = self._display
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
        from display import plot_comparison

        self._keep_games(self._arena.records)  # also those that wait for one before them
        data, picture = self._folder / "compare.json", self._folder / "compare.png"
        write_json(data, {"setup": self._full_setup(), **results.to_json()})
        plot_comparison(picture, results, "Comparison", self._how_played(results))
        self._display.message(f"Kept in {data}, {picture.name} and games.jsonl.")

    def _full_setup(self) -> dict[str, Any]:
        """Return how the results came about, as JSON data."""
        game = self._arena.game
        return {
            **self._setup,
            "game": game.name,
            "game_params": game.params,
            "games_per_pair": self._arena.games_per_pair,
            "simulations": self._simulations,
            "seconds": self._seconds,
            "workers": self._workers,
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
        words = [repr(self._arena.game)]
        if self._simulations is not None:
            words.append(f"{self._simulations:,} simulations a move")
        if self._seconds is not None:
            words.append(f"{self._seconds:g} s a move")
        words += [f"{self._arena.games_per_pair} games a pair", "95 % intervals"]
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
