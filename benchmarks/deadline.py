"""Do moves come in time on a busy machine? The agent of the tournament plays itself under a limit.

Beside it run some processes that do nothing but compute. A move is late if its answer took longer
than ``oht.move_time_limit``; the fallback moved if the search had nothing to say; the overrun is
what an answer took beyond the time at which the search should have stopped.

Run it with ``python -m benchmarks.deadline [--moves N] [--busy N] [--sizes K ..] [--limits S ..]``.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from base.params import load_params
from main import DEFAULT_PARAMS
from oht_client.lineup import Lineup, TimedMove, search_seconds
from state_manager import game_names, game_schema

SIZES = (7, 11, 13)
LIMITS = (0.2, 0.8)
PERCENTILES = (50, 90, 99, 100)


@dataclass(frozen=True)
class Measured:
    """Moves on one board under one limit.

    Attributes:
        size: Cells a side.
        limit: Seconds for a move.
        moves: What was answered.
    """

    size: int
    limit: float
    moves: Sequence[TimedMove]

    @property
    def late(self) -> int:
        """How many answers took longer than the limit."""
        return sum(move.seconds > self.limit for move in self.moves)

    @property
    def fallbacks(self) -> int:
        """How many moves were not the search's."""
        return sum(bool(move.fault) for move in self.moves)

    @property
    def overruns(self) -> list[float]:
        """Percentiles of the overrun, in milliseconds."""
        overruns = [move.seconds - search_seconds(self.limit) for move in self.moves]
        return [float(each) for each in 1000 * np.percentile(overruns, PERCENTILES)]


def measure(size: int, limit: float, moves: int) -> Measured:
    """Let the agent play itself until it has made ``moves`` moves."""
    words = [f"oht.board_size={size}", f"oht.move_time_limit={limit}", "oht.agent=mcts"]
    schemas = SimpleNamespace(names=game_names, schema=game_schema)
    params = load_params(DEFAULT_PARAMS, words, game_schemas=schemas)
    lineup = Lineup(params, None)
    lineup.warm_up()
    game, agent, _ = lineup.expected
    made: list[TimedMove] = []
    state = game.initial_state(1)
    for _ in track(range(moves), f"{size}x{size}, {limit:g} s", transient=True):
        made.append(agent.choose_action(state))
        state = game.child_state(state, made[-1].action)
        if game.is_final(state):
            state = game.initial_state(1)
    return Measured(size, limit, made)


def compute() -> None:
    """Do nothing of use."""
    while True:
        sum(range(10**6))


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """Keep this number of processes busy meanwhile."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=compute, daemon=True) for _ in range(number)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.terminate()
            process.join()


def table(rows: Sequence[Measured], busy: int) -> Table:
    """Return the table of all that was measured."""
    shown = Table(title=f"Moves under a limit, beside {busy} busy processes")
    headings = ["board", "limit, s", "moves", "late", "fallback", "overrun, ms: 50 %"]
    headings += [f"{each} %" for each in PERCENTILES[1:-1]] + ["worst"]
    for heading in headings:
        shown.add_column(heading, justify="right")
    for row in rows:
        cells = [f"{row.size}x{row.size}", f"{row.limit:g}", len(row.moves), row.late]
        cells += [row.fallbacks, *(f"{each:.1f}" for each in row.overruns)]
        shown.add_row(*map(str, cells))
    return shown


def main() -> None:
    """Measure everything and show it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--moves", type=int, default=500, help="of each kind (default 500)")
    parser.add_argument("--busy", type=int, default=2, help="processes beside it (default 2)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="K")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, metavar="S")
    arguments = parser.parse_args()
    with busy_processes(arguments.busy):
        rows = [
            measure(size, limit, arguments.moves)
            for size in arguments.sizes
            for limit in arguments.limits
        ]
    Console().print(table(rows, arguments.busy))


if __name__ == "__main__":
    main()
