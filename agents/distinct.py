"""Positions as keys, by which equal ones are found.

A key is the features of a position, a bit each, filled up with zeros to whole words; the first
feature is the highest bit. Where symmetric positions are one, it is the least key among theirs.

Letters: B positions, S length of a state, F features, W words of a key, I images of a position.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from state_manager import Indices, State, StateManager
from state_manager.policy import ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES

Keys = NDArray[np.uint64]
_KEYS = types.uint64[:, ::1]


def key_bits(game: StateManager, merges: bool) -> Keys:
    """Return what each feature adds to a key, `[I, W, F]`.

    Args:
        game: The rules.
        merges: Whether symmetric positions are one: then each symmetry makes an image.
    """
    count = game.num_features
    images = [each.features for each in game.symmetries if merges and not each.swaps_players]
    features = np.eye(count, -(-count // 64) * 64, dtype=np.bool_)
    bits = np.packbits(features, axis=1).view(">u8").astype(np.uint64)
    return np.array([bits[image].T for image in (np.arange(count), *images)])


@kernel(
    types.void(
        ACTIVE_FEATURES_FUNCTION, types.uint64[:, :, ::1], types.int8[:, ::1], INDICES, _KEYS
    )
)
def write_keys(
    active_features: ActiveFeatures, bits: Keys, states: State, features: Indices, keys: Keys
) -> None:
    """Write the keys of positions.

    Args:
        active_features: The game's; all its rules would take longer to hand over.
        bits: See ``key_bits``.
        states: `[B, S]`.
        features: `[F]`, scratch memory.
        keys: `[B, W]`, all bits set.
    """
    for row in range(len(states)):
        count = active_features(states[row], features)
        for image in range(len(bits)):
            is_less = False
            for word in range(keys.shape[1]):
                value = np.uint64(0)
                for i in range(count):
                    value |= bits[image, word, features[i]]
                if value > keys[row, word] and not is_less:
                    break
                is_less |= value < keys[row, word]
                keys[row, word] = value


def keys_of(game: StateManager, bits: Keys, states: State) -> Keys:
    """Return the keys of positions, `[B, S]` to `[B, W]`; ``bits`` are from ``key_bits``."""
    keys = np.full((len(states), bits.shape[1]), ~np.uint64(0))
    features = np.empty(game.num_features, np.int64)
    write_keys(game.rules.active_features, bits, states, features, keys)
    return keys


def distinct(keys: Keys) -> tuple[Indices, Indices]:
    """Return where each different key is first, in ascending order; and each one's place there."""
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.empty(len(keys), np.int64)
    places[order] = np.cumsum(is_first) - 1
    return order[is_first], places
