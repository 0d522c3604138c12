"""``compare``: a round robin of any agents, with intervals, ratings and speeds."""

import argparse
import os
import platform
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import agent_notes
from agents.match import Arena, Results, ScoredGame, WonStarts
from base.cluster import available_cores
from base.params import Params
from base.storage import AppendLog, write_csv, write_json
from cli import contestants as entered
from cli import outputs
from cli.exits import UsageError
from commands.topp import running_results, showing_results
from display.boards.cells import cells_of_move
from display.boards.moment import GameView
from display.boards.terminal import TerminalBoard
from display.live import make_display
from display.live.display import Display
from display.reports import tables
from hex_mcts.system import System

_FILES = ("compare.json", "compare.csv", "compare_pairs.csv", "compare.png", "games.jsonl")
_MOST_PAIRS = 15  # more pairs than this are shown in a cross table, instead of one per line
_MOSTLY = 0.95  # below this share of distinct games, the intervals are unreliable


def run(system: System, arguments: argparse.Namespace) -> None:
    """Play a round robin, and show the results with their uncertainty."""
    named = entered.read_candidates(arguments.words, arguments.agents)
    if len(named) < 2:
        raise UsageError(f"expected at least two agents to compare, got {len(named)}")
    arguments.workers = arguments.workers or available_cores()
    game = entered.game_of(system, [candidate.spec for candidate in named])
    params = system.params.for_games(arguments.workers)
    candidates = entered.with_best_nets(named, game)
    if arguments.won_starts and (arguments.games or arguments.gauntlet):
        raise UsageError("--won-starts: expected neither --games nor --gauntlet with it")
    sides = entered.sides_to_hold(game) if arguments.won_starts else ()
    effort = arguments.simulations, arguments.seconds
    contestants = entered.make_contestants(candidates, game, params, *effort)
    if sides:
        arena: Arena = WonStarts(game, contestants, sides, params.seed, system.cluster)
    else:
        pairs = arguments.games, params.seed, arguments.gauntlet
        arena = Arena(game, contestants, *pairs, system.cluster)
    # Boards would take longer than the games; the key d still turns them on.
    off = {} if system.overrides_any("display") else {"mode": "off"}
    shown, stem = params.display.model_copy(update=off), f"compare-{outputs.game_stem(game)}"
    with (
        outputs.reporting_result(arguments.json) as report,
        outputs.output_folder(arguments.out, stem, ".compare.lock") as folder,
        make_display(shown, game, folder / "games") as display,
    ):
        outputs.check_unused(folder, _FILES, "--out")
        display.show_first(shown.games * len(arena.pairs))  # pairs advance together
        specs = ([each.spec for each in some] for some in (named, candidates))
        display.message(*agent_notes(game, *specs))
        _Comparison(arena, display, folder, params, arguments, report).play()


