"""Boards as pictures: hexagons in a diamond, and animations of whole games.

Figures are made without pyplot, so no global state changes and no window is needed.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import get_font_names
from matplotlib.transforms import ScaledTranslation, Transform
from PIL import Image

from base.storage import atomic_path
from display.boards import board_picture as parts
from display.boards.board_picture import HEAT, SCALE
from display.boards.cells import board_of, cell_centers, row_layout
from display.boards.moment import GameView
from display.boards.palette import CELL, CELL_ON_PATH, FAINT, INK, PAPER, look_of, player_name
from state_manager import StateManager

# The name of a net is no formula, even with dollar signs.
rcParams["text.parse_math"] = False

# Names may be Chinese, Japanese or Korean: these fonts have the characters, where one is installed.
_OF_MORE_SCRIPTS = {
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Droid Sans Fallback"),
    *("PingFang SC", "Hiragino Sans GB", "Arial Unicode MS", "Microsoft YaHei", "Malgun Gothic"),
}
rcParams["font.family"] += sorted(_OF_MORE_SCRIPTS & {*get_font_names()})
warnings.filterwarnings("ignore", "Glyph .* missing from font")  # else a box is drawn

_DOTS_PER_INCH = 110
_TITLE_LETTERS = 42
_NAME_LETTERS = 32
_NOTE_LETTERS_AN_INCH = 17
_FINAL_FRAME_SECONDS = 2.5
_SHORTEST_FRAME_SECONDS = 0.05
_PALETTE_COLOURS = 128
_SIDE, _BELOW, _ABOVE = 0.3, 0.72, 0.6
"""Inches around the board: at both sides, for the players below, for the title above."""
_WIDTH, _HIGHEST, _LARGEST_CELL = 4.6, 6.08, 1.1  # sizes of a board of cells in inches


def draw_board(axes: Axes, view: GameView) -> None:
    """Draw a moment of a game; clear the axes first."""
    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    game, state, board = view.game, view.state, board_of(view.game, view.state)
    (width, _), limits = _area(game)
    axes.axis(limits)
    if game.drawing.has_board:
        shares, path = view.shares, game.winning_path(state)
        faces = [
            CELL_ON_PATH if cell in path else HEAT(SCALE(shares[cell])) if cell in shares else CELL
            for cell in range(board.size)
        ]
        inches = _WIDTH / (limits[1] - limits[0])  # of a cell
        parts.draw_cells(axes, game, state, faces, inches, view.landed, path)
        letters, size_of_names = 15 * inches, min(13.0, max(7.0, 15 * inches))
        if game.drawing.is_hexagonal:
            letters, size_of_names = max(6.0, 60 / len(board)), max(7.0, 13 - len(board) / 2.5)
        parts.write_shares(axes, shares, cell_centers(game), letters)
        parts.write_names(axes, view.coordinates, size_of_names)
    else:
        layout = row_layout(game.drawing.kind, board.size)
        (parts.draw_heap if game.drawing.kind == "heap" else parts.draw_ledge)(axes, layout, board)
    fontsize = 13 * min(1.0, _TITLE_LETTERS / max(1, len(view.title)))
    axes.set_title(view.title, color=INK, fontsize=fontsize, fontweight="bold", pad=10)
    _draw_players(axes, view)
    words = view.last_move
    if view.winner not in (0, 1, 2):
        words = ", ".join(filter(None, ("a draw", words)))
    fontsize = 9 * min(1.0, _NOTE_LETTERS_AN_INCH * width / max(1, len(words)))
    place = _below(axes, 0.46)
    axes.text(0.5, 0, words, transform=place, color=FAINT, fontsize=fontsize, ha="center", va="top")


def save_board(path: Path, view: GameView) -> None:
    """Save a moment of a game as a picture; the file appears whole or not at all."""
    figure, axes = new_board_figure(view.game)
    draw_board(axes, view)
    save_figure(figure, path, _DOTS_PER_INCH)


def save_figure(figure: Figure, path: Path, dots_per_inch: int = 130) -> None:
    """Save any figure as a PNG file, which appears whole or not at all."""
    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png", dpi=dots_per_inch)


def save_animation(path: Path, views: Sequence[GameView], seconds_per_move: float = 0.6) -> None:
    """Save moments of a game as an animated GIF, whole or not at all; the last is shown longest."""
    figure, axes = new_board_figure(views[0].game)
    save_frames(path, figure, [partial(draw_board, axes, view) for view in views], seconds_per_move)


def save_frames(
    path: Path, figure: Figure, draws: Sequence[Callable[[], object]], seconds_per_frame: float
) -> None:
    """Save the figure after each of ``draws`` as a frame; see ``save_animation``."""
    canvas: Any = FigureCanvasAgg(figure)
    frames = []
    for draw in draws:
        draw()
        canvas.draw()
        frames.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB"))
    # A palette of the first frame and all changes, which hold all colours: no flicker.
    pixels = [np.asarray(frames[0]).reshape(-1, 3)]
    pixels += [now[(now != old).any(axis=-1)] for old, now in pairwise(map(np.asarray, frames))]
    strip = Image.fromarray(np.concatenate(pixels)[None])
    palette = strip.quantize(_PALETTE_COLOURS, dither=Image.Dither.NONE)
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    seconds = [max(seconds_per_frame, _SHORTEST_FRAME_SECONDS)] * len(images)
    seconds[-1] = max(seconds[-1], _FINAL_FRAME_SECONDS)
    with atomic_path(path) as temporary:
        images[0].save(
            temporary, format="GIF", save_all=True, append_images=images[1:], loop=0,
            duration=[round(1000 * each) for each in seconds],
        )  # fmt: skip


def new_board_figure(game: StateManager, figure: Figure | None = None) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes, of a size that suits the game's board."""
    figure = Figure(dpi=_DOTS_PER_INCH) if figure is None else figure
    (width, height), _ = _area(game)
    whole_width, whole_height = width + 2 * _SIDE, height + _BELOW + _ABOVE
    figure.set_size_inches(whole_width, whole_height)
    figure.set_facecolor(PAPER)
    place = (_SIDE / whole_width, _BELOW / whole_height, width / whole_width, height / whole_height)
    return figure, figure.add_axes(place)


