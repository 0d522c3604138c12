"""``analyse``: a net's play in pictures and numbers; or the mistakes of a game."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents import AgentSpec, load_net
from agents.match import starting_players
from analysis import (
    Comparison,
    GameStatistics,
    SearchSetup,
    apply_temperature,
    compare_with_search,
    game_statistics,
    kind_of_search,
    sample_positions,
    self_play,
    temperature_effects,
)
from anet import ANET
from base.params import Params
from base.storage import printable, write_json
from commands import analyse_game
from commands.exits import UsageError
from commands.folders import check_unused, game_stem, output_folder, versions
from commands.named_agents import named_agents
from display.boards.palette import player_name
from display.live.screen import Screen
from display.reports.analysis_plots import plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from display.reports.policy_pictures import plot_position, plot_positions
from display.reports.tables import phases_table
from hex_mcts.system import System

_OF_NETS = {"positions": 10, "games": 20, "temperatures": (0.2, 0.5, 1.0, 2.0)}
"""The options that are not for games, with their defaults."""
_OF_GAMES = ("number", "seconds")
_CURVE_POINTS = 41
_LONGEST_GAME = 44
_LEAVES = {
    "net_rollouts": "rollouts by the net",
    "critic": "PUCT with the critic",
    "uniform_rollouts": "uniform rollouts",
}


def run(system: System, arguments: argparse.Namespace) -> int:
    """Play, search, draw, and print a summary."""
    for name in _OF_GAMES if arguments.game is None else _OF_NETS:
        if getattr(arguments, name) is not None:
            where = "with" if arguments.game is None else "without"
            raise UsageError(f"--{name}: expected it {where} --game FILE")
    no_net = arguments.net is None
    arguments.simulations = arguments.simulations or (20_000 if no_net else 2000)
    if arguments.game is not None:
        return analyse_game.run(system, arguments)
    if no_net:
        raise UsageError("expected --net NET or --game FILE, got neither")
    for name, default in _OF_NETS.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, default)
    params = system.params
    game, (spec,), _ = named_agents(system, AgentSpec("anet", arguments.net))
    assert spec.net is not None
    arguments.net, net = spec.net, load_net(spec.net, game)
    setup = SearchSetup(arguments.simulations, params.play.exploration)
    with (
        output_folder(arguments.out, f"analyse-{game_stem(game)}", ".analysis.lock") as folder,
        Screen() as screen,
    ):
        check_unused(folder, ("statistics.json", "positions.png"), "--out")
        screen.message(f"{game!r}: {arguments.net} beside a search, folder {folder}")
        comparisons = _examine(net, setup, params, arguments.games, screen)
        statistics = game_statistics(comparisons)
        random = np.random.SeedSequence(params.seed, spawn_key=(2,))
        sampled = sample_positions(comparisons, arguments.positions, random)
        names = printable(arguments.net.stem), f"search, {setup.simulations:,} simulations"
        report = _Report(net, setup, params, arguments, folder, *names)
        report.print(statistics, screen)
        report.write_positions(sampled)
        report.write_statistics(statistics)
        report.write_temperatures(sampled, comparisons)
        places = f"{len(sampled)} positions, statistics.png, temperature.png, positions.png"
        screen.message(f"Saved in {folder}: {places}, and JSON beside each.")
    return 0


def _examine(
    net: ANET, setup: SearchSetup, params: Params, games: int, screen: Screen
) -> list[Comparison]:
    """Play games of the net against itself, and search from every position with a choice."""
    positions = []
    screen.start_progress("games of the net against itself", games)
    for number, player in enumerate(starting_players(games, params.game.starting_player)):
        random = np.random.SeedSequence(params.seed, spawn_key=(0, number))
        positions += self_play(net, number, player, random)
        screen.advance()
    screen.stop_progress()
    if not positions:
        raise UsageError(f"expected a game with a choice between two moves, got {net.game!r}")
    screen.start_progress("positions searched", len(positions))
    how = setup, params.seed, params.play.workers, lambda comparison: screen.advance()
    comparisons = compare_with_search(net, positions, *how)
    screen.stop_progress()
    return comparisons


@dataclass(frozen=True)
class _Report:
    """The files and messages of an analysis; each picture has its numbers beside it."""

    net: ANET
    setup: SearchSetup
    params: Params
    given: argparse.Namespace
    folder: Path
    name: str
    search_name: str

    def print(self, statistics: GameStatistics, screen: Screen) -> None:
        """Print the table and the calibration."""
        screen.write(phases_table(f"{self.name} beside {self.search_name}", statistics))
        for source, name in (("search", "The search's value"), ("net", "The critic's value")):
            if value := statistics.calibration.get(source):
                right = "" if value.right_side is None else f", right side {value.right_side:.1%}"
                brier = f"Brier score {value.brier:.3f}"
                screen.message(f"{name} against the outcome: {brier}{right}.")

    def _write_json(self, stem: str, data: Mapping[str, Any]) -> None:
        """Write numbers, preceded by the settings to reproduce them."""
        search, game = kind_of_search(self.net), self.net.game
        setup = {
            "net": self.given.net.as_posix(),
            "episode": self.net.episode,
            "game": game.name,
            "game_params": game.params,
            "seed": self.params.seed,
            "starting_player": self.params.game.starting_player,
            "games": self.given.games,
            "search": search,
            "simulations": self.setup.simulations,
            "exploration": None if search == "critic" else self.setup.exploration,
            "rollout_epsilon": self.setup.rollout_epsilon,
            "versions": versions(),
        }
        write_json(self.folder / f"{stem}.json", {"setup": setup, **data})

    def write_positions(self, sampled: list[Comparison]) -> None:
        """Write each sampled position, and the sheet of all."""
        game, digits = self.net.game, max(2, len(str(len(sampled))))
        rows = [each.to_json(game) for each in sampled]
        for place, each in enumerate(sampled, start=1):
            stem = f"position_{place:0{digits}}"
            plot_position(self.folder / f"{stem}.png", game, place, each, self.search_name)
            self._write_json(stem, rows[place - 1])
        plot_positions(self.folder / "positions.png", game, sampled, "search")
        self._write_json("positions", {"positions": rows})

    def write_statistics(self, statistics: GameStatistics) -> None:
        """Write the statistics of all positions."""
        game, games = repr(self.net.game), self.given.games
        if len(game) > _LONGEST_GAME:
            game = f"{game[: _LONGEST_GAME - 1]}…"
        plot_statistics(
            self.folder / "statistics.png",
            statistics,
            f"{self.name} beside a search",
            f"{game}  ·  {games} game{'' if games == 1 else 's'} against itself  ·  "
            f"{self.search_name}, {_LEAVES[kind_of_search(self.net)]}  ·  "
            f"seed {self.params.seed}  ·  bands: 95 % intervals",
            player_name(self.net.game, 1),
        )
        self._write_json("statistics", statistics.to_json())

    def write_temperatures(self, sampled: list[Comparison], comparisons: list[Comparison]) -> None:
        """Write the temperatures' effects on the sampled position of middling entropy."""
        numbered = sorted(enumerate(sampled, start=1), key=lambda pair: pair[1].of_net.entropy)
        number, shown = numbered[len(numbered) // 2]
        position, temperatures = shown.position, self.given.temperatures
        policies = [(each, apply_temperature(position.policy, each)) for each in temperatures]
        between = np.geomspace(0.8 * temperatures[0], 1.25 * temperatures[-1], _CURVE_POINTS)
        effects = temperature_effects(comparisons, sorted({*between.tolist(), *temperatures}))
        game, state, last = self.net.game, position.state, position.last_action
        plot_temperatures(
            self.folder / "temperature.png",
            [(each, HeatMap(game, state, policy, last)) for each, policy in policies],
            effects,
            f"{self.name} at other temperatures",
            f"above, position {number}; below, means over {len(comparisons)} positions"
            f"  ·  {game.name}",
        )
        named = [{"temperature": each, "policy": policy.tolist()} for each, policy in policies]
        curve = [asdict(each) for each in effects]
        chosen = [each for each in curve if each["temperature"] in temperatures]
        data = {"position": number, "policies": named, "effects": chosen, "curve": curve}
        self._write_json("temperature", data)
