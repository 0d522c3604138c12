"""A policy drawn on its board: the darker a cell, the likelier the move.

Boards whose actions are places show them in the cells, boards on which pieces move show arrows,
and games on a row get a bar for each action. Everything is sized for print: an inch is an inch of
the page, and no letter is smaller than 5 points; labels that would be are left out.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from display.boards import board_picture as parts
from display.boards.board_picture import HEAT, SCALE, write
from display.boards.cells import Coordinates, board_of, cell_centers, cells_of_move, percent
from display.boards.palette import CELL, CELL_EDGE, COPPER, FAINT, GOLD, INK, PEBBLE
from state_manager import StateManager

SMALLEST_LETTERS = 5.0  # in points, on paper
POINTS = 72.0  # points an inch
_LARGEST_LETTERS = 8.0
_FAINTEST_ARROW = 0.12  # an arrow has at least the colour of this probability, to be seen at all
_MOST_BARS, _BAR_INCHES, _BAR_LETTERS = 12, 0.155, 6
_MOST_STONES = 30
_THIN: dict[str, Any] = {"edgecolor": CELL_EDGE, "linewidth": 0.5}


@dataclass(frozen=True)
class HeatMap:
    """The data of a heat map."""

    game: StateManager
    state: NDArray[np.int8]  # `[S]` int8
    policy: NDArray[np.float64]  # `[A]`, probabilities
    last_action: int | None = None  # marked
    best_actions: Collection[int] = ()  # proven best, each marked by a dot

    @property
    def first_choice(self) -> int:
        """The likeliest action; ties go to the lowest."""
        return int(np.argmax(self.policy))

    @property
    def bars(self) -> int:
        """The number of bars, if any, including the one for all other actions."""
        return min(_MOST_BARS + 1, len(self.game.legal_actions(self.state)))


def marks_in_words(*, dots: bool, narrow: bool = False) -> str:
    """Return the legend of golden edges, and of dots if any; ``narrow`` shortens it."""
    if narrow:
        return "gold edge: first choice" + (", dot: best" if dots else "")
    edge = "gold edge: first choice (the likeliest move)"
    return f"{edge}, dot: best under perfect play" if dots else edge


def heat_map_height(game: StateManager, width: float, bars: int, *, named: bool) -> float:
    """Return the height in inches of a heat map; for the arguments see ``draw_heat_map``."""
    if not game.drawing.has_board:
        return _BAR_INCHES * bars
    left, right, low, high = parts.board_extent(game, named=named)
    return width * (high - low) / (right - left)


def draw_heat_map(
    axes: Axes, heat_map: HeatMap, width: float, bars: int, names: Coordinates | None = None
) -> None:
    """Draw a policy on axes of ``width`` inches and of the height from ``heat_map_height``.

    The first choice has a golden edge, each move that is known to be best a dot. There is space for
    ``bars`` bars, so that those of several axes are alike; ``names`` are those of rows and
    columns, if shown.
    """
    game, state, policy = heat_map.game, heat_map.state, heat_map.policy
    if not game.drawing.has_board:
        return _draw_bars(axes, heat_map, bars)
    diamond, extent = game.drawing.is_hexagonal, parts.board_extent(game, named=names is not None)
    cell = width / (extent[1] - extent[0])
    legal = game.legal_actions(state).tolist()
    moves = {action: list(cells_of_move(game, state, action)) for action in legal}
    set_on_cells = all(len(cells) == 1 for cells in moves.values())
    heat = np.zeros(game.board_shape).ravel()
    if set_on_cells:
        for action, (place,) in moves.items():
            heat[place] += policy[action]
    last = heat_map.last_action
    last_cell = None if last is None else game.landing_cell(state, last)
    centers = cell_centers(game)
    _hide_frame(axes)
    axes.set_aspect("equal")
    ring, pen = last_cell if diamond else None, min(1.0, 2.6 * cell)
    parts.draw_cells(axes, game, state, HEAT(SCALE(heat)), cell, ring, pen=pen)
    if last_cell is not None and not diamond:
        rim = parts.cell_box(centers[last_cell], edgecolor=FAINT, linewidth=1.2, fill=False)
        axes.add_patch(rim)
    if set_on_cells:
        edge = parts.cell_outline(game, moves[heat_map.first_choice][0], 0.9)
        _mark_first_choice(axes.add_patch(edge), max(0.9, (6 if diamond else 5) * cell))
        letters = min(_LARGEST_LETTERS, (0.36 if diamond else 0.4) * cell * POINTS)
        if letters >= SMALLEST_LETTERS:
            shown = {n: share for n, share in enumerate(heat.tolist()) if share >= 0.005}
            parts.write_shares(axes, shown, centers, letters)
        for action in heat_map.best_actions:
            place = moves[action][0]
            x, y = centers[place] - (0.0, 0.33)
            size = max(2.4, 14 * cell)
            axes.plot(x, y, ".", color=parts.ink_on(heat[place]), markersize=size, mew=0, zorder=8)
    else:
        for action in sorted(moves, key=lambda action: policy[action]):
            _draw_arrow(axes, heat_map, action, centers[moves[action]], cell)
    if names is not None:
        letters = (26 if diamond else 18) * cell
        parts.write_names(axes, names, min(7.0, max(SMALLEST_LETTERS, letters)))
    axes.axis(extent)


def draw_row(axes: Axes, heat_map: HeatMap, width: float) -> None:
    """Draw a heap's stones or a ledge's coins on axes of a fourth of an inch by ``width``."""
    board = board_of(heat_map.game, heat_map.state).reshape(-1)
    heap = heat_map.game.drawing.kind == "heap"
    _hide_frame(axes)
    axes.set_aspect("equal")
    middle, cell = len(board) / 2, min(0.15, width / len(board))
    axes.set_xlim(middle - width / cell / 2, middle + width / cell / 2)
    axes.set_ylim(-0.125 / cell, 0.125 / cell)
    if heap and len(board) > _MOST_STONES:
        write(axes, middle, 0, f"{np.count_nonzero(board)} stones left", _BAR_LETTERS)
        return
    letters = min(5.5, 0.7 * cell * POINTS)
    for place, piece in enumerate(board.tolist()):
        center = (place + 0.5, 0.0)
        if heap:
            axes.add_patch(Circle(center, 0.38, facecolor=PEBBLE if piece else "none", **_THIN))
            continue
        axes.add_patch(Rectangle((place, -0.5), 1, 1, facecolor=CELL, **_THIN))
        if piece:
            coin = COPPER if piece == 1 else GOLD
            axes.add_patch(Circle(center, 0.36, facecolor=coin, edgecolor=INK, linewidth=0.4))
        if letters >= SMALLEST_LETTERS:
            write(axes, place + 0.5, -0.95, str(place), letters, color=FAINT)


def _hide_frame(axes: Axes) -> None:
    axes.set(facecolor="none", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def _draw_bars(axes: Axes, heat_map: HeatMap, bars: int) -> None:
    game, policy = heat_map.game, heat_map.policy
    legal = game.legal_actions(heat_map.state).tolist()
    shown = sorted(sorted(legal, key=lambda action: -policy[action])[:_MOST_BARS])
    names = [game.action_name(action) for action in shown]
    shares = [float(policy[action]) for action in shown]
    if len(shown) < len(legal):
        names.append(f"{len(legal) - len(shown)} others")
        shares.append(max(0.0, 1.0 - sum(shares)))
    _hide_frame(axes)
    places = np.arange(len(names))
    drawn = axes.barh(places, shares, height=0.74, color=HEAT(SCALE(shares)), **_THIN)
    _mark_first_choice(drawn[shown.index(heat_map.first_choice)], 1.1)
    for place, share in enumerate(shares):
        best = place < len(shown) and shown[place] in heat_map.best_actions
        label = percent(share) + (" •" if best else "")
        write(axes, share + 0.03, place, label, _BAR_LETTERS, ha="left", va="center_baseline")
    axes.set_yticks(places, names, fontsize=_BAR_LETTERS, color=INK)
    axes.tick_params(length=0, pad=2)
    axes.set_xlim(0, 1.25)
    axes.set_ylim(bars - 0.4, -0.6)


def _draw_arrow(
    axes: Axes, heat_map: HeatMap, action: int, ends: NDArray[np.float64], cell: float
) -> None:
    share, inch = float(heat_map.policy[action]), cell * POINTS
    tail, tip = (tuple(end.tolist()) for end in (ends[0], ends[-1]))
    arrow = FancyArrowPatch(
        tail, tip, shrinkA=0.2 * inch, shrinkB=0.06 * inch, mutation_scale=inch,
        arrowstyle=f"simple,head_length=0.24,head_width=0.34,tail_width={0.05 + 0.13 * share}",
        facecolor=HEAT(SCALE(max(share, _FAINTEST_ARROW))), edgecolor="white", linewidth=0.4,
        zorder=7 + share,
    )  # fmt: skip
    axes.add_patch(arrow)
    if action == heat_map.first_choice:
        _mark_first_choice(arrow, 1.2)
    x, y = ends.mean(axis=0)
    letters = min(_LARGEST_LETTERS, max(SMALLEST_LETTERS, 17 * cell))
    outline = [withStroke(linewidth=1.8, foreground="white")]
    write(axes, x, y, percent(share), letters, zorder=9, path_effects=outline)
    if action in heat_map.best_actions:
        axes.plot(
            x, y - 0.2, ".", color=INK, markersize=max(2.4, 12 * cell),
            markeredgecolor="white", mew=0.4, zorder=9,
        )  # fmt: skip


def _mark_first_choice(shape: Artist, pen: float) -> None:
    """Give a shape a golden edge, with dark rims that show beside any colour and in grey."""
    rims = withStroke(linewidth=1.7 * pen, foreground=INK)
    shape.set(edgecolor=GOLD, linewidth=pen, path_effects=[rims])
