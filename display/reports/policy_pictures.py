"""Pictures of policies for print: a net beside a search, in one position or in many."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analysis import Comparison
from display.boards.cells import Coordinates, percent
from display.boards.palette import INK, player_name
from display.boards.picture import save_figure
from display.reports import heat_map as maps
from display.reports.sheet import COLUMN, PAGE, PRINT, add_colour_bar, new_figure
from state_manager import StateManager

_ON_A_ROW = 5
_WIDEST_IN_A_COLUMN = 7
_LINE = 0.145  # inches from a line of text to the next
_ROW = 0.25  # inches for the row of stones or coins above bars
_COLOUR_BAR = 0.5


def plot_position(
    path: Path, names: Coordinates, place: int, comparison: Comparison, search_name: str
) -> None:
    """Save the net's policy beside the search's in position number ``place`` as a PNG file."""
    game, barred = names.game, not names.game.drawing.has_board
    width = COLUMN if barred or game.board_shape[1] <= _WIDEST_IN_A_COLUMN else PAGE
    both = _heat_maps(game, comparison)
    board = 0.47 * width
    height = maps.heat_map_height(game, board, both[0].bars, named=True)
    row = _ROW if barred else 0.0
    whole = height + row + 8 * _LINE + (0.0 if barred else _COLOUR_BAR)
    title, subtitle = _heading(game, place, comparison)
    figure = new_figure(title, width, whole, subtitle, printed=True)
    grid = figure.add_gridspec(1 + barred, 2, height_ratios=[row, height] if barred else None)
    if barred:
        maps.draw_row(figure.add_subplot(grid[0, :]), both[0], width)
    axes = [figure.add_subplot(grid[-1, number]) for number in (0, 1)]
    of_both = ("net", comparison.of_net), (search_name, comparison.of_search)
    for each, (name, of_it), heat_map in zip(axes, of_both, both, strict=True):
        maps.draw_heat_map(each, heat_map, board, both[0].bars, names)
        middle = _middle(game)
        each.set_title(name, fontsize=7.5, weight="bold", color=INK, x=middle)
        note = f"entropy {of_it.entropy:.2f} nats, first {percent(of_it.top_probability)}%"
        each.set_xlabel(note, fontsize=6.5, color=INK, x=middle)
    captions = _captions(game, comparison)
    captions.append(maps.marks_in_words(dots=comparison.best_actions is not None))
    figure.supxlabel("\n".join(captions), fontsize=6.5, color=INK)
    if not barred:
        add_colour_bar(figure, axes, COLUMN / width * 0.55)
    save_figure(figure, path, PRINT)


def plot_positions(path: Path, game: StateManager, comparisons: Sequence[Comparison]) -> None:
    """Save one position or more on a sheet, five on a row, each with the net's board on top."""
    barred = not game.drawing.has_board
    heat_maps = [_heat_maps(game, each) for each in comparisons]
    bars = max(net.bars for net, _ in heat_maps)
    columns = min(_ON_A_ROW, len(comparisons))
    rows, width = -(-len(comparisons) // columns), PAGE / _ON_A_ROW * columns
    board = PAGE / _ON_A_ROW - 0.15
    height = maps.heat_map_height(game, board, bars, named=False)
    heights = [*[_ROW] * barred, height, height]  # of the rows of a block
    whole = rows * (sum(heights) + 4 * _LINE) + 2 * _LINE + (0.0 if barred else _COLOUR_BAR)
    figure = new_figure("", width, whole, printed=True)
    ratios = heights * rows
    grid = figure.subplots(len(ratios), columns, squeeze=False, height_ratios=ratios)
    for place in range(rows * columns):
        block, column = divmod(place, columns)
        axes = grid[block * len(heights) : (block + 1) * len(heights), column]
        if place >= len(comparisons):
            for each in axes:
                each.remove()
            continue
        comparison, both = comparisons[place], heat_maps[place]
        heading, caption = _heading(game, place + 1, comparison), _captions(game, comparison)[0]
        axes[0].set_title("\n".join(heading), fontsize=6, color=INK)
        if barred:
            maps.draw_row(axes[0], both[0], board)
        for name, each, heat_map in zip(("net", "search"), axes[-2:], both, strict=True):
            maps.draw_heat_map(each, heat_map, board, bars)
            if column == 0:
                each.set_ylabel(name, fontsize=7, weight="bold", color=INK)
        axes[-1].set_xlabel(caption, fontsize=6, color=INK, x=_middle(game))
    dots = any(each.best_actions is not None for each in comparisons)
    figure.supxlabel(maps.marks_in_words(dots=dots, narrow=columns == 1), fontsize=6, color=INK)
    if not barred:
        shown = [each for each in grid.flat if each.figure is not None]
        add_colour_bar(figure, shown, min(1.0, 2.2 / width))
    save_figure(figure, path, PRINT)


def _heat_maps(game: StateManager, comparison: Comparison) -> tuple[maps.HeatMap, maps.HeatMap]:
    position, best = comparison.position, comparison.best_actions or ()
    net = maps.HeatMap(game, position.state, position.policy, position.last_action, best)
    return net, replace(net, policy=comparison.search.distribution)


def _middle(game: StateManager) -> float:
    """Return the middle of a board, or of bars with their names, as a share of their axes."""
    return 0.5 if game.drawing.has_board else 0.3


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
