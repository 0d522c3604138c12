"""What all heat maps share: the colours, and how letters and marks look.

Everything is sized for print: an inch is an inch of the page, and no letter is smaller than 5
points; labels that would be are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from display.palette import GOLD, INK
from display.words import percent

if TYPE_CHECKING:
    from state_manager import StateManager

HEAT = LinearSegmentedColormap.from_list(
    "heat", ["#f7f3e9", "#d3e3df", "#93c3cd", "#4a93b5", "#1f5f92", "#12305f"]
)
"""From paper to dark blue, ever darker: it reads in grey, and has neither player's colour."""
SCALE = PowerNorm(0.5, vmin=0.0, vmax=1.0)
"""Colours go with the square root of a probability, so that small ones can be seen. The scale is
the same in all pictures."""
SMALLEST_LETTERS = 5.0
LARGEST_LETTERS = 8.0
POINTS = 72.0
"""Points an inch."""
_DARK = 0.55
"""From this place of the scale on, letters are white."""


@dataclass(frozen=True)
class HeatMap:
    """What is drawn.

    Attributes:
        game: The game.
        state: `[S]` int8.
        policy: `[A]`, probabilities.
        last_action: The last move, which is marked.
        best_actions: Moves that are known to be best; each is marked by a dot.
    """

    game: StateManager
    state: NDArray[np.int8]
    policy: NDArray[np.float64]
    last_action: int | None = None
    best_actions: Collection[int] | None = None

    @property
    def first_choice(self) -> int:
        """The likeliest action; ties go to the lowest."""
        return int(np.argmax(self.policy))

    def is_best(self, action: int) -> bool:
        """Tell whether a move is known to be best."""
        return action in (self.best_actions or ())


def marks_in_words(*, dots: bool, narrow: bool = False) -> str:
    """Say what a golden edge means, and a dot if there may be some, in few words if need be."""
    if narrow:
        return "gold edge: first choice" + (", dot: best" if dots else "")
    edge = "gold edge: first choice (the likeliest move)"
    return f"{edge}, dot: best under perfect play" if dots else edge


def mark_first_choice(shape: Artist, pen: float) -> None:
    """Give a shape a golden edge so many points wide, with dark rims, which show beside any colour.

    The rims tell it from pale cells and in grey, the gold from dark cells and a dark border.
    """
    shape.set(
        edgecolor=GOLD,
        linewidth=pen,
        path_effects=[withStroke(linewidth=1.7 * pen, foreground=INK)],
    )


def write_shares(
    axes: Axes,
    shares: Mapping[int, float],
    centers: Mapping[int, tuple[float, float]],
    letters: float,
) -> None:
    """Write shares in percent around their centres, in letters of so many points at most."""
    for cell, share in shares.items():
        axes.text(
            *centers[cell],
            percent(share),
            color="white" if SCALE(share) > _DARK else INK,
            fontsize=min(letters, 11.0),
            ha="center",
            va="center",
            zorder=8,
        )


def write_percentages(
    axes: Axes,
    heat_map: HeatMap,
    centers: Mapping[int, tuple[float, float]],
    cell: float,
    share_of_cell: float,
) -> None:
    """Write percentages from 1 on into cells, and a dot for each move that is known to be best.

    Args:
        axes: Where to write.
        heat_map: What to write.
        centers: Where each action's cell has its middle.
        cell: The size of a cell in inches.
        share_of_cell: How much of it letters are high.
    """
    letters = min(LARGEST_LETTERS, share_of_cell * cell * POINTS)
    shares = {action: float(heat_map.policy[action]) for action in centers}
    if letters >= SMALLEST_LETTERS:
        shown = {action: share for action, share in shares.items() if share >= 0.005}
        write_shares(axes, shown, centers, letters)
    for action, (x, y) in centers.items():
        if heat_map.is_best(action):
            colour = "white" if SCALE(shares[action]) > _DARK else INK
            size = max(2.4, 14 * cell)
            axes.plot(x, y - 0.33, ".", color=colour, markersize=size, mew=0, zorder=8)
