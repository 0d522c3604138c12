"""Maps of first moves: a net's values beside the true ones, and the chances of first stones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke

from agents.first_stones import first_stones
from display.boards.board_picture import board_extent, cell_outline, draw_cells, write, write_names
from display.boards.cells import Coordinates, cell_centers, cells_of_move
from display.boards.palette import BLACK, CELL, GOLD, INK, PAPER, RED, player_name
from display.boards.picture import save_figure
from display.reports.sheet import new_figure
from state_manager import make_game

_WINNERS = LinearSegmentedColormap.from_list("winners", [BLACK, CELL, RED])
"""From 0, player 2 wins, over an open game to 1, player 1 wins."""
_DARK = 0.45
_WIDTH, _ABOVE, _CELL = 10.0, 1.3, 0.5
_COLUMNS, _SHEET_WIDTH, _SHEET_HEIGHT = 3, 9.0, 14.4


def plot_opening_map(path: Path, names: Coordinates, record: Mapping[str, Any]) -> None:
    """Save both boards as a PNG file, whole or not at all; golden edges where they disagree.

    The record is a line of ``metrics.jsonl`` with ``opening_map``. Nothing is saved of a game whose
    first moves have no cells of their own.
    """
    given, game = record["opening_map"], names.game
    empty = game.initial_state(1)
    cells = [cells_of_move(game, empty, action) for action in given["actions"]]
    if not game.drawing.has_board or any(len(each) != 1 for each in cells):
        return
    places = [cell for (cell,) in cells]
    left, end, low, high = board_extent(game, named=True)
    height = _ABOVE + (_WIDTH / 2) * (high - low) / (end - left)
    wrong = [place for place, is_wrong in zip(places, given["wrong"], strict=True) if is_wrong]
    title = f"First moves of {player_name(game, 1)}, after {record['episode']} episodes"
    right = f"{len(places) - len(wrong)} of {len(places)} right; golden edges: wrong."
    colours = "A cell has the colour of the winner after that move"
    subtitle = f"{right}   {colours}{'' if all(given['true']) else ', 0 is a draw'}."
    figure = new_figure(title, _WIDTH, height, subtitle)
    rims = withStroke(linewidth=5.5, foreground=PAPER)
    both = zip(figure.subplots(1, 2), ("thinks", "true"), ("The net thinks", "True"), strict=True)
    for axes, key, words in both:
        axes.set_title(words, color=INK, fontsize=12)
        values = dict(zip(places, given[key], strict=True))
        shares = {place: (value + 1.0) / 2.0 for place, value in values.items()}
        shown = {n: f"{value:+.1f}" if value else "0" for n, value in values.items()}
        _draw_map(axes, names, shares, shown, _CELL, min(11.0, 45.0 / game.board_shape[0]), 10)
        for place in wrong:
            edge = axes.add_patch(cell_outline(game, place, 0.86))
            edge.set(edgecolor=GOLD, linewidth=3.2, path_effects=[rims])
    save_figure(figure, path)


def plot_first_stones(path: Path, sizes: Sequence[int]) -> None:
    """Save the maps of first stones of boards of Hex as a PNG file, whole or not at all."""
    title = "First stones: red should be swapped, black not"
    chances = "Red's chances after its first stone, in percent"
    subtitle = f"{chances}; without a number, the winner is certain"
    figure = new_figure(title, _SHEET_WIDTH, _SHEET_HEIGHT, subtitle)
    rows = -(-len(sizes) // _COLUMNS)
    for axes, size in zip(figure.subplots(rows, _COLUMNS).flat, sizes, strict=False):
        game = make_game("hex", size=size)
        stones = first_stones(game)
        assert stones is not None, "expected a size with a map"
        axes.set_title(f"{size}x{size}\n{stones.known}", color=INK, fontsize=9)
        shares = dict(enumerate((stones.percent / 100).tolist()))
        shown = {place: f"{100 * share:.0f}" for place, share in shares.items()}
        _draw_map(axes, Coordinates(game), shares, shown, 0.3, 46 / size, 7)
    save_figure(figure, path)


def _draw_map(
    axes: Axes,
    names: Coordinates,
    shares: Mapping[int, float],
    shown: Mapping[int, str],
    cell: float,
    letters: float,
    letters_of_names: float,
) -> None:
    """Draw player 1's chances after each first move; ``cell`` is a cell's width in inches."""
    game, centers = names.game, cell_centers(names.game)
    faces = [_WINNERS(shares[n]) if n in shares else CELL for n in range(len(centers))]
    draw_cells(axes, game, game.initial_state(1), faces, cell)
    for place, share in shares.items():
        if 0 < share < 1:
            (x, y), colour = centers[place], "white" if abs(2 * share - 1) > _DARK else INK
            write(axes, x, y, shown[place], letters, color=colour, zorder=8)
    write_names(axes, names, letters_of_names)
    axes.axis(board_extent(game, named=True))
    axes.set_aspect("equal")
    axes.set_axis_off()
