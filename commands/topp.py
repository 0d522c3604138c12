"""``topp``: the Tournament of Progressive Policies."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from commands.errors import UsageError
from commands.files import folder_name, game_stem, new_folder, newest_run
from commands.system import System

if TYPE_CHECKING:
    from display import Display
    from topp import TOPP, Standings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument(
        "--run", type=folder_name, metavar="DIR", help="play off the nets of this run"
    )
    parser.set_defaults(nets=[])
    parser.usage = "main.py topp [--run DIR | NET NET ...] [--params FILE] [section.key=value ...]"


def params_file(arguments: argparse.Namespace) -> Path | None:
    """Return the parameters of the run whose nets are to play."""
    if arguments.nets:
        if arguments.run is not None:
            raise UsageError("expected --run DIR or net files, got both")
        return None
    if arguments.run is None:
        arguments.run = newest_run()
        if arguments.run is None:
            raise UsageError("expected --run DIR or net files; there is no run under runs/")
    if not arguments.run.is_dir():
        raise UsageError(f"{arguments.run}: no such run directory")
    file = Path(arguments.run) / "params.yaml"
    return file if file.exists() else None


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play the tournament and show its standings."""
    from display import make_display
    from rl import cached_nets

    nets = [Path(net) for net in arguments.nets] or cached_nets(arguments.run)
    if len(nets) < 2:
        raise UsageError(f"expected at least two nets, got {nets[0]}")
    topp = system.topp(nets)
    folder = arguments.run or new_folder(f"topp-{game_stem(topp.game.name, topp.game.params)}")
    with make_display(system.params.display, topp.game, folder / "games") as display:
        play_with_display(topp, display, system.params.display.games, folder)
    return 0


def play_with_display(topp: TOPP, display: Display, shown: int, folder: Path) -> Standings:
    """Play a tournament with a progress bar and boards; keep and show its standings.

    Ctrl-C shows and keeps the standings of the games that are finished, beside those of an earlier
    tournament that came to its end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    display.show_first(shown)
    display.start_progress("tournament", topp.total_games)
    try:
        topp.play(
            display.observers,
            on_series=lambda first, second: display.new_series(),
            on_result=lambda game: display.advance(1),
        )
    finally:
        display.stop_progress()
        if topp.records:
            _show(topp.standings(), display, folder)
    return topp.standings()


def _show(standings: Standings, display: Display, folder: Path) -> None:
    """Write the standings and their picture; print the tables and the verdict."""
    from display import cross_table, plot_standings, standings_table
    from storage import write_json

    complete = standings.total == standings.planned
    stem = "standings" if complete else "standings_incomplete"
    data, picture = folder / f"{stem}.json", folder / f"{stem}.png"
    write_json(data, standings.to_json())
    plot_standings(
        picture,
        standings.rows,
        standings.wins,
        standings.games,
        "Tournament of Progressive Policies",
    )
    display.write(standings_table(standings))
    display.write(cross_table(standings))
    display.message(
        f"{standings.distinct} of {standings.total} games were distinct "
        f"({standings.setup.variation})."
    )
    display.message(standings.verdict)
    display.message(f"Kept in {data} and {picture}.")