def enlarge(figure: Figure, *, right: float = 0.0, above: float = 0.0, below: float = 0.0) -> None:
    """Add inches at the sides of a figure, whose axes keep their places and sizes."""
    width, height = figure.get_size_inches()
    across, up = width + right, height + above + below
    for axes in figure.axes:
        x, y, w, h = axes.get_position().bounds
        axes.set_position(
            (x * width / across, (y * height + below) / up, w * width / across, h * height / up)
        )
    figure.set_size_inches(across, up)


def _area(game: StateManager) -> tuple[tuple[float, float], tuple[float, float, float, float]]:
    """The board's width and height in inches, and the left, right, low and high end of its axes."""
    if game.drawing.has_board:
        left, right, low, high = parts.board_extent(game, named=True)
        width = _WIDTH
        cell = min(_LARGEST_CELL, _WIDTH / (right - left), _HIGHEST / (high - low))
        height = cell * (high - low)
    else:
        layout = row_layout(game.drawing.kind, math.prod(game.board_shape))
        left, right, cell, (width, height) = 0, len(layout.lines[0]), layout.cell, layout.inches
        low, high = -height / cell, 0.0
    middle, half = (left + right) / 2, width / cell / 2
    return (width, height), (middle - half, middle + half, low, high)


def _draw_players(axes: Axes, view: GameView) -> None:
    game, names, winner = view.game, view.players, view.winner
    fontsize = 10.5 * min(1.0, _NAME_LETTERS / max(1, sum(map(len, names))))
    for player, place, side in ((1, 0.0, "left"), (2, 1.0, "right")):
        words = ": ".join(filter(None, (player_name(game, player), names[player - 1])))
        to_move = winner == 0 and game.to_play(view.state) == player
        # Names that change weight at each move would double the size of a diamond's animation.
        bold = winner == player or to_move or (winner == 0 and game.drawing.is_hexagonal)
        style: dict[str, Any] = {
            "transform": _below(axes, 0.13), "color": look_of(game, player).ink, "va": "top"
        }  # fmt: skip
        words += "  wins" if winner == player else ""
        weight = "bold" if bold else "normal"
        axes.text(place, 0, words, fontsize=fontsize, fontweight=weight, ha=side, **style)
        if to_move:
            mark, beside = ("▸ ", "right") if player == 1 else (" ◂", "left")
            axes.text(place, 0, mark, fontsize=10.5, ha=beside, **style)


def _below(axes: Axes, inches: float) -> Transform:
    return axes.transAxes + ScaledTranslation(0, -inches, axes.figure.dpi_scale_trans)
