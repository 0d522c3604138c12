"""``analyse``: what a net has learned, in pictures and numbers."""

from __future__ import annotations

import argparse
from pathlib import Path

from commands.files import check_unused, folder_name, game_stem, output_folder
from commands.parser import whole_number
from commands.play import game_of
from commands.system import System


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command line may hold."""
    parser.add_argument("--net", type=Path, required=True, metavar="NET", help="the net's file")
    for name, default, most, words in (
        ("positions", 10, 100, "positions to draw, spread over the plies"),
        ("games", 20, 10_000, "games of the net against itself, which everything is taken from"),
        ("simulations", 2000, 10_000_000, "of the search beside the net, in each position"),
    ):
        parser.add_argument(
            f"--{name}",
            type=whole_number(most),
            default=default,
            metavar="N",
            help=f"{words} ({default})",
        )
    parser.add_argument(
        "--temperatures",
        type=_temperatures,
        default=(0.2, 0.5, 1.0, 2.0),
        metavar="T,T...",
        help="for the picture of temperatures, ascending (0.2,0.5,1,2)",
    )
    parser.add_argument(
        "--out", type=folder_name, metavar="DIR", help="the folder to write; by default a new one"
    )


def _temperatures(text: str) -> tuple[float, ...]:
    """Read some temperatures."""
    try:
        temperatures = tuple(float(word) for word in text.split(","))
    except ValueError:
        temperatures = ()
    if not temperatures or not all(0.01 <= each <= 100 for each in temperatures):
        raise argparse.ArgumentTypeError(
            f"expected temperatures from 0.01 to 100 such as 0.5,1,2, got {text!r}"
        )
    return tuple(sorted(set(temperatures)))


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play, search, draw, and print the short of it."""
    from agents import AgentSpec, load_net
    from analysis import SearchSetup
    from commands.analysis_report import AnalysisReport
    from display.live.screen import Screen

    params = system.params
    game = game_of(system, (AgentSpec("anet", arguments.net),))
    net = load_net(arguments.net)
    stem = f"analyse-{game_stem(game)}"
    setup = SearchSetup(arguments.simulations, params.play.exploration)
    with (
        output_folder(arguments.out, stem, ".analysis.lock") as folder,
        Screen() as screen,
    ):
        check_unused(folder, ("statistics.json", "positions.png"), "--out")
        report = AnalysisReport(net, arguments.net, params, setup, folder)
        screen.message(f"{game!r}: {arguments.net} beside a search, folder {folder}")
        report.examine(arguments.games, screen)
        report.show(screen)
        places = report.write(arguments.positions, arguments.temperatures)
        screen.message(f"Kept in {folder}: {places}, and JSON beside each.")
    return 0
