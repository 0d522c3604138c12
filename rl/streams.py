"""Random numbers: each use has a stream of its own, and each episode or game a part of it.

So an episode depends only on the seed and its number.
"""

from __future__ import annotations

import numpy as np

from base.params import Params

EPISODE_STREAM, MINIBATCH_STREAM, GATING_STREAM, ROLLOUT_STREAM, EXPLOITER_STREAM = range(1, 6)


def generator(params: Params, stream: int, *numbers: int) -> np.random.Generator:
    """Return the generator of one part of a stream, such as that of one episode."""
    return np.random.default_rng(np.random.SeedSequence(params.seed, spawn_key=(stream, *numbers)))
