"""A recorded search as pictures and as an animation: the board beside the tree."""

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
from display.boards.cells import board_of, cell_centers
from display.boards.palette import BLUE, FAINT, GOLD, INK, PAPER, look_of
from display.boards.picture import draw_board, enlarge, new_board_figure, save_figure, save_frames
from display.boards.search_steps import ROOT, SearchSteps

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
    figure, _ = new_board_figure(steps.recording.game)
    figure.set_dpi(_DOTS_PER_INCH)
    enlarge(figure, right=_TREE, above=_TOP, below=_BOTTOM)
    width, height = figure.get_size_inches()
    low, high = (_BOTTOM + 0.15) / height, 1 - (_TOP + _BOTTOM) / height
    figure.add_axes((1 - _TREE / width, low, (_TREE - 0.2) / width, high - low / 4))
    return figure


def _draw(figure: Figure, steps: SearchSteps, number: int) -> None:
    recording, view, (board, tree) = steps.recording, steps.view(number), figure.axes
    process = recording.steps[number].process
    for text in list(figure.texts):
        text.remove()
    draw_board(board, replace(view, title=""))
    _write_on_board(board, steps, number)
    _draw_tree(tree, steps, number)
    width, height = figure.get_size_inches()

    def write_line(x: float, top: float, words: str, size: float, **style: Any) -> None:
        style = {"color": INK, "va": "top", **style}
        figure.text(x / width, 1 - top / height, words, fontsize=size, **style)

    write_line(0.3, 0.2, view.title, 12, weight="bold")
    for place, name in enumerate(PROCESSES):
        now = place + 1 == process
        style = {"color": INK if now else FAINT, "weight": "bold" if now else "normal"}
        write_line(0.3 + 1.9 * place, 0.55, f"{place + 1} {name}", 11, **style)
    write_line(width - 0.2, 0.24, recording.sources[process - 1], 8.5, color=FAINT, ha="right")
    for line, words in enumerate(steps.words(number)):
        write_line(0.3, height - _BOTTOM + 0.05 + 0.26 * line, words, 11)


def _write_on_board(axes: Axes, steps: SearchSteps, number: int) -> None:
    view, step = steps.view(number), steps.recording.steps[number]
    game, pieces = view.game, board_of(view.game, view.state).flat
    if not game.drawing.has_board:
        return
    centers, size = cell_centers(game), 34 / game.board_shape[0] + 1
    for edge, cell in zip(step.edges, steps.edge_cells(number), strict=True):
        if not pieces[cell]:
            (x, y), taken = centers[cell], edge.action == step.action
            style: dict[str, Any] = {"color": FAINT, "weight": "normal", "zorder": 8}
            if taken:
                style |= {"color": INK, "weight": "bold"}
                axes.plot(x, y, "o", markersize=3.1 * size, markerfacecolor="none",
                          markeredgecolor=GOLD, markeredgewidth=2.5, zorder=7)  # fmt: skip
            if edge.u is not None:
                words = f"{edge.score:.2f}" if np.isfinite(edge.score) else "!"
                write(axes, x, y, words, size, **style)
    for ply, cell in enumerate(steps.rollout(number), start=1):
        x, y = centers[cell]
        write(axes, x, y, str(ply), size, color="white", zorder=8)


def _draw_tree(axes: Axes, steps: SearchSteps, number: int) -> None:
    recording, tree, path = steps.recording, steps.tree(number), steps.path(number)
    nodes, changed = recording.nodes, recording.steps[number].changes
    width, deepest = max(steps.x.values()), max(node.depth for node in nodes)
    axes.clear()
    axes.set_axis_off()
    axes.set_xlim(-1, width + 1)
    axes.set_ylim(-deepest - 0.6, 0.5)
    slot = (_TREE - 0.2) / (width + 2)
    letters, size = min(10.0, max(7.5, 14 * slot)), min(17.0, 60 * slot)
    places = {node: (steps.x[node], -nodes[node].depth) for node in sorted(tree)}
    on_path = [node in path for node in places if node != ROOT]
    lines = LineCollection(
        [(places[node], places[nodes[node].parent]) for node in places if node != ROOT],
        colors=[BLUE if each else FAINT for each in on_path],
        linewidths=[2.5 if each else 0.7 for each in on_path],
        zorder=1,
    )
    axes.add_collection(lines)
    for node, (x, y) in places.items():
        (visits, q, _), marked = tree[node], node in path or node in changed
        edge = GOLD if node in changed else BLUE if marked else "#00000055"
        face = look_of(recording.game, nodes[node].to_play).colour
        axes.plot(
            x, y, "o", markersize=size, markerfacecolor=face, markeredgecolor=edge,
            markeredgewidth=3.0 if marked else 0.7, zorder=3 + marked,
        )  # fmt: skip
        if size > _LEAST_WRITTEN or marked:
            write(axes, x, y, str(visits), letters, color="white", zorder=5)
        if q is not None and (slot > _LEAST_NAMED or marked):
            value = "proven" if np.isinf(q) else f"{q:+.2f}"
            words = f"{steps.node_names[node]}\n{value}" if visits else steps.node_names[node]
            write(
                axes, x, y - 0.13, words, letters, va="top", zorder=2 + marked / 2,
                weight="bold" if marked else "normal",
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip
