"""Pictures of policies for print: a net beside a search, in one position or in many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from display.boards.heat import HeatMap
from display.reports.heat_bars import bars_of, draw_row
from display.reports.heat_map import draw_heat_map, has_bars, heat_map_height, marks_in_words
from display.reports.sheet import COLOUR_BAR, COLUMN, LINE, PAGE, Sheet

if TYPE_CHECKING:
    from state_manager import StateManager

_MARGIN = 0.08
_LABEL_WIDTH = 0.2
_NAMES_WIDTH = 0.5
"""For the names of actions, where they are bars."""
_ROW_HEIGHT = 0.25
"""For the row of stones or coins above bars."""
_ON_A_ROW = 5
_WIDEST_IN_A_COLUMN = 7


@dataclass(frozen=True)
class PolicyPair:
    """What a net and a search think of one position.

    Attributes:
        state: `[S]` int8.
        last_action: The move before it.
        net: `[A]`, the net's policy.
        search: `[A]`, the search's distribution D.
        best_actions: The best moves, if they are known.
        heading: Two lines: which position it is, and who is to move.
        notes: What is said below the net's board and below the search's.
        captions: Lines about both; the sheet of all positions has only the first one.
    """

    state: NDArray[np.int8]
    last_action: int | None
    net: NDArray[np.float64]
    search: NDArray[np.float64]
    best_actions: Collection[int] | None
    heading: tuple[str, str]
    notes: tuple[str, str]
    captions: Sequence[str]

    def heat_maps(self, game: StateManager) -> tuple[HeatMap, HeatMap]:
        """Return the net's and the search's."""
        net, search = (
            HeatMap(game, self.state, policy, self.last_action, self.best_actions)
            for policy in (self.net, self.search)
        )
        return net, search


def plot_position(path: Path, game: StateManager, pair: PolicyPair, search_name: str) -> None:
    """Save the net's policy beside the search's distribution.

    Args:
        path: A PNG file; it appears whole or not at all.
        game: The game.
        pair: The position.
        search_name: What stands above the search's board.
    """
    barred = has_bars(game)
    width = COLUMN if barred or game.board_shape[1] <= _WIDEST_IN_A_COLUMN else PAGE
    heat_maps = pair.heat_maps(game)
    bars, names = bars_of(heat_maps[0]), _NAMES_WIDTH if barred else 0.0
    board = (width - 3 * _MARGIN) / 2 - names
    height = heat_map_height(game, board, bars, named=True)
    above = 2 * _MARGIN + 3.5 * LINE + (_ROW_HEIGHT if barred else 0.0)
    below = (2.5 + len(pair.captions)) * LINE + (0.0 if barred else COLOUR_BAR + _MARGIN)
    sheet = Sheet(width, above + height + below + _MARGIN)
    sheet.write(width / 2, _MARGIN, pair.heading[0], 8, bold=True)
    sheet.write(width / 2, _MARGIN + LINE, pair.heading[1], 7)
    if barred:
        across = width - 2 * _MARGIN
        row = sheet.axes(_MARGIN, _MARGIN + 2.3 * LINE, across, _ROW_HEIGHT)
        draw_row(row, heat_maps[0], across)
    for number, (name, heat_map, note) in enumerate(
        zip(("net", search_name), heat_maps, pair.notes, strict=True)
    ):
        left = _MARGIN + names + number * (board + names + _MARGIN)
        middle = left + (board - names) / 2
        sheet.write(middle, above - 1.1 * LINE, name, 7.5, bold=True)
        draw_heat_map(sheet.axes(left, above, board, height), heat_map, board, bars, named=True)
        sheet.write(middle, above + height + 0.2 * LINE, note, 6.5)
    captions = [*pair.captions, marks_in_words(dots=pair.best_actions is not None)]
    for number, caption in enumerate(captions):
        sheet.write(width / 2, above + height + (1.4 + number) * LINE, caption, 6.5)
    if not barred:
        sheet.colour_bar(width / 2, sheet.height - COLOUR_BAR, 0.55 * COLUMN)
    sheet.save(path)


def plot_positions(
    path: Path, game: StateManager, pairs: Sequence[PolicyPair], search_name: str
) -> None:
    """Save many positions on one sheet, five on a row, each with the net's board on top.

    Args:
        path: A PNG file; it appears whole or not at all.
        game: The game.
        pairs: At least one position.
        search_name: What stands beside the search's boards.
    """
    barred = has_bars(game)
    columns = min(_ON_A_ROW, len(pairs))
    heat_maps = [pair.heat_maps(game) for pair in pairs]
    bars = max(bars_of(each) for each, _ in heat_maps)
    column = (PAGE - _LABEL_WIDTH - _MARGIN) / _ON_A_ROW
    names, row_height = (_NAMES_WIDTH, _ROW_HEIGHT) if barred else (0.0, 0.0)
    board = column - 0.1 - names
    height = heat_map_height(game, board, bars, named=False)
    block = 2 * height + row_height + 4.6 * LINE
    rows = -(-len(pairs) // columns)
    dots = any(pair.best_actions is not None for pair in pairs)
    below = LINE + (0.0 if barred else COLOUR_BAR + _MARGIN)
    sheet = Sheet(_LABEL_WIDTH + columns * column + _MARGIN, _MARGIN + rows * block + below)
    for number, (pair, both) in enumerate(zip(pairs, heat_maps, strict=True)):
        top = _MARGIN + number // columns * block
        left = _LABEL_WIDTH + number % columns * column + 0.05
        middle = left + (column - 0.1) / 2
        sheet.write(middle, top, pair.heading[0], 6.5, bold=True)
        sheet.write(middle, top + LINE, pair.heading[1], 6)
        if barred:
            row = sheet.axes(left, top + 2 * LINE, column - 0.1, row_height)
            draw_row(row, both[0], column - 0.1)
        for place, heat_map in enumerate(both):
            at = top + 2.1 * LINE + row_height + place * (height + 0.4 * LINE)
            axes = sheet.axes(left + names, at, board, height)
            draw_heat_map(axes, heat_map, board, bars, named=False)
            if number % columns == 0:
                sheet.write_upwards(0.12, at + height / 2, ("net", search_name)[place])
        sheet.write(middle, top + block - 1.7 * LINE, pair.captions[0], 6)
    at = _MARGIN + rows * block - 0.3 * LINE
    sheet.write(sheet.width / 2, at, marks_in_words(dots=dots, narrow=columns == 1), 6)
    if not barred:
        sheet.colour_bar(sheet.width / 2, sheet.height - COLOUR_BAR, min(2.2, 0.6 * sheet.width))
    sheet.save(path)
