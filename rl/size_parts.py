"""The parts of a run for each size of the board, with ``rl.sizes``; else one of each."""

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from anet import ANET, Minibatch
from base.params import RLParams
from rl.hard_cases import HardCases
from rl.replay_buffer import ReplayBuffer
from rl.self_play_engine import Engine


class SizeParts(NamedTuple):
    """The parts for one size; the nets of all sizes share their weights."""

    anet: ANET
    engine: Engine
    replay_buffer: ReplayBuffer
    hard_cases: HardCases


def minibatches(
    parts: Mapping[int | None, SizeParts],
    sizes: Iterator[int | None],
    rl: RLParams,
    rng: np.random.Generator,
    new: int,
) -> Iterator[tuple[int | None, Minibatch]]:
    """Yield the minibatches of one update, each with the size of its board.

    ``new`` is the number of cases since the last update; ``sizes`` does not end.
    """
    if rl.reuse is None and rl.epochs is not None:
        ((size, part),) = parts.items()
        for _ in range(rl.epochs):
            for each in part.replay_buffer.epoch(rl.minibatch_size, rng):
                yield size, part.hard_cases.mix_in(each, rng)
        return
    count = rl.minibatches
    if rl.reuse is not None:
        count = math.ceil(rl.reuse * new / rl.minibatch_size)
    for size in islice(sizes, count):
        part = parts[size]
        buffer = part.replay_buffer
        draw = buffer.random_minibatch if rl.reuse is None else buffer.drawn_minibatch
        yield size, part.hard_cases.mix_in(draw(rl.minibatch_size, rng), rng)
