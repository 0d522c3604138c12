"""Random numbers: each use has its own stream, and each episode or game its own part of it.

So the random numbers of an episode depend only on the seed and its number.
"""

from __future__ import annotations

import numpy as np

from base.params import Params

EPISODE_STREAM, MINIBATCH_STREAM, GATING_STREAM, ROLLOUT_STREAM, EXPLOITER_STREAM = range(1, 6)


def generator(params: Params, stream: int, *numbers: int) -> np.random.Generator:
    """Return the generator of one part of a stream, such as one episode."""
    return np.random.default_rng(np.random.SeedSequence(params.seed, spawn_key=(stream, *numbers)))
