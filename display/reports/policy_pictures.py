"""Pictures of policies for print: a net beside a search, in one position or in many."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analysis import Comparison
from display.boards.cells import Coordinates
from display.boards.palette import percent, player_name
from display.reports.heat_map import (
    HeatMap,
    draw_heat_map,
    draw_row,
    heat_map_height,
    marks_in_words,
)
from display.reports.sheet import COLOUR_BAR, COLUMN, LINE, PAGE, Sheet
from state_manager import StateManager

_MARGIN = 0.08
_LABEL_WIDTH = 0.2
_NAMES_WIDTH = 0.5
"""Inches for the names of actions drawn as bars."""
_ROW_HEIGHT = 0.25
"""Inches for the row of stones or coins above bars."""
_ON_A_ROW = 5
_WIDEST_IN_A_COLUMN = 7


def plot_position(
    path: Path, names: Coordinates, place: int, comparison: Comparison, search_name: str
) -> None:
    """Save the net's policy beside the search's in position number ``place`` as a PNG file."""
    game, barred = names.game, not names.game.has_board
    width = COLUMN if barred or game.board_shape[1] <= _WIDEST_IN_A_COLUMN else PAGE
    heat_maps = _heat_maps(game, comparison)
    heading, captions = _heading(game, place, comparison), _captions(game, comparison)
    captions.append(marks_in_words(dots=comparison.best_actions is not None))
    bars, margin = heat_maps[0].bars, _NAMES_WIDTH if barred else 0.0
    board = (width - 3 * _MARGIN) / 2 - margin
    height = heat_map_height(game, board, bars, named=True)
    above = 2 * _MARGIN + 3.5 * LINE + (_ROW_HEIGHT if barred else 0.0)
    below = (1.5 + len(captions)) * LINE + (0.0 if barred else COLOUR_BAR + _MARGIN)
    sheet = Sheet(width, above + height + below + _MARGIN)
    sheet.write(width / 2, _MARGIN, heading[0], 8, weight="bold")
    sheet.write(width / 2, _MARGIN + LINE, heading[1], 7)
    if barred:
        across = width - 2 * _MARGIN
        row = sheet.axes(_MARGIN, _MARGIN + 2.3 * LINE, across, _ROW_HEIGHT)
        draw_row(row, heat_maps[0], across)
    of_both = ("net", comparison.of_net), (search_name, comparison.of_search)
    for number, ((name, of_it), heat_map) in enumerate(zip(of_both, heat_maps, strict=True)):
        left = _MARGIN + margin + number * (board + margin + _MARGIN)
        middle = left + (board - margin) / 2
        sheet.write(middle, above - 1.1 * LINE, name, 7.5, weight="bold")
        draw_heat_map(sheet.axes(left, above, board, height), heat_map, board, bars, names)
        note = f"entropy {of_it.entropy:.2f} nats, first {percent(of_it.top_probability)}%"
        sheet.write(middle, above + height + 0.2 * LINE, note, 6.5)
    for number, caption in enumerate(captions):
        sheet.write(width / 2, above + height + (1.4 + number) * LINE, caption, 6.5)
    if not barred:
        sheet.colour_bar(width / 2, sheet.height - COLOUR_BAR, 0.55 * COLUMN)
    sheet.save(path)


def plot_positions(path: Path, game: StateManager, comparisons: Sequence[Comparison]) -> None:
    """Save one position or more on a sheet, five on a row, each with the net's board on top."""
    barred = not game.has_board
    columns = min(_ON_A_ROW, len(comparisons))
    heat_maps = [_heat_maps(game, each) for each in comparisons]
    bars = max(each.bars for each, _ in heat_maps)
    column = (PAGE - _LABEL_WIDTH - _MARGIN) / _ON_A_ROW
    names, row_height = (_NAMES_WIDTH, _ROW_HEIGHT) if barred else (0.0, 0.0)
    board = column - 0.1 - names
    height = heat_map_height(game, board, bars, named=False)
    block = 2 * height + row_height + 4.6 * LINE
    rows = -(-len(comparisons) // columns)
    dots = any(each.best_actions is not None for each in comparisons)
    below = LINE + (0.0 if barred else COLOUR_BAR + _MARGIN)
    sheet = Sheet(_LABEL_WIDTH + columns * column + _MARGIN, _MARGIN + rows * block + below)
    for number, (each, both) in enumerate(zip(comparisons, heat_maps, strict=True)):
        top = _MARGIN + number // columns * block
        left = _LABEL_WIDTH + number % columns * column + 0.05
        middle = left + (column - 0.1) / 2
        heading = _heading(game, number + 1, each)
        sheet.write(middle, top, heading[0], 6.5, weight="bold")
        sheet.write(middle, top + LINE, heading[1], 6)
        if barred:
            row = sheet.axes(left, top + 2 * LINE, column - 0.1, row_height)
            draw_row(row, both[0], column - 0.1)
        for place, heat_map in enumerate(both):
            at = top + 2.1 * LINE + row_height + place * (height + 0.4 * LINE)
            axes = sheet.axes(left + names, at, board, height)
            draw_heat_map(axes, heat_map, board, bars)
            if number % columns == 0:
                upwards = {"rotation": 90, "va": "center", "weight": "bold"}
                y = at + (height - LINE) / 2
                sheet.write(0.12, y, ("net", "search")[place], 7, **upwards)
        sheet.write(middle, top + block - 1.7 * LINE, _captions(game, each)[0], 6)
    at = _MARGIN + rows * block - 0.3 * LINE
    sheet.write(sheet.width / 2, at, marks_in_words(dots=dots, narrow=columns == 1), 6)
    if not barred:
        sheet.colour_bar(sheet.width / 2, sheet.height - COLOUR_BAR, min(2.2, 0.6 * sheet.width))
    sheet.save(path)


def _heat_maps(game: StateManager, comparison: Comparison) -> tuple[HeatMap, HeatMap]:
    position, best = comparison.position, comparison.best_actions or ()
    net = HeatMap(game, position.state, position.policy, position.last_action, best)
    return net, replace(net, policy=comparison.search.distribution)


def _heading(game: StateManager, place: int, comparison: Comparison) -> tuple[str, str]:
    position = comparison.position
    mover = player_name(game, game.to_play(position.state))
    return f"position {place}", f"move {position.ply + 1}, {mover} to play"


def _captions(game: StateManager, comparison: Comparison) -> list[str]:
    outcome = comparison.position.outcome
    end = "the game was a draw" if outcome == 3 else f"{player_name(game, outcome)} won the game"
    values = [f"search {comparison.search_value:+.2f}"]
    if comparison.net_value is not None:
        values.append(f"critic {comparison.net_value:+.2f}")
    choice = "same" if comparison.agree else "other"
    return [
        f"overlap {percent(1 - comparison.total_variation)}%, {choice} choice",
        f"value for {player_name(game, 1)}: {', '.join(values)}; {end}",
    ]