@dataclass
class _Comparison:
    """Plays an arena on several threads; saves and shows finished games, even after an error."""

    arena: Arena
    display: Display
    folder: Path
    params: Params
    given: argparse.Namespace
    report: outputs.Report
    saved: int = 0

    def play(self) -> None:
        arena, display, workers = self.arena, self.display, self.given.workers
        pairs = "the first agent with each other one" if self.given.won_starts else "each pair"
        games = f"{arena.games_per_pair} games of {pairs}, {workers} at a time"
        display.message(f"{len(arena.contestants)} agents on {arena.game!r}, {games}")
        display.start_progress("games", arena.total_games)
        self._started = time.perf_counter()
        running = self.folder / "compare_running.json"
        with (
            showing_results(arena, display, self._show, self._save),
            running_results(running, lambda: self._content(arena.results())) as save_so_far,
        ):

            def on_result(game: ScoredGame) -> None:
                self._save_games([game])
                save_so_far()
                display.advance(1)

            arena.play(workers, [display], on_result)

    def _save_games(self, games: Sequence[ScoredGame]) -> None:
        with AppendLog(self.folder / "games.jsonl") as log:
            for game in games:
                log.append(game.record.to_json())
        self.saved += len(games)

    def _show(self, results: Results) -> None:
        display, arena = self.display, self.arena
        is_rated = not isinstance(arena, WonStarts)  # these measure errors, not strength
        if is_rated:
            display.write(tables.comparison_table(results))
        if not is_rated or len(results.rows) <= len(results.pairs) <= _MOST_PAIRS:
            display.write(tables.pairs_table(results))
        elif len(results.pairs) >= len(results.rows):
            display.write(tables.cross_table(results, heading="agent"))
        display.write(tables.effort_table(results))
        for row in results.rows:
            if row.judged:
                display.message(tables.judged_words(row.name, row.judged, row.games))
        if isinstance(arena, WonStarts):
            for opponent in range(1, len(arena.contestants)):
                _show_lost(display, arena, opponent)
        if results.total < results.planned:
            display.message(f"Ended early: {results.total} of {results.planned} games were played.")
        distinct = f"{results.distinct_games} of {results.total} games were distinct."
        if results.distinct_games < _MOSTLY * results.total:
            distinct += " Games that repeat others make the intervals too narrow."
        display.message(distinct)

    def _save(self, results: Results) -> None:
        from display.reports.tournament_plots import plot_comparison

        self._save_games(self.arena.records[self.saved :])  # finished before earlier games
        data, picture = self.folder / "compare.json", self.folder / "compare.png"
        content = self._content(results)
        self.report(content)
        write_json(data, content)
        write_csv(data.with_suffix(".csv"), content["agents"])
        write_csv(self.folder / "compare_pairs.csv", content["pairs"])
        plot_comparison(picture, results, self._how_played(results))
        self.display.message(f"Saved in {data}, {picture.name} and games.jsonl.")

    def _content(self, results: Results) -> dict[str, Any]:
        game, given, params = self.arena.game, self.given, self.params
        setup = {
            "command": shlex.join(["python", "main.py", *given.given]),
            "seed": params.seed,
            "play": params.play.model_dump(mode="json", exclude={"workers"}),
            "game": game.name,
            "game_params": game.params,
            "games_per_pair": self.arena.games_per_pair,
            **{name: vars(given)[name] for name in ("won_starts", "simulations", "seconds")},
            "workers": given.workers,
            "wall_seconds": time.perf_counter() - self._started,
            "versions": {"python": platform.python_version(), **outputs.versions()},
            "platform": platform.platform(),
            "cores": os.cpu_count(),
        }
        return {"setup": setup, **results.to_json()}

    def _how_played(self, results: Results) -> str:
        words, given = [repr(self.arena.game)], self.given
        if given.simulations is not None:
            words.append(f"{given.simulations:,} simulations a move")
        if given.seconds is not None:
            words.append(f"{given.seconds:g} s a move")
        games = "won starts" if given.won_starts else "games a pair"
        words += [f"{self.arena.games_per_pair} {games}", "95 % intervals"]
        if any(row.draws for row in results.rows):
            words.append("a draw is half a win")
        if results.total < results.planned:
            words.append(f"ended after {results.total} of {results.planned} games")
        return "   ·   ".join(words)


def _show_lost(display: Display, arena: WonStarts, opponent: int) -> None:
    game, lost = arena.game, arena.lost(opponent)
    played = sum(opponent in each.places for each in arena.records)
    first, other = arena.contestants[0].name, arena.contestants[opponent].name
    names = display.names
    words = [names.move(side.opening[0]) if side.opening else "the empty board" for side in lost]
    end = f"; lost: {', '.join(dict.fromkeys(words))}." if lost else "."
    display.message(f"{first} holds {played - len(lost)} of {played} against {other}{end}")
    empty = game.initial_state(1)
    cells = [cells_of_move(game, empty, side.opening[0]) for side in lost if side.opening]
    if cells and game.drawing.is_hexagonal and all(len(each) == 1 for each in cells):
        board = empty.copy()
        board[[1 + cell for (cell,) in cells]] = 1
        title = f"Lost against {other} after each of these first moves"
        display.write(TerminalBoard(GameView(game, board, title, letters=names.letters)))
