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

from analysis.search_recording import PROCESSES
from display.boards.board_picture import write
from display.boards.cells import cell_centers
from display.boards.palette import BLUE, FAINT, GOLD, INK, PAPER, board_of, look_of
from display.boards.picture import draw_board, enlarge, new_board_figure, save_figure, save_frames
from display.boards.search_steps import ROOT, SearchSteps, StepDescription

_SECONDS = 1.3
_TREE, _TOP, _BOTTOM = 6.0, 0.75, 0.85
"""Inches: the tree's width, and the room above and below both for words."""
_LEAST_NAMED, _LEAST_WRITTEN = 0.42, 9.0
"""Smallest inches per node for its name; smallest points for its visits."""
_DOTS_PER_INCH = 90


def plot_step(path: Path, steps: SearchSteps, number: int) -> None:
    """Save a step as a PNG file, which appears whole or not at all."""
    figure = _new_figure(steps)
    _draw(figure, steps, number)
    save_figure(figure, path, _DOTS_PER_INCH)


def animate_steps(path: Path, steps: SearchSteps, numbers: Sequence[int]) -> None:
    """Save some steps as an animated GIF."""
    figure = _new_figure(steps)
    draws = [partial(_draw, figure, steps, number) for number in numbers]
    save_frames(path, figure, draws, _SECONDS)


def _new_figure(steps: SearchSteps) -> Figure:
    """Return a figure with axes for the board and for the tree."""
    figure, _ = new_board_figure(steps.recording.game)
    figure.set_dpi(_DOTS_PER_INCH)
    enlarge(figure, right=_TREE, above=_TOP, below=_BOTTOM)
    width, height = figure.get_size_inches()
    low, high = (_BOTTOM + 0.15) / height, 1 - (_TOP + _BOTTOM) / height
    figure.add_axes((1 - _TREE / width, low, (_TREE - 0.2) / width, high - low / 4))
    return figure


def _draw(figure: Figure, steps: SearchSteps, number: int) -> None:
    """Draw a step over the one before."""
    shown, (board, tree) = steps.step(number), figure.axes
    for text in list(figure.texts):
        text.remove()
    draw_board(board, replace(shown.view, title=""))
    _write_on_board(board, shown)
    _draw_tree(tree, steps, number)
    width, height = figure.get_size_inches()

    def write_line(x: float, top: float, words: str, size: float, **style: Any) -> None:
        style = {"color": INK, "va": "top", **style}
        figure.text(x / width, 1 - top / height, words, fontsize=size, **style)

    write_line(0.3, 0.2, shown.view.title, 12, weight="bold")
    for place, name in enumerate(PROCESSES):
        now = place + 1 == shown.step.process
        style = {"color": INK if now else FAINT, "weight": "bold" if now else "normal"}
        write_line(0.3 + 1.9 * place, 0.55, f"{place + 1} {name}", 11, **style)
    source = shown.source.partition(", ")[2]
    write_line(width - 0.2, 0.24, source, 8.5, color=FAINT, ha="right")
    for line, words in enumerate(shown.words):
        write_line(0.3, height - _BOTTOM + 0.05 + 0.26 * line, words, 11)


def _write_on_board(axes: Axes, shown: StepDescription) -> None:
    """Write scores into cells of compared moves, numbers on a rollout's stones."""
    game, pieces = shown.view.game, board_of(shown.view.game, shown.view.state).flat
    if game.drawing not in ("diamond", "grid"):
        return
    centers, size = cell_centers(game), 34 / game.board_shape[0] + 1
    for row in shown.rows:
        if row.score is not None and not pieces[row.cell]:
            weight, colour = ("bold", INK) if row.taken else ("normal", FAINT)
            words = f"{row.score:.2f}" if np.isfinite(row.score) else "!"
            x, y = centers[row.cell]
            write(axes, x, y, words, size, color=colour, weight=weight, zorder=8)
            if row.taken:
                axes.plot(x, y, "o", markersize=3.1 * size, markerfacecolor="none",
                          markeredgecolor=GOLD, markeredgewidth=2.5, zorder=7)  # fmt: skip
    for ply, cell in enumerate(shown.rollout, start=1):
        x, y = centers[cell]
        write(axes, x, y, str(ply), size, color="white", zorder=8)


def _draw_tree(axes: Axes, steps: SearchSteps, number: int) -> None:
    """Draw the nodes of the tree in fixed places; changes in gold."""
    game, nodes = steps.recording.game, steps.recording.nodes
    width, deepest = max(steps.x.values()), max(node.depth for node in nodes)
    axes.clear()
    axes.set_axis_off()
    axes.set_xlim(-1, width + 1)
    axes.set_ylim(-deepest - 0.6, 0.5)
    slot = (_TREE - 0.2) / (width + 2)
    letters, size = min(10.0, max(7.5, 14 * slot)), min(17.0, 60 * slot)
    tree = sorted(steps.tree(number))
    places = {each.number: (each.x, -each.node.depth) for each in tree}
    below = tree[1:]
    lines = LineCollection(
        [(places[each.number], places[each.node.parent]) for each in below],
        colors=[BLUE if each.on_path else FAINT for each in below],
        linewidths=[2.5 if each.on_path else 0.7 for each in below],
        zorder=1,
    )
    axes.add_collection(lines)
    for each in tree:
        (x, y), marked = places[each.number], each.on_path or each.changed
        edge = GOLD if each.changed else BLUE if marked else "#00000055"
        axes.plot(
            x, y, "o", markersize=size, markerfacecolor=look_of(game, each.node.to_play).colour,
            markeredgecolor=edge, markeredgewidth=3.0 if marked else 0.7, zorder=3 + marked,
        )  # fmt: skip
        visits, q = each.value.visits, each.value.q
        if size > _LEAST_WRITTEN or marked:
            write(axes, x, y, str(visits), letters, color="white", zorder=5)
        if each.number != ROOT and q is not None and (slot > _LEAST_NAMED or marked):
            words = f"{each.name}\n{'proven' if np.isinf(q) else f'{q:+.2f}'}"
            write(
                axes, x, y - 0.13, words if visits else each.name, letters, va="top",
                weight="bold" if marked else "normal", zorder=2 + marked / 2,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip
