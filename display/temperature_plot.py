"""What a temperature does to a policy, for print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes

from display.curves import (
    LABEL_HEIGHT,
    NET,
    OTHER,
    PANEL_HEIGHT,
    REFERENCE,
    SEARCH,
    TITLE_HEIGHT,
    add_legend,
    draw_curve,
    name_panel,
    panel,
    share_axis,
    write_title,
)
from display.heat import HeatMap, marks_in_words
from display.heat_bars import bars_of
from display.heat_map import draw_heat_map, has_bars, heat_map_height
from display.sheet import COLOUR_BAR, LINE, PAGE, Sheet

_MOST_MAPS = 6
_WIDEST_MAP = 1.7
_NAMES_WIDTH = 0.5


class EffectData(Protocol):
    """Means over many positions at one temperature."""

    @property
    def temperature(self) -> float:
        """T."""

    @property
    def net_entropy(self) -> float:
        """In nats."""

    @property
    def search_entropy(self) -> float:
        """In nats."""

    @property
    def net_top_probability(self) -> float:
        """Of the likeliest move."""

    @property
    def same_choice(self) -> float:
        """Of the search's first choice."""

    @property
    def best_choice(self) -> float | None:
        """Of a best move, if these are known."""


def plot_temperatures(
    path: Path,
    heat_maps: Sequence[tuple[float, HeatMap]],
    effects: Sequence[EffectData],
    title: str,
    subtitle: str,
) -> None:
    """Save one position's policy at some temperatures, above the means over many positions.

    Args:
        path: A PNG file; it appears whole or not at all.
        heat_maps: The policy at each temperature; if there are more than 6, some are left out.
        effects: The means, by rising temperature above 0.
        title: The heading.
        subtitle: The line below it.
    """
    chosen = np.unique(np.linspace(0, len(heat_maps) - 1, _MOST_MAPS).round().astype(int))
    shown = [heat_maps[index] for index in chosen]
    game, bars = shown[0][1].game, bars_of(shown[0][1])
    names, below = (_NAMES_WIDTH, 0.0) if has_bars(game) else (0.0, COLOUR_BAR + 0.1)
    column = min(PAGE / len(shown), _WIDEST_MAP + 0.15)
    board = column - 0.15 - names
    height = heat_map_height(game, board, numbered=False, bars=bars)
    maps_top = TITLE_HEIGHT + 1.3 * LINE
    marks_top = maps_top + height + below + 0.05
    legend_lines = 1 if effects[0].best_choice is None else 2
    panels_top = marks_top + legend_lines * LINE + 0.2
    sheet = Sheet(PAGE, panels_top + PANEL_HEIGHT + LABEL_HEIGHT)
    write_title(sheet, title, subtitle)
    for number, (temperature, heat_map) in enumerate(shown):
        left = PAGE / 2 + (number - len(shown) / 2) * column + 0.075
        middle = left + (board + names) / 2
        sheet.write(middle, TITLE_HEIGHT, f"T = {temperature:g}", 7.5, bold=True)
        axes = sheet.axes(left + names, maps_top, board, height)
        draw_heat_map(axes, heat_map, board, numbered=False, bars=bars)
    if not has_bars(game):
        sheet.colour_bar(PAGE / 2, maps_top + height + 0.1, 2.2)
    sheet.write(PAGE / 2, marks_top, marks_in_words(dots=False), 6.5)
    _draw_effects(panel(sheet, 0, panels_top), panel(sheet, 1, panels_top), effects)
    for axes, letter in zip(sheet.figure.axes[-2:], "ab", strict=True):
        name_panel(axes, letter)
        axes.set_xscale("log")
        axes.set_xlim(effects[0].temperature, effects[-1].temperature)
        marked = [temperature for temperature, _ in heat_maps]
        axes.set_xticks(marked, [f"{each:g}" for each in marked])
        axes.minorticks_off()
        axes.set_xlabel("temperature T")
    sheet.save(path)


def _draw_effects(left: Axes, right: Axes, effects: Sequence[EffectData]) -> None:
    """Draw entropies at the left, probabilities at the right."""
    temperatures = [each.temperature for each in effects]
    draw_curve(left, temperatures, [each.net_entropy for each in effects], NET, "net")
    draw_curve(left, temperatures, [each.search_entropy for each in effects], SEARCH, "search")
    left.set_ylim(bottom=0)
    left.set_ylabel("mean entropy (nats)")
    add_legend(left)
    first = [each.net_top_probability for each in effects]
    same = [each.same_choice for each in effects]
    best = [each.best_choice for each in effects if each.best_choice is not None]
    draw_curve(right, temperatures, first, NET, "the net's first choice")
    draw_curve(right, temperatures, same, SEARCH, "the search's first choice")
    if best:
        draw_curve(right, temperatures, best, OTHER, "a perfect move")
    share_axis(right)
    right.set_ylabel("probability that the net plays")
    add_legend(right, on_a_line=2)
    for axes in (left, right):
        axes.axvline(
            1.0, color=REFERENCE.colour, linestyle=REFERENCE.dashes, linewidth=0.7, zorder=0
        )
