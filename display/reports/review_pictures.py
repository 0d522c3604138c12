"""Pictures of a game's mistakes: each with its refutation, and the whole game."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.patheffects import withStroke

from analysis import ReviewedMove
from display.boards.board_picture import write
from display.boards.cells import Coordinates, cell_centers, cells_of_move
from display.boards.moment import GameView
from display.boards.palette import INK, look_of, player_name
from display.boards.picture import draw_board, enlarge, new_board_figure, save_figure
from display.reports.heat_map import POINTS
from display.reports.sheet import DASHED, new_figure, style_axes
from state_manager import State, StateManager

_CROSS = "\N{MULTIPLICATION SIGN}"
_GREEN = "#2e8b57"
_PLAYED = "#d81b9a"
"""No player's colour; distinct from green for the colour-blind, too."""
_LINE_INCHES, _LETTERS_ON_A_LINE = 0.2, 62
_LARGEST_MARK = 18.0


def plot_mistake(
    path: Path,
    names: Coordinates,
    move: ReviewedMove,
    players: tuple[str, str],
    last_action: int | None,
) -> None:
    """Save a position, a mistake in it, and the refutation; ``last_action`` is the move before."""
    game, letters = names.game, names.letters
    after = game.child_state(move.state, move.action)
    by = "" if move.exact else " (by a search)"
    better, answers = names.some(move.better), names.numbered(move.line, move.ply)
    refutation = _wrapped(f"the answer{by}:", " ", answers) if answers else []
    words = [[f"{_CROSS}  played: {names.move(move.action)}"], refutation]
    words[0] += _wrapped(f"●  better{by}:", ", ", better)
    figure, left = new_board_figure(game)
    below = _LINE_INCHES * (1 + max(map(len, words)))
    enlarge(figure, right=figure.get_figwidth(), below=below)
    x, y, across, up = left.get_position().bounds
    right = figure.add_axes((x + 0.5, y, across, up))
    title = f"before move {move.ply}"
    before = GameView(game, move.state, title, players, 0, last_action, letters=letters)
    draw_board(left, before)
    winner = game.winner(after)
    title = "after it" + ("" if winner else f", {player_name(game, game.to_play(after))} answers")
    shown = GameView(game, after, title, players, 0, move.action, winner, letters=letters)
    draw_board(right, shown)
    for number, lines in enumerate(words):
        middle, top = (number + 0.5) / 2, below / figure.get_figheight()
        style: dict[str, Any] = {"ha": "center", "va": "top", "color": INK, "linespacing": 1.5}
        figure.text(middle, top, "\n".join(lines), fontsize=9, **style)
    if game.drawing.has_board:
        for action in move.better:
            _mark(left, game, move.state, action, "o", _GREEN)
        _mark(left, game, move.state, move.action, "X", _PLAYED)
        _number_line(right, game, after, move.ply, move.line)
    save_figure(figure, path)


def plot_game(path: Path, game: StateManager, moves: Sequence[ReviewedMove], title: str) -> None:
    """Save the winner after each move as bars; those from a search are pale."""
    figure = new_figure("Who was winning", 8.0, 3.6, title)
    axes = figure.add_subplot()
    style_axes(axes)
    for ply, verdict in enumerate([moves[0].before, *(move.after for move in moves)]):
        colour = look_of(game, 1 if verdict.value > 0 else 2).ink
        axes.bar(ply, verdict.value, color=colour, alpha=1.0 if verdict.exact else 0.4)
    for move in moves:
        if move.is_mistake:
            style: dict[str, Any] = {"color": _PLAYED, "markersize": 9, "clip_on": False}
            axes.plot(move.ply, 0, "X", markeredgecolor="white", **style)
    axes.axhline(0, **DASHED)
    axes.set_ylim(-1.05, 1.05)
    axes.set_yticks([-1, 0, 1], [player_name(game, 2), "", player_name(game, 1)])
    axes.locator_params(axis="x", integer=True)
    legend = f"full: the judge, pale: a search; {_CROSS}: a mistake"
    axes.set_xlabel(f"moves made   ({legend})", color=INK)
    save_figure(figure, path)


def _wrapped(heading: str, between: str, names: Sequence[str]) -> list[str]:
    whole = between.join(name.replace(" ", "\N{NO-BREAK SPACE}") for name in names)
    return wrap(f"{heading} {whole}", _LETTERS_ON_A_LINE)


def _mark(
    axes: Axes, game: StateManager, state: State, action: int, mark: str, colour: str
) -> None:
    ends = cell_centers(game)[list(cells_of_move(game, state, action))]
    if len(ends) > 1:
        _draw_arrow(axes, ends, colour)
    x, y = ends.mean(axis=0).tolist()
    size = min(_LARGEST_MARK, 0.5 * _cell_inches(axes) * POINTS)
    axes.plot(x, y, mark, color=colour, markersize=size, markeredgecolor="white", zorder=10)


def _number_line(
    axes: Axes, game: StateManager, state: State, ply: int, line: Sequence[int]
) -> None:
    letters = min(13.0, 0.36 * _cell_inches(axes) * POINTS)
    outline = [withStroke(linewidth=1.6, foreground=INK)]
    for number, action in enumerate(line, start=ply + 1):
        colour = look_of(game, game.to_play(state)).colour
        ends = cell_centers(game)[list(cells_of_move(game, state, action))]
        if len(ends) > 1:
            _draw_arrow(axes, ends, colour)
        else:
            style: dict[str, Any] = {"facecolor": colour, "edgecolor": INK, "alpha": 0.55}
            axes.add_patch(Circle(tuple(ends[0].tolist()), 0.36, zorder=6, **style))
        x, y = ends.mean(axis=0).tolist()
        style = {"color": "white", "va": "center_baseline", "path_effects": outline}
        write(axes, x, y, str(number), letters, fontweight="bold", zorder=11, **style)
        state = game.child_state(state, action)


def _draw_arrow(axes: Axes, ends: np.ndarray[Any, Any], colour: str) -> None:
    tail, tip = (tuple(end.tolist()) for end in (ends[0], ends[-1]))
    style: dict[str, Any] = {"facecolor": colour, "edgecolor": INK, "linewidth": 0.6, "alpha": 0.8}
    shape = "simple,head_length=8,head_width=10,tail_width=4"
    axes.add_patch(FancyArrowPatch(tail, tip, arrowstyle=shape, zorder=7, **style))


def _cell_inches(axes: Axes) -> float:
    left, right = axes.get_xlim()
    return float(axes.bbox.width / axes.figure.dpi / (right - left))
