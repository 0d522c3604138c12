"""How much of the time of self-play the net takes, and what takes the rest.

    python -m benchmarks.self_play [--seconds 20]

Games are played in slots with a trained net that is evaluated in batches, as in training, on one
core and in processor time, in torch and in the runtime that ``anet.runtime=auto`` chooses. A *live*
leaf is one that a search waits for; the others fill a batch up. Other simulations end in a proven
state, or in one whose evaluation is kept. The raw throughput of the net is that of the same calls,
ten times in a row, now and then.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from anet.runtimes.torch_runtime import Floats, Forward
from base.jit import direct
from base.project import ROOT
from benchmarks.timing import show
from hex_mcts.system import PRESETS, System, read_params
from mcts import MCTS
from rl import play_in_slots
from rl.play_in_slots import GamesInSlots
from rl.self_play import SelfPlay

NETS = {
    "residual MLP 256x4, 5x5": ("hex-5", "hex-5-perfect/anet_51200.pt"),
    "pooled 4 x 64, 7x7": ("hex-7", "hex-7-from-small/anet_82713.pt"),
}
"""Presets, and nets of their architectures."""
PARTS = ("the net", "its inputs and outputs", "the searches and moves", "around them")

F = TypeVar("F", bound=Callable[..., Any])


class Clock:
    """Processor seconds by part; a part within another is not counted twice."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self.seconds: dict[str, float] = defaultdict(float)
        self.live = self.evaluated = self.calls = self.simulations = 0
        self._within = 0.0

    def timed(self, part: str, function: F) -> F:
        """Return a function whose time counts for a part."""

        def measured(*arguments: Any, **named: Any) -> Any:
            before, self._within = self._within, 0.0
            began = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                took = time.process_time() - began
                self.seconds[part] += took - self._within
                self._within = before + took

        return measured  # type: ignore[return-value]


class Over(Exception):
    """Enough has been measured."""


def measure(preset: str, net: str, runtime: str, seconds: float) -> tuple[Clock, str]:
    """Play for some processor seconds after an uncounted tenth; return times and the runtime."""
    words = ["anet.device=cpu", "rl.workers=1", "rl.sizes={}"]
    words += [f"rl.start={ROOT / 'nets' / net}", f"anet.runtime={runtime}"]
    params, clock = read_params(PRESETS[preset], words), Clock()

    def watched(evaluate: Forward) -> Forward:
        in_play, alone = (clock.timed(part, evaluate) for part in (PARTS[0], "alone"))

        def evaluate_and_count(inputs: Floats) -> tuple[Floats, Floats]:
            clock.evaluated += len(inputs)
            clock.calls += 1
            if clock.calls % 50 == 0:
                for _ in range(10):
                    alone(inputs)
            return in_play(inputs)

        return evaluate_and_count

    evaluate = MCTS.evaluate_batch

    def counted(search: MCTS, size: int) -> None:
        clock.live += int(np.count_nonzero(search.slots.waits))
        evaluate(search, size)

    advance = GamesInSlots.advance
    play_on = clock.timed(PARTS[3], lambda games: list(advance(games)))

    with (
        tempfile.TemporaryDirectory() as folder,
        closing(System(params).rl_system(Path(folder) / "run")) as run,
        patch.object(GamesInSlots, "advance", play_on),
        patch.object(play_in_slots, "direct", lambda kernel: clock.timed(PARTS[2], direct(kernel))),
        patch.object(MCTS, "evaluate_batch", counted),
    ):
        search, evaluator = run._engine.searches[0], run.anet.evaluator()
        forward = watched(evaluator._forward())
        evaluator._forward = lambda: forward  # type: ignore[method-assign]
        search._evaluate = clock.timed(PARTS[1], evaluator.evaluate_batch)
        ends = [time.process_time() + seconds / 10]

        def should_stop() -> bool:
            if time.process_time() >= ends[-1]:
                if len(ends) == 2:
                    raise Over
                clock.seconds.clear()
                clock.live = clock.evaluated = clock.calls = clock.simulations = 0
                ends.append(time.process_time() + seconds)
            return False

        numbers = range(1, params.rl.episodes + 1)
        self_play = SelfPlay(evaluator, search, params, should_stop)
        with suppress(Over):
            for episode in play_in_slots.play_in_slots(numbers, self_play):
                clock.simulations += episode.simulations
    return clock, f"{run.params.anet.runtime}, {run.params.anet.precision}"


def main() -> None:
    """Print a column for each net."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20, help="for each net (20)")
    arguments = parser.parse_args()
    rows: dict[str, list[str]] = defaultdict(list)
    for (size, net), runtime in product(NETS.values(), ("torch", "auto")):
        clock, chosen = measure(size, net, runtime, arguments.seconds)
        rows["in"].append(chosen)
        size_of_batch, live = clock.evaluated / clock.calls, clock.live
        raw = clock.seconds.pop("alone") / (clock.calls // 50 * 10 * size_of_batch)
        total = sum(clock.seconds.values())
        live_of_batch = f"{size_of_batch:.0f}, {live / clock.calls:.1f}"
        rows["leaves in a batch, of them live"].append(live_of_batch)
        for part in PARTS:
            rows[f"{part}, us for a live leaf"].append(f"{clock.seconds[part] / live * 1e6:.1f}")
        rows["simulations for a live leaf"].append(f"{clock.simulations / live:.1f}")
        rows["simulations a second"].append(f"{clock.simulations / total:,.0f}")
        rows["live leaves a second"].append(f"{live / total:,.0f}")
        rows["the net alone, evaluations a second"].append(f"{1 / raw:,.0f}")
        rows["the former by the latter"].append(f"{live * raw / total:.0%}")
    show(("", *np.repeat([*NETS], 2)), [(name, *cells) for name, cells in rows.items()])


if __name__ == "__main__":
    main()
