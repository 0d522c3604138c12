"""What ``analyse`` finds out, and the files and words that it makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.match import starting_players
from analysis import (
    Comparison,
    SearchSetup,
    apply_temperature,
    compare_with_search,
    game_statistics,
    kind_of_search,
    sample_positions,
    self_play,
    temperature_effects,
)
from base.storage import printable, write_json
from commands.errors import UsageError
from display.boards.palette import player_name
from display.reports.analysis_plots import plot_statistics, plot_temperatures
from display.reports.heat_map import HeatMap
from display.reports.policy_pictures import plot_position, plot_positions
from display.reports.tables import phases_table

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from display.live.screen import Screen

_CURVE_POINTS = 41
_LONGEST_GAME = 44
_LEAVES = {
    "net_rollouts": "rollouts by the net",
    "critic": "PUCT with the critic",
    "uniform_rollouts": "uniform rollouts",
}


class AnalysisReport:
    """A net beside a search, in the games of the net against itself."""

    def __init__(
        self, net: ANET, path: Path, params: Params, setup: SearchSetup, folder: Path
    ) -> None:
        """Prepare a report.

        Args:
            net: The net.
            path: Its file.
            params: The seed, who starts, and how many threads search.
            setup: The search.
            folder: Where the files go; it is made by whoever calls ``write``.
        """
        self._net, self._game, self._path = net, net.game, path
        self._params, self._setup, self._folder = params, setup, folder
        self._comparisons: list[Comparison] = []
        self._games = 0

    def examine(self, games: int, screen: Screen) -> None:
        """Play games of the net against itself, and search from every position with a choice.

        Raises:
            UsageError: If there is no choice between two moves in any of them.
        """
        seed, starter = self._params.seed, self._params.game.starting_player
        positions = []
        screen.start_progress("games of the net against itself", games)
        for number, player in enumerate(starting_players(games, starter)):
            random = np.random.SeedSequence(seed, spawn_key=(0, number))
            positions += self_play(self._net, number, player, random)
            screen.advance(1, None)
        screen.stop_progress()
        if not positions:
            raise UsageError(f"expected a game with a choice between two moves, got {self._game!r}")
        screen.start_progress("positions searched", len(positions))
        self._comparisons = compare_with_search(
            self._net,
            positions,
            self._setup,
            seed,
            self._params.play.workers,
            lambda number: screen.advance(1, None),
        )
        screen.stop_progress()
        self._games = games
        self._statistics = game_statistics(self._comparisons)

    def write(self, positions: int, temperatures: Sequence[float]) -> str:
        """Write all pictures, and the numbers beside each.

        Args:
            positions: How many positions to draw.
            temperatures: Above 0, ascending.

        Returns:
            What was written, in words.
        """
        random = np.random.SeedSequence(self._params.seed, spawn_key=(2,))
        self._sampled = sample_positions(self._comparisons, positions, random)
        self._write_positions()
        self._write_statistics()
        self._write_temperatures(temperatures)
        return f"{len(self._sampled)} positions, statistics.png, temperature.png, positions.png"

    def show(self, screen: Screen) -> None:
        """Print the table and the calibration."""
        statistics = self._statistics
        screen.write(phases_table(f"{self._name} beside {self._search_name}", statistics))
        for who, name in (("search", "The search's value"), ("net", "The critic's value")):
            if who in statistics.calibration:
                value = statistics.calibration[who]
                right = "" if value.right_side is None else f", right side {value.right_side:.1%}"
                brier = f"Brier score {value.brier:.3f}"
                screen.message(f"{name} against the outcome: {brier}{right}.")

    @property
    def _name(self) -> str:
        return printable(self._path.stem)

    @property
    def _search_name(self) -> str:
        return f"search, {self._setup.simulations:,} simulations"

    @property
    def _subtitle(self) -> str:
        """The line below headings."""
        game = repr(self._game)
        if len(game) > _LONGEST_GAME:
            game = f"{game[: _LONGEST_GAME - 1]}…"
        games = f"{self._games} game{'' if self._games == 1 else 's'} against itself"
        search = f"{self._search_name}, {_LEAVES[kind_of_search(self._net)]}"
        return f"{game}  ·  {games}  ·  {search}  ·  seed {self._params.seed}"

    def _write_json(self, stem: str, data: Mapping[str, Any]) -> None:
        """Write numbers, after what is needed to find them out again."""
        import numba
        import torch

        search = kind_of_search(self._net)
        setup = {
            "net": self._path.as_posix(),
            "episode": self._net.episode,
            "game": self._game.name,
            "game_params": self._game.params,
            "seed": self._params.seed,
            "starting_player": self._params.game.starting_player,
            "games": self._games,
            "search": search,
            "simulations": self._setup.simulations,
            "exploration": None if search == "critic" else self._setup.exploration,
            "rollout_epsilon": self._setup.rollout_epsilon,
            "versions": {each.__name__: each.__version__ for each in (np, numba, torch)},
        }
        write_json(self._folder / f"{stem}.json", {"setup": setup, **data})

    def _write_positions(self) -> None:
        """Write each sampled position, and the sheet of all."""
        digits = max(2, len(str(len(self._sampled))))
        rows = []
        for place, each in enumerate(self._sampled, start=1):
            stem = f"position_{place:0{digits}}"
            rows.append(each.to_json(self._game))
            picture = self._folder / f"{stem}.png"
            plot_position(picture, self._game, place, each, self._search_name)
            self._write_json(stem, rows[-1])
        plot_positions(self._folder / "positions.png", self._game, self._sampled, "search")
        self._write_json("positions", {"positions": rows})

    def _write_statistics(self) -> None:
        statistics = self._statistics
        plot_statistics(
            self._folder / "statistics.png",
            statistics,
            f"{self._name} beside a search",
            f"{self._subtitle}  ·  bands: 95 % intervals",
            player_name(self._game, 1),
        )
        self._write_json("statistics", statistics.to_json())

    def _write_temperatures(self, temperatures: Sequence[float]) -> None:
        """Write the temperatures' effects on the sampled position of middling entropy."""
        by_entropy = sorted(self._sampled, key=lambda each: each.of_net.entropy)
        shown = by_entropy[len(by_entropy) // 2]
        position = shown.position
        policies = [(each, apply_temperature(position.policy, each)) for each in temperatures]
        between = np.geomspace(0.8 * temperatures[0], 1.25 * temperatures[-1], _CURVE_POINTS)
        effects = temperature_effects(self._comparisons, sorted({*between.tolist(), *temperatures}))
        number = next(place for place, each in enumerate(self._sampled, start=1) if each is shown)
        plot_temperatures(
            self._folder / "temperature.png",
            [
                (each, HeatMap(self._game, position.state, policy, position.last_action))
                for each, policy in policies
            ],
            effects,
            f"{self._name} at other temperatures",
            f"above, position {number}; below, means over {len(self._comparisons)} positions"
            f"  ·  {self._game.name}",
        )
        self._write_json(
            "temperature",
            {
                "position": number,
                "policies": [
                    {"temperature": each, "policy": policy.tolist()} for each, policy in policies
                ],
                "effects": [asdict(each) for each in effects if each.temperature in temperatures],
                "curve": [asdict(each) for each in effects],
            },
        )
