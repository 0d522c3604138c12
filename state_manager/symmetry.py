"""Symmetries: permutations of features and actions that leave a game unchanged.

Letters: A actions, F features, C cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from state_manager.rules import Indices


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A way to turn the game that leaves it unchanged.

    Attributes:
        features: `[F]` int64; feature f of a state is feature ``features[f]`` of its image.
        actions: `[A]` int64; action a becomes action ``actions[a]``.
        swaps_players: Whether player 1 becomes player 2.
    """

    features: Indices
    actions: Indices
    swaps_players: bool


def piece_symmetry(cells: Indices, actions: Indices, *, swaps_players: bool) -> Symmetry:
    """Return a symmetry of a game in which each player has pieces on the board.

    Args:
        cells: `[C]` int64; a piece on cell c goes to cell ``cells[c]``.
        actions: `[A]` int64; action a becomes action ``actions[a]``.
        swaps_players: Whether the pieces change their owner as well.

    Returns:
        The symmetry of the features that ``grid.piece_features`` lists.
    """
    players = np.array((1, 0) if swaps_players else (0, 1))
    pieces = 2 + players[:, np.newaxis] * len(cells) + cells
    return Symmetry(np.concatenate([players, pieces.reshape(-1)]), actions, swaps_players)
