"""The colours of probabilities, and how these are written into cells."""

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

from display.boards.board_picture import write
from display.boards.palette import GOLD, INK, percent

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
"""In points, on paper."""
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


def ink_on(share: float) -> str:
    """Return the colour of letters in a cell of this probability."""
    return "white" if SCALE(share) > _DARK else INK


def write_shares(
    axes: Axes, shares: Mapping[int, float], centers: NDArray[np.float64], letters: float
) -> None:
    """Write shares in percent into their cells, in letters of at most this size in points."""
    for cell, share in shares.items():
        x, y = centers[cell]
        write(axes, x, y, percent(share), min(letters, 11.0), color=ink_on(share), zorder=8)


def mark_first_choice(shape: Artist, pen: float) -> None:
    """Give a shape a golden edge so wide, in points, with dark rims, which show beside any colour.

    The rims tell it from pale cells and in grey, the gold from dark cells and a dark border.
    """
    rims = withStroke(linewidth=1.7 * pen, foreground=INK)
    shape.set(edgecolor=GOLD, linewidth=pen, path_effects=[rims])
