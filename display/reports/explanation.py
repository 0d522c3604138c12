"""A recorded search as pictures and as an animation: the board beside the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from analysis.recording import PROCESSES
from display.boards.board_picture import write
from display.boards.cells import cell_centers
from display.boards.explained import ROOT, Explained
from display.boards.palette import BLUE, FAINT, GOLD, INK, PAPER, board_of, look_of
from display.boards.picture import draw_board, new_board_figure, save_figure, save_frames
from display.boards.step_words import words_of

_SECONDS = 1.3
_TREE, _TOP, _BOTTOM = 6.0, 0.75, 0.85
"""Inches: the tree's width, and the room above and below both for words."""
_LEAST_NAMED, _LEAST_WRITTEN = 0.42, 9.0
"""Smallest inches per node for its name; smallest points for its visits."""
_DOTS_PER_INCH = 90


def plot_step(path: Path, explained: Explained, number: int) -> None:
    """Save a step as a PNG file, which appears whole or not at all."""
    figure, axes = _new_figure(explained)
    _draw(figure, axes, explained, number)
    save_figure(figure, path, _DOTS_PER_INCH)


def animate_steps(path: Path, explained: Explained, numbers: Sequence[int]) -> None:
    """Save some steps as an animated GIF."""
    figure, axes = _new_figure(explained)
    draws = [partial(_draw, figure, axes, explained, number) for number in numbers]
    save_frames(path, figure, draws, _SECONDS)


def _new_figure(explained: Explained) -> tuple[Figure, tuple[Axes, Axes]]:
    """Return a figure with axes for the board and for the tree."""
    figure, board = new_board_figure(explained.recording.game)
    figure.set_dpi(_DOTS_PER_INCH)
    width, height = figure.get_size_inches()
    whole = width + _TREE, height + _TOP + _BOTTOM
    place = board.get_position()
    board.set_position(
        (
            place.x0 * width / whole[0],
            (place.y0 * height + _BOTTOM) / whole[1],
            place.width * width / whole[0],
            place.height * height / whole[1],
        )
    )
    figure.set_size_inches(*whole)
    low = (_BOTTOM + 0.15) / whole[1]
    tree = figure.add_axes(
        (width / whole[0], low, (_TREE - 0.2) / whole[0], height / whole[1] - low / 4)
    )
    return figure, (board, tree)


def _draw(figure: Figure, axes: tuple[Axes, Axes], explained: Explained, number: int) -> None:
    """Draw a step over the one before."""
    step = explained.recording.steps[number]
    for text in list(figure.texts):
        text.remove()
    view = explained.view(number)
    draw_board(axes[0], replace(view, title=""))
    _write_on_board(axes[0], explained, number)
    _draw_tree(axes[1], explained, number)
    width, height = figure.get_size_inches()
    figure.text(
        0.3 / width, 1 - 0.2 / height, view.title, color=INK, fontsize=12, va="top", weight="bold"
    )
    for place, name in enumerate(PROCESSES):
        is_it = place + 1 == step.process
        style: dict[str, Any] = {
            "color": INK if is_it else FAINT,
            "weight": "bold" if is_it else "normal",
        }
        words = f"{place + 1} {name}"
        figure.text(
            (0.3 + 1.9 * place) / width, 1 - 0.55 / height, words, fontsize=11, va="top", **style
        )
    places = explained.places(step.process)
    figure.text(
        1 - 0.2 / width, 1 - 0.24 / height, places, color=FAINT, fontsize=8.5, va="top", ha="right"
    )
    for line, words in enumerate(words_of(explained, number)):
        below = _BOTTOM - 0.05 - 0.26 * line
        figure.text(0.3 / width, below / height, words, color=INK, fontsize=11, va="top")


def _write_on_board(axes: Axes, explained: Explained, number: int) -> None:
    """Write scores into cells of compared moves, numbers on a rollout's stones."""
    game, step = explained.recording.game, explained.recording.steps[number]
    if not game.has_board:
        return
    centers, size = cell_centers(game), 34 / game.board_shape[0] + 1
    for row in explained.rows(number):
        if (
            row.score is not None
            and not board_of(game, explained.state(step.actions)).flat[row.cell]
        ):
            weight, colour = ("bold", INK) if row.taken else ("normal", FAINT)
            words = f"{row.score:.2f}" if np.isfinite(row.score) else "!"
            (x, y), style = centers[row.cell], {"color": colour, "weight": weight, "zorder": 8}
            write(axes, x, y, words, size, **style)
            if row.taken:
                axes.plot(*centers[row.cell], "o", markersize=3.1 * size, markerfacecolor="none",
                          markeredgecolor=GOLD, markeredgewidth=2.5, zorder=7)  # fmt: skip
    for ply, cell in enumerate(explained.rollout(number), start=1):
        x, y = centers[cell]
        write(axes, x, y, str(ply), size, color="white", zorder=8)


def _draw_tree(axes: Axes, explained: Explained, number: int) -> None:
    """Draw the nodes of the tree in fixed places; changes in gold."""
    recording, values = explained.recording, explained.values(number)
    nodes, step, x = recording.nodes, recording.steps[number], explained.layout
    changed = {change.node for change in step.changes} | ({step.path[-1]} if step.new else set())
    deepest = max(node.depth for node in nodes)
    axes.clear()
    axes.set_axis_off()
    axes.set_xlim(-1, max(x) + 1)
    axes.set_ylim(-deepest - 0.6, 0.5)
    way = explained.way(number)
    edges = [(node, nodes[node].parent) for node in values if node != ROOT]
    lines = [[(x[a], -nodes[a].depth), (x[b], -nodes[b].depth)] for a, b in edges]
    on_path = [a in way for a, _ in edges]
    axes.add_collection(
        LineCollection(
            lines,
            colors=[BLUE if each else FAINT for each in on_path],
            linewidths=[2.5 if each else 0.7 for each in on_path],
            zorder=1,
        )
    )
    slot = (_TREE - 0.2) / (max(x) + 2)
    letters = min(10.0, max(7.5, 14 * slot))
    for node, value in values.items():
        at, is_on_way = (x[node], -nodes[node].depth), node in way or node in changed
        edge = GOLD if node in changed else BLUE if is_on_way else "#00000055"
        ring: dict[str, Any] = {
            "markeredgecolor": edge,
            "markeredgewidth": 3.0 if is_on_way else 0.7,
        }
        size = min(17.0, 60 * slot)
        face = look_of(recording.game, nodes[node].to_play).colour
        axes.plot(*at, "o", markersize=size, markerfacecolor=face, zorder=3 + is_on_way, **ring)
        if size > _LEAST_WRITTEN or is_on_way:
            write(axes, *at, str(value.visits), letters, color="white", zorder=5)
        if node != ROOT and (slot > _LEAST_NAMED or is_on_way):
            q = "proven" if np.isinf(value.q) else f"{value.q:+.2f}"
            name = explained.names.move(nodes[node].action)
            words = f"{name}\n{q}" if value.visits else name
            box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
            style: dict[str, Any] = {"va": "top", "weight": "bold" if is_on_way else "normal"}
            write(
                axes,
                at[0],
                at[1] - 0.13,
                words,
                letters,
                zorder=2 + is_on_way / 2,
                bbox=box,
                **style,
            )
