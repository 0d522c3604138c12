"""The opening map: a net's value of each first move, beside the true value."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke

from display.boards.board_picture import board_extent, cell_outline, draw_cells, write, write_names
from display.boards.cells import Coordinates, cell_centers, cells_of_move
from display.boards.palette import BLACK, CELL, GOLD, INK, PAPER, RED, player_name
from display.boards.picture import save_figure
from display.reports.sheet import new_figure

WINNERS = LinearSegmentedColormap.from_list("winners", [BLACK, CELL, RED])
"""From 0, player 2 wins, over an open game to 1, player 1 wins."""
DARK = 0.45
_WIDTH, _ABOVE, _CELL = 10.0, 1.3, 0.5


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
    left, right, low, high = board_extent(game, named=True)
    height = _ABOVE + (_WIDTH / 2) * (high - low) / (right - left)
    wrong = sum(given["wrong"])
    title = f"First moves of {player_name(game, 1)}, after {record['episode']} episodes"
    subtitle = (
        f"{len(places) - wrong} of {len(places)} right; golden edges: wrong.   "
        "A cell has the colour of the winner after that move"
        f"{'' if all(given['true']) else ', 0 is a draw'}."
    )
    figure, centers = new_figure(title, _WIDTH, height, subtitle), cell_centers(game)
    for axes, key, words in zip(
        figure.subplots(1, 2), ("thinks", "true"), ("The net thinks", "True"), strict=True
    ):
        axes.set_title(words, color=INK, fontsize=12)
        faces: list[Any] = [CELL] * len(centers)
        for place, value in zip(places, given[key], strict=True):
            faces[place] = WINNERS((value + 1.0) / 2.0)
        draw_cells(axes, game, empty, faces, _CELL)
        for place, value, is_wrong in zip(places, given[key], given["wrong"], strict=True):
            if is_wrong:
                rims = withStroke(linewidth=5.5, foreground=PAPER)
                edge = axes.add_patch(cell_outline(game, place, 0.86))
                edge.set(edgecolor=GOLD, linewidth=3.2, path_effects=[rims])
            if abs(value) < 1.0:
                (x, y), letters = centers[place], min(11.0, 45.0 / game.board_shape[0])
                colour = "white" if abs(value) > DARK else INK
                shown = f"{value:+.1f}" if value else "0"
                write(axes, x, y, shown, letters, color=colour, zorder=8)
        write_names(axes, names, 10)
        axes.axis((left, right, low, high))
        axes.set_aspect("equal")
        axes.set_axis_off()
    save_figure(figure, path)
