"""The parts of a run for each size of the board, with ``rl.sizes``; else one of each."""

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from anet import ANET, Minibatch
from base.cluster import Workers
from base.params import Params
from rl import schedule
from rl.hard_cases import HardCases
from rl.replay_buffer import ReplayBuffer
from rl.schedule import MINIBATCH_STREAM, SIZE_STREAM, Progress, generator
from rl.self_play_engine import SelfPlayEngine, new_search
from state_manager import resized


class SizeParts(NamedTuple):
    """The parts for one size; the nets of all sizes share their weights."""

    anet: ANET
    engine: SelfPlayEngine
    replay_buffer: ReplayBuffer
    hard_cases: HardCases


def parts_by_size(
    anet: ANET, params: Params, cluster: Workers | None = None
) -> dict[int | None, SizeParts]:
    """Return the parts for each size, first those for the board of ``anet``, which learns."""
    own = None, anet.game.params.get("size")
    sizes = sorted(params.rl.size_weights(0.0), key=lambda size: size not in own)
    # Games that advance together in one search keep one thread busy.
    is_one = not params.anet.facts.plays_rollouts and params.rl.scheme != "alphazero"
    workers = 1 if is_one else params.rl.workers

    def parts(size: int | None) -> SizeParts:
        game, of_size = resized(anet.game, size), params.on_board(size)
        net = anet if size in own else anet.on(game)
        evaluator, share = net.evaluator(), workers * len(sizes)
        searches = [new_search(evaluator, of_size, share) for _ in range(workers)]
        hard_cases = HardCases(game, of_size.rl)
        engine = SelfPlayEngine(net, searches, of_size, hard_cases, cluster)
        kept = params.rl.replay_buffer_size, params.rl.symmetry, params.rl.clean_values
        return SizeParts(net, engine, ReplayBuffer(game, *kept), hard_cases)

    return {size: parts(size) for size in sizes}


def minibatches(
    parts: Mapping[int | None, SizeParts],
    params: Params,
    progress: Progress,
    episode: int,
    new: int,
) -> Iterator[tuple[int | None, Minibatch]]:
    """Yield the minibatches of the update after an episode, each with the size of its board.

    ``progress`` is that at the update before; ``new`` is the number of cases since then.
    """
    rl, rng = params.rl, generator(params, MINIBATCH_STREAM, episode)
    if rl.reuse is None and rl.epochs is not None:
        ((size, part),) = parts.items()
        for _ in range(rl.epochs):
            for each in part.replay_buffer.epoch(rl.minibatch_size, rng):
                yield size, part.hard_cases.mix_in(each, rng)
        return
    count = rl.minibatches
    if rl.reuse is not None:
        count = math.ceil(rl.reuse * new / rl.minibatch_size)
    # A batch on a large board has more cases. So the weight of a size is its share of the games,
    # times the cases of its last batch: then ``rl.reuse`` holds for each size.
    buffers = {size: part.replay_buffer for size, part in parts.items()}
    weights = {
        size: share * max(1, buffers[size].newest)
        for size, share in schedule.size_weights(params, progress).items()
        if len(buffers[size])
    }
    sizes = schedule.sizes(weights, generator(params, SIZE_STREAM, episode))
    for size in islice(sizes, count):
        buffer = buffers[size]
        draw = buffer.random_minibatch if rl.reuse is None else buffer.drawn_minibatch
        yield size, parts[size].hard_cases.mix_in(draw(rl.minibatch_size, rng), rng)
