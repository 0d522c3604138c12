"""Boards as pictures: hexagons in a diamond, and animations of whole games.

Figures are made without pyplot, so that nothing global is touched and no window is needed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from display.diamond_picture import draw_diamond
from display.grid_picture import draw_grid
from display.palette import (
    FAINT,
    INK,
    PAPER,
    PLAYER_COLOURS,
    board_of,
    has_diamond,
    player_name,
)
from storage import atomic_path

if TYPE_CHECKING:
    from state_manager import StateManager

State = NDArray[np.int8]

_DOTS_PER_INCH = 110
_TITLE_LETTERS = 42
_NAME_LETTERS = 32
_FINAL_FRAME_SECONDS = 2.5
_SHORTEST_FRAME_SECONDS = 0.05


def draw_board(
    axes: Axes,
    game: StateManager,
    state: State,
    last_action: int | None = None,
    title: str = "",
    players: tuple[str, str] = ("", ""),
) -> None:
    """Draw one state; whatever the axes held before is cleared.

    Args:
        axes: Where to draw.
        game: The game; one without a diamond is drawn as rows of cells.
        state: `[S]` int8.
        last_action: The last move, which is marked.
        title: The line above the board.
        players: The names of player 1 and player 2, for the line below.
    """
    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    board = board_of(game, state)
    if has_diamond(game):
        draw_diamond(axes, board, last_action, game.winning_path(state))
    else:
        draw_grid(axes, board)
    fontsize = 13 * min(1.0, _TITLE_LETTERS / max(1, len(title)))
    axes.set_title(title, color=INK, fontsize=fontsize, fontweight="bold", pad=10)
    _draw_footer(axes, game, state, last_action, players)


def save_board(
    path: Path,
    game: StateManager,
    state: State,
    last_action: int | None = None,
    title: str = "",
    players: tuple[str, str] = ("", ""),
) -> None:
    """Save one state as a picture; the file appears whole or not at all."""
    figure, axes = new_board_figure(game)
    draw_board(axes, game, state, last_action, title, players)
    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png", dpi="figure")


def save_animation(
    path: Path,
    game: StateManager,
    states: Sequence[State],
    actions: Sequence[int],
    title: str = "",
    players: tuple[str, str] = ("", ""),
    seconds_per_move: float = 0.6,
) -> None:
    """Save a game as an animated GIF, one frame for each state, the last one held longer.

    Args:
        path: The file; it appears whole or not at all.
        game: The game.
        states: The states in order, n + 1 for n actions, each `[S]` int8.
        actions: The action that led to each state but the first.
        title: The line above the board.
        players: The names of player 1 and player 2.
        seconds_per_move: How long a frame is shown, at least 0.05 seconds.

    Raises:
        ValueError: If there is not one state more than actions.
    """
    if len(states) != len(actions) + 1:
        raise ValueError(
            f"expected one state more than actions, got {len(states)} and {len(actions)}"
        )
    figure, axes = new_board_figure(game)
    frames = []
    for state, action in zip(states, [None, *actions], strict=True):
        draw_board(axes, game, state, action, title, players)
        frames.append(_rendered(figure))
    # The final frame holds every colour of the game: one palette for all, so that nothing flickers.
    palette = frames[-1].quantize(128, dither=Image.Dither.NONE)
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    seconds = [max(seconds_per_move, _SHORTEST_FRAME_SECONDS)] * len(images)
    seconds[-1] = max(seconds[-1], _FINAL_FRAME_SECONDS)
    with atomic_path(path) as temporary:
        images[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=[round(1000 * each) for each in seconds],
            loop=0,
        )


def new_board_figure(game: StateManager, figure: Figure | None = None) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes, of a size that suits the game's board."""
    figure = Figure(dpi=_DOTS_PER_INCH) if figure is None else figure
    rows, _ = game.board_shape
    figure.set_size_inches(*((5.2, 7.4) if has_diamond(game) or rows > 1 else (7.4, 3.2)))
    figure.set_facecolor(PAPER)
    return figure, figure.add_axes((0.04, 0.09, 0.92, 0.83))


def _rendered(figure: Figure) -> Image.Image:
    """Return a figure as an image without transparency."""
    raw = io.BytesIO()
    figure.savefig(raw, format="rgba", dpi="figure")
    size = figure.canvas.get_width_height()
    return Image.frombytes("RGBA", size, raw.getvalue()).convert("RGB")


def _draw_footer(
    axes: Axes,
    game: StateManager,
    state: State,
    last_action: int | None,
    players: tuple[str, str],
) -> None:
    """Write who plays which colour, and the last move or the winner."""
    winner = game.winner(state)
    last = "" if last_action is None else f"last move {game.action_name(last_action)}"
    letters = max(1, sum(map(len, players)))
    fontsize = 10.5 * min(1.0, _NAME_LETTERS / letters)
    for player, place in ((1, 0.0), (2, 1.0)):
        name = player_name(game, player)
        words = f"{name}: {players[player - 1]}" if players[player - 1] else name
        axes.text(
            place,
            -0.02,
            words + ("  wins" if winner == player else ""),
            transform=axes.transAxes,
            color=PLAYER_COLOURS[player],
            fontsize=fontsize,
            fontweight="bold" if winner in (0, player) else "normal",
            ha="left" if player == 1 else "right",
            va="top",
        )
    axes.text(
        0.5, -0.075, last, transform=axes.transAxes, color=FAINT, fontsize=9, ha="center", va="top"
    )
