"""Keys of positions, to find equal ones.

A key holds one bit for each feature of a position, the first feature in the highest bit, padded
with zeros to whole words. Where symmetric positions count as one, it is the least of their keys.

Letters: B positions, S length of a state, F features, W words of a key, I images of a position.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, kernel
from state_manager import Indices, State, StateManager
from state_manager.policy import ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES

Keys = NDArray[np.uint64]
_KEYS = types.uint64[:, ::1]


def key_bits(game: StateManager, merges: bool) -> Keys:
    """Return the bits that each feature sets in a key, `[I, W, F]`.

    If ``merges``, symmetric positions count as one: each symmetry that keeps the players makes an
    image.
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
    """Write the keys of positions, `[B, S]`, to ``keys``, `[B, W]`, with all bits set before.

    For ``bits`` see ``key_bits``; ``features``, `[F]`, is scratch memory. Passing all rules of the
    game instead of ``active_features`` would be slower.
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


@deferred_interrupts()
def keys_of(game: StateManager, bits: Keys, states: State) -> Keys:
    """Return the keys of positions, `[B, S]` to `[B, W]`; ``bits`` are from ``key_bits``."""
    keys = np.full((len(states), bits.shape[1]), ~np.uint64(0))
    features = np.empty(game.num_features, np.int64)
    write_keys(game.rules.active_features, bits, states, features, keys)
    return keys


def distinct(keys: Keys) -> tuple[Indices, Indices]:
    """Return the first index of each distinct key, keys ascending; and each key's rank there."""
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.empty(len(keys), np.int64)
    places[order] = np.cumsum(is_first) - 1
    return order[is_first], places
