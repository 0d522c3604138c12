"""Are moves on time on a busy machine? The agent of the tournament plays itself under a limit.

Two other processes compute meanwhile. A move is late if it took longer than
``oht.move_time_limit``; the fallback moved if the search had no move yet; the overrun is the time
of a move beyond the time limit of its search.

    python -m benchmarks.deadline [--moves N]
"""

import argparse
import subprocess
import sys

import numpy as np
from rich.progress import track

from benchmarks.timing import ROOT, show
from hex_mcts.system import read_params
from online.lineup import Lineup, TimedMove, search_seconds

PERCENTILES = (50, 90, 99, 100)
HEADINGS = ["board", "limit, s", "moves", "late", "fallback"]
HEADINGS += ["overrun, ms: 50 %", "90 %", "99 %", "worst"]


def measure(size: int, limit: float, moves: int) -> list[str]:
    """Let the agent make ``moves`` moves against itself; return its row of the table."""
    words = [f"oht.board_size={size}", f"oht.move_time_limit={limit}", "oht.agent=mcts"]
    lineup = Lineup(read_params(ROOT / "params.yaml", words), None)
    lineup.warm_up()
    game, agent, *_ = lineup.expected
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
    moves = parser.parse_args().moves
    endless = [sys.executable, "-c", "while True: sum(range(10**6))"]
    busy = [subprocess.Popen(endless) for _ in range(2)]
    try:
        rows = [measure(size, limit, moves) for size in (7, 11, 13) for limit in (0.2, 0.8)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    show(HEADINGS, rows, "Moves under a limit, beside two busy processes")


if __name__ == "__main__":
    main()
