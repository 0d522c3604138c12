"""What ``analyse`` finds out, and the files and words that it makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from analysis.statistics import PHASES
from base.storage import printable, write_json
from commands.errors import UsageError
from display.analysis_table import phases_table
from display.heat import HeatMap
from display.palette import player_name
from display.policy_pictures import PolicyPair, plot_position, plot_positions
from display.statistics_plot import plot_statistics
from display.temperature_plot import plot_temperatures
from display.words import percent

if TYPE_CHECKING:
    from anet import ANET
    from base.params import Params
    from display.screen import Screen

_CURVE_POINTS = 41
_LONGEST_GAME = 44
_LEAVES = {
    "net_rollouts": "rollouts by the net",
    "critic": "PUCT with the critic",
    "uniform_rollouts": "uniform rollouts",
}
_ROWS = (
    ("entropy of the net", "net_entropy", "{:.2f}"),
    ("entropy of the search", "search_entropy", "{:.2f}"),
    ("perplexity of the net", "net_perplexity", "{:.1f}"),
    ("perplexity of the search", "search_perplexity", "{:.1f}"),
    ("net's first choice", "net_top_probability", "{:.1%}"),
    ("search's first choice", "search_top_probability", "{:.1%}"),
    ("same first choice", "same_first_choice", "{:.1%}"),
    ("overlap", "overlap", "{:.1%}"),
    ("KL(D, net)", "kl_divergence", "{:.2f}"),
    ("net plays a best move", "net_plays_best", "{:.1%}"),
    ("search plays a best move", "search_plays_best", "{:.1%}"),
)


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
            lambda comparison: screen.advance(1, None),
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
        rows = [(name, pattern, statistics.phases[key]) for name, key, pattern in _ROWS]
        screen.write(phases_table(f"{self._name} beside {self._search_name}", PHASES, rows))
        for who, name in (("search", "The search's value"), ("net", "The critic's value")):
            if who in statistics.calibration:
                value = statistics.calibration[who]
                right = "" if value.right_side is None else f", right side {value.right_side:.1%}"
                screen.message(f"{name} against the outcome: Brier score {value.brier:.3f}{right}.")

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
        pairs = [self._pair(place, each) for place, each in enumerate(self._sampled, start=1)]
        digits = max(2, len(str(len(pairs))))
        rows = []
        for place, (each, pair) in enumerate(zip(self._sampled, pairs, strict=True), start=1):
            stem = f"position_{place:0{digits}}"
            rows.append(each.to_json(self._game))
            plot_position(self._folder / f"{stem}.png", self._game, pair, self._search_name)
            self._write_json(stem, rows[-1])
        plot_positions(self._folder / "positions.png", self._game, pairs, "search")
        self._write_json("positions", {"positions": rows})

    def _pair(self, place: int, comparison: Comparison) -> PolicyPair:
        """Say in words what is not in the picture of a position."""
        position, game = comparison.position, self._game
        mover = player_name(game, game.to_play(position.state))
        won = f"{player_name(game, position.outcome)} won" if position.outcome != 3 else "a draw"
        values = [f"search {comparison.search_value:+.2f}"]
        if comparison.net_value is not None:
            values.append(f"critic {comparison.net_value:+.2f}")
        notes = tuple(
            f"entropy {each.entropy:.2f} nats, first {percent(each.top_probability)}%"
            for each in (comparison.of_net, comparison.of_search)
        )
        choice = "same" if comparison.agree else "other"
        captions = [
            f"overlap {percent(1 - comparison.total_variation)}%, {choice} choice",
            f"value for {player_name(game, 1)}: {', '.join(values)}; {won} the game"
            if position.outcome != 3
            else f"value for {player_name(game, 1)}: {', '.join(values)}; the game was {won}",
        ]
        return PolicyPair(
            state=position.state,
            last_action=position.last_action,
            net=position.policy,
            search=comparison.search.distribution,
            best_actions=comparison.best_actions,
            heading=(f"position {place}", f"move {position.ply + 1}, {mover} to play"),
            notes=(notes[0], notes[1]),
            captions=captions,
        )

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
        of_temperatures = [{"temperature": each, "policy": p.tolist()} for each, p in policies]
        at_these = [each.to_json() for each in effects if each.temperature in temperatures]
        curve = [each.to_json() for each in effects]
        data = {"position": number, "policies": of_temperatures, "effects": at_these}
        self._write_json("temperature", {**data, "curve": curve})
