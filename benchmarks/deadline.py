"""Do moves come in time on a busy machine? The agent of the tournament plays itself under a limit.

Beside it run some processes that do nothing but compute. A move is late if its answer took longer
than ``oht.move_time_limit``; the fallback moved if the search had nothing to say; the overrun is
what an answer took beyond the time at which the search should have stopped.

Run it with ``python -m benchmarks.deadline [--moves N] [--busy N] [--sizes K ..] [--limits S ..]``.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from hex_mcts.system import read_params
from main import DEFAULT_PARAMS
from oht_client.lineup import Lineup, TimedMove, search_seconds

SIZES = (7, 11, 13)
LIMITS = (0.2, 0.8)
PERCENTILES = (50, 90, 99, 100)
HEADINGS = ["board", "limit, s", "moves", "late", "fallback"]
HEADINGS += ["overrun, ms: 50 %", "90 %", "99 %", "worst"]


def measure(size: int, limit: float, moves: int) -> list[str]:
    """Let the agent play itself until it has made ``moves`` moves; return its row of the table."""
    words = [f"oht.board_size={size}", f"oht.move_time_limit={limit}", "oht.agent=mcts"]
    lineup = Lineup(read_params(DEFAULT_PARAMS, words), None)
    lineup.warm_up()
    game, agent, _ = lineup.expected
    made: list[TimedMove] = []
    state = game.initial_state(1)
    for _ in track(range(moves), f"{size}x{size}, {limit:g} s", transient=True):
        made.append(agent.choose_action(state))
        state = game.child_state(state, made[-1].action)
        if game.is_final(state):
            state = game.initial_state(1)
    late = sum(move.seconds > limit for move in made)
    fallbacks = sum(bool(move.fault) for move in made)
    overruns = [1000 * (move.seconds - search_seconds(limit)) for move in made]
    worst = [f"{each:.1f}" for each in np.percentile(overruns, PERCENTILES)]
    return [f"{size}x{size}", f"{limit:g}", *map(str, (moves, late, fallbacks)), *worst]


def main() -> None:
    """Measure everything and show it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--moves", type=int, default=500, help="of each kind (default 500)")
    parser.add_argument("--busy", type=int, default=2, help="processes beside it (default 2)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="K")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, metavar="S")
    arguments = parser.parse_args()
    columns = [Column(heading, justify="right") for heading in HEADINGS]
    table = Table(*columns, title=f"Moves under a limit, beside {arguments.busy} busy processes")
    endless = [sys.executable, "-c", "while True: sum(range(10**6))"]
    busy = [subprocess.Popen(endless) for _ in range(arguments.busy)]
    try:
        for size, limit in itertools.product(arguments.sizes, arguments.limits):
            table.add_row(*measure(size, limit, arguments.moves))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    Console().print(table)


if __name__ == "__main__":
    main()
