"""``topp``: the Tournament of Progressive Policies."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from agents import AgentSpec
from agents.match import Arena, GameRecord, ScoredGame
from base.storage import locked, parse_json, read_file, write_csv, write_json
from cli.contestants import named_agents
from cli.exits import UsageError
from cli.outputs import game_stem, output_folder, reporting_result
from cli.params_files import Start
from cli.saved_games import check_save, save_games
from display.live import make_display
from display.live.display import Display
from display.reports.tables import cross_table, standings_table
from proofs.regret import measure_regret
from rl import cached_nets
from state_manager import make_game
from topp import TOPP, Setup, Standings

_LONGEST_WAIT = 60.0  # longest wait in seconds for another tournament to write to the same folder
_SECONDS_BETWEEN = 1.0  # seconds between two writes of the running standings


def run(system: Start, arguments: argparse.Namespace) -> None:
    """Play the tournament and show its standings."""
    with_random = "random" in arguments.words
    nets = [Path(word) for word in arguments.words if word != "random"]
    nets += cached_nets(system.run) if system.run else []
    if len(nets) + with_random < 2:
        raise UsageError(f"expected at least two nets, got {nets[0]}")
    _, specs, notes = named_agents(system, *(AgentSpec("anet", net) for net in nets))
    topp = system.topp([spec.net for spec in specs if spec.net], with_random)
    check_save(arguments.save, topp.game)
    with (
        reporting_result(arguments.json) as report,
        output_folder(system.run, f"topp-{game_stem(topp.game)}") as folder,
        make_display(system.params.display, topp.game, folder / "games") as display,
    ):
        display.message(*notes)
        if system.run != arguments.run:
            display.message(f"Nets of {folder}, the newest run; another: --run DIR")
        if system.params.topp.regret_positions:  # fails at once if the judge cannot
            measure_regret(topp)
        try:
            shown = system.params.display.games
            play_with_display(topp, display, shown, folder, partial(measure_regret, topp))
        finally:
            if topp.records:
                report(topp.results().to_json())
                if arguments.save is not None:
                    save_games(arguments.save, topp.game, [each.record for each in topp.records])
                    display.message(f"Games saved in {arguments.save}.")


def play_with_display(
    topp: TOPP,
    display: Display,
    shown: int,
    folder: Path,
    finish: Callable[[], object] = lambda: None,
) -> None:
    """Play a tournament, ``shown`` games of each series on show; save complete standings."""
    topp.watch_first(shown if display.enabled else 0)
    display.show_first(shown)
    display.new_series()
    display.start_progress("tournament", topp.total_games)

    played = list[GameRecord]()  # in the order in which they end: the newest is last

    def on_result(game: ScoredGame) -> None:
        played.append(game.record)
        display.advance(1)
        save_so_far()
        if game.number == topp.games_per_pair:
            display.new_series()

    def content() -> dict[str, Any]:
        save_games(running.with_suffix(".jsonl"), topp.game, played)
        return topp.results().to_json()

    show, save = partial(_show, topp, display, finish), partial(_save, topp, display, folder)
    running = folder / "standings_running.json"
    with (
        showing_results(topp, display, show, save),
        running_results(running, content) as save_so_far,
    ):
        topp.play(observers=[display], on_result=on_result)


@contextmanager
def running_results(
    file: Path, content: Callable[[], dict[str, Any]]
) -> Iterator[Callable[[], None]]:
    """Yield a function that writes results so far for other processes, at most once a second."""
    written = time.monotonic()

    def save_so_far() -> None:
        nonlocal written
        if time.monotonic() >= written + _SECONDS_BETWEEN:
            with suppress(OSError):  # a full disk is reported with the final standings
                write_json(file, content())
            written = time.monotonic()

    try:
        yield save_so_far
    finally:
        for each in (file, file.with_suffix(".jsonl")):
            with suppress(OSError):
                each.unlink(missing_ok=True)


@contextmanager
def showing_results(
    arena: Arena, display: Display, show: Callable[[Any], None], save: Callable[[Any], None]
) -> Iterator[None]:
    """Show and save the results of the games in the ``with`` block, even after an error."""
    try:
        yield
    finally:
        display.stop_progress()
        if arena.records:
            try:
                show(arena.results())
            finally:
                save(arena.results())


def _show(topp: TOPP, display: Display, finish: Callable[[], object], standings: Standings) -> None:
    distinct = f"{standings.distinct_games} of {standings.total} games were distinct."
    display.message(f"{distinct} {standings.setup.variation}")
    display.write(standings_table(standings))  # from here on, in sight on 24 lines
    display.write(cross_table(standings))
    figures = ""
    if standings.total == standings.planned and not standings.regrets:
        finish()  # which may compile
        standings = topp.results()
        figures = ", ".join(f"{regret:.1%}" for regret in standings.regrets.values())
    if standings.regrets:
        positions = f"{standings.regret_positions} won positions that the net alone throws away"
        display.message(f"Regret, the share of {positions}{figures and ': '}{figures}.")
    display.message(standings.verdict)


def _save(topp: TOPP, display: Display, folder: Path, standings: Standings) -> None:
    from display.reports.tournament_plots import plot_standings

    complete = standings.total == standings.planned
    stem = "standings" if complete else "standings_incomplete"
    data, picture = folder / f"{stem}.json", folder / f"{stem}.png"
    # Tournaments may run during training, or side by side.
    with locked(folder / ".standings.lock", wait=_LONGEST_WAIT):
        moved = _move_earlier(folder, standings) if complete else None
        content = standings.to_json()
        write_json(data, content)
        write_csv(data.with_suffix(".csv"), content["rows"])
        save_games(data.with_suffix(".jsonl"), topp.game, [each.record for each in topp.records])
        plot_standings(picture, standings, _how_played(standings.setup))
    display.message(f"Saved in {data} and {picture.suffix}.")
    if moved is not None:
        files = f"{moved}.json and {moved.name}.png"
        display.message(f"Those of an earlier tournament are now {files}.")


def _move_earlier(folder: Path, standings: Standings) -> Path | None:
    """Move earlier standings, if different, to a free name; return its stem."""
    earlier, as_read = folder / "standings.json", json.loads(json.dumps(standings.to_json()))
    try:
        if not earlier.exists() or parse_json(read_file(earlier, 2**24)) == as_read:
            return None
    except ValueError:
        pass  # no standings, but perhaps a file of the user
    numbered = (folder / f"standings_{number}" for number in count(1))
    moved = next(path for path in numbered if not path.with_suffix(".json").exists())
    for suffix in (".json", ".jsonl", ".png", ".csv"):
        if earlier.with_suffix(suffix).exists():
            earlier.with_suffix(suffix).replace(moved.with_suffix(suffix))
    return moved


def _how_played(setup: Setup) -> str:
    choice = f"{setup.action_choice.replace('_', '-')} choice"
    if setup.action_choice == "epsilon_greedy":
        choice += f" (the TOPP's epsilon {setup.epsilon:g})"
    game = make_game(setup.game, **setup.game_params)
    return f"{game!r}   ·   {choice}   ·   G = {setup.games_per_pair} games a pair"
