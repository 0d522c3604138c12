"""The shared style of all displays: colours, names, and the cells of the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from state_manager import StateManager

RED = "#c9342c"
BLACK = "#23262b"
GREY = "#8b8f96"
"""Replaces black outside the board; visible on dark and on light terminals."""
PAPER = "#fbf8f1"
CELL = "#f0e6d0"
CELL_EDGE = "#b8a782"
CELL_ON_PATH = "#fbe3a1"
INK = "#3a352b"
FAINT = "#8a8069"
GOLD = "#f2b01e"
COPPER = "#b5652f"
PEBBLE = "#77808c"
WHITE = "#ffffff"
BLUE = "#2f6690"
OCHRE = "#c98a1b"


@dataclass(frozen=True)
class Look:
    """The style of a player's pieces on a plain grid."""

    shape: Literal["disc", "cross", "ring"]
    colour: str
    ink: str  # of words about the player, on paper
    role: int  # the number in roles on a terminal: ``title1``, ``stone1``, ``path1``


_LOOKS = {
    "red": Look("disc", RED, RED, 1),
    "black": Look("disc", BLACK, BLACK, 2),
    "white": Look("disc", WHITE, FAINT, 3),
    "X": Look("cross", RED, RED, 1),
    "O": Look("ring", BLACK, BLACK, 2),
}
_OF_OTHERS = (_LOOKS["red"], _LOOKS["black"])


def player_name(game: StateManager, player: int) -> str:
    """Return the name of a player, such as ``red``."""
    return game.player_names[player - 1]


def look_of(game: StateManager, player: int) -> Look:
    """Return the style of a player's pieces: by the player's name, else red and black."""
    return _LOOKS.get(player_name(game, player), _OF_OTHERS[player - 1])
