"""Many positions, each once.

Letters: B positions, S length of a state, F features, W words of a key.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from state_manager import Indices, State, StateManager

Keys = NDArray[np.uint64]


def distinct(
    game: StateManager, states: State, merges: bool
) -> tuple[State, Keys, Indices, Indices]:
    """Return different states, symmetric ones being one if asked, and where each given one is now.

    Returns:
        One of each, `[B, S]`, in ascending order of their keys; the keys, `[B, W]`; for each given
        state its place among them; and for each of them its place among those given.
    """
    features = game.observations(states).astype(np.bool_)
    keys = _keys(features)
    for each in game.symmetries:
        if merges and not each.swaps_players:
            turned = _keys(features[:, np.argsort(each.features)])
            is_less, is_equal = np.zeros(len(keys), np.bool_), np.ones(len(keys), np.bool_)
            for word in range(keys.shape[1]):
                is_less |= is_equal & (turned[:, word] < keys[:, word])
                is_equal &= turned[:, word] == keys[:, word]
            keys = np.where(is_less[:, np.newaxis], turned, keys)
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.empty(len(keys), np.int64)
    places[order] = np.cumsum(is_first) - 1
    return states[order[is_first]], ordered[is_first], places, order[is_first]


def _keys(features: NDArray[np.bool_]) -> Keys:
    """Return rows of features, `[B, F]`, as bits, eight bytes a word: `[B, W]`."""
    packed = np.packbits(features, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(">u8").astype(np.uint64)  # so that numbers are ordered as bytes are
