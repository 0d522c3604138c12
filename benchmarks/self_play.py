"""How much of the time of self-play the net takes, and what takes the rest.

    python -m benchmarks.self_play [--seconds 20]

Games are played in rows with a net that is asked in batches, as training plays them, on one core
and in processor time. A *live* leaf is one that a search waits for; the others fill a batch up.
What the net answers in the same time with nothing around it, the same batches, is its raw
throughput.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import torch
from rich.console import Console
from rich.table import Column, Table

from anet.evaluating import Answer, for_evaluation
from base.jit import direct
from hex_mcts.system import System, find_preset, read_params
from mcts import MCTS
from rl import play_in_rows
from rl.self_play import SelfPlay

PARAMS = Path(__file__).resolve().parents[1] / "params.yaml"
GAMES = {"residual MLP 256x4, 5x5": 5, "pooled 3 x 32, 7x7": 7}
"""The nets of the presets for these boards."""
PARTS = ("the net", "what it sees and says", "the searches and moves", "around them")
ALONE = "the net alone"
"""The same call as in play, ten times in a row, now and then: its raw throughput."""

F = TypeVar("F", bound=Callable[..., Any])


class Clock:
    """Processor seconds by part; a part within another is not counted twice."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self.seconds: dict[str, float] = defaultdict(float)
        self.live = self.asked = self.calls = 0
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


def measure(size: int, seconds: float) -> Clock:
    """Play for so many processor seconds, after a tenth of it that is not counted."""
    words = ["rl.scheme=alphazero", f"game.size={size}", "anet.device=cpu", "rl.workers=1"]
    preset = find_preset(PARAMS, words, True)
    params = read_params(PARAMS, words, [preset] if preset else [], standard=True)
    clock = Clock()

    def watched(network: torch.nn.Module) -> Answer:
        answer = for_evaluation(network)
        in_play, alone = (clock.timed(part, answer) for part in (PARTS[0], ALONE))

        def ask(given: torch.Tensor) -> Any:
            clock.asked += len(given)
            clock.calls += 1
            if clock.calls % 50 == 0:
                for _ in range(10):
                    alone(given)
            return in_play(given)

        return ask

    evaluate = MCTS.evaluate_batch

    def counted(search: MCTS, size: int) -> None:
        clock.live += int(np.count_nonzero(search.slots.waits))
        evaluate(search, size)

    with (
        tempfile.TemporaryDirectory() as folder,
        closing(System(params).rl_system(Path(folder) / "run")) as run,
        patch.object(play_in_rows, "direct", lambda kernel: clock.timed(PARTS[2], direct(kernel))),
        patch.object(MCTS, "evaluate_batch", counted),
    ):
        run.anet._net._for_evaluation = watched
        search = run._engine.searches[0]
        search._evaluate = clock.timed(PARTS[1], run.anet.evaluate_checked)
        until = [time.process_time() + seconds / 10]

        def should_stop() -> bool:
            if time.process_time() < until[0]:
                return False
            if len(until) == 2:
                raise Over
            clock.seconds.clear()
            clock.live = clock.asked = clock.calls = 0
            until[:] = [time.process_time() + seconds, 0.0]
            return False

        numbers = range(1, params.rl.episodes + 1)
        self_play = SelfPlay(run.anet, search, params, lambda episodes: None, should_stop)
        play = clock.timed(PARTS[3], play_in_rows.play_in_rows)
        with suppress(Over):
            play(numbers, self_play)
    return clock


def main() -> None:
    """Print a column for each net."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20, help="for each net (20)")
    arguments = parser.parse_args()
    table = Table(Column(""), *(Column(name, justify="right") for name in GAMES))
    columns = []
    for size in GAMES.values():
        clock = measure(size, arguments.seconds)
        raw = clock.seconds.pop(ALONE) / (clock.calls // 50 * 10 * clock.asked / clock.calls)
        total = sum(clock.seconds.values())
        cells = {
            "leaves in a batch, of them live": f"{clock.asked / clock.calls:.0f}, "
            f"{clock.live / clock.calls:.1f}"
        }
        for part in PARTS:
            cells[f"{part}, us for a live leaf"] = f"{clock.seconds[part] / clock.live * 1e6:.1f}"
        cells["live leaves a second"] = f"{clock.live / total:,.0f}"
        cells["the net alone, answers a second"] = f"{1 / raw:,.0f}"
        cells["the former by the latter"] = f"{clock.live * raw / total:.0%}"
        columns.append(cells)
    for name in columns[0]:
        table.add_row(name, *(cells[name] for cells in columns))
    Console().print(table)


if __name__ == "__main__":
    main()
