"""The maps of first stones of several boards in one picture."""

from collections.abc import Sequence
from pathlib import Path

from agents.first_stones import first_stones
from display.boards.board_picture import board_extent, draw_cells, write, write_names
from display.boards.cells import Coordinates, cell_centers
from display.boards.palette import INK
from display.boards.picture import save_figure
from display.reports.opening_map import DARK, WINNERS
from display.reports.sheet import new_figure
from state_manager import make_game

_COLUMNS, _WIDTH, _HEIGHT = 3, 9.0, 14.4


def plot_first_stones(path: Path, sizes: Sequence[int]) -> None:
    """Save the maps of boards of Hex as a PNG file, whole or not at all."""
    subtitle = (
        "Red's chances after its first stone, in percent; without a number, the winner is certain"
    )
    figure = new_figure("First stones: red should be swapped, black not", _WIDTH, _HEIGHT, subtitle)
    rows = -(-len(sizes) // _COLUMNS)
    for axes, size in zip(figure.subplots(rows, _COLUMNS).flat, sizes, strict=False):
        game = make_game("hex", size=size)
        stones, centers = first_stones(game), cell_centers(game)
        assert stones is not None, "expected a size with a map"
        axes.set_title(f"{size}x{size}\n{stones.known}", color=INK, fontsize=9)
        shares = (stones.percent / 100).tolist()
        draw_cells(axes, game, game.initial_state(), [WINNERS(each) for each in shares], 0.3)
        for (x, y), share in zip(centers, shares, strict=True):
            if 0 < share < 1:
                colour = "white" if abs(2 * share - 1) > DARK else INK
                write(axes, x, y, f"{100 * share:.0f}", 46 / size, color=colour, zorder=8)
        write_names(axes, Coordinates(game), 7)
        axes.axis(board_extent(game, named=True))
        axes.set_aspect("equal")
        axes.set_axis_off()
    save_figure(figure, path)
