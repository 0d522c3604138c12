"""How fast the exact judge solves Hex: first moves, or positions of a search's games.

Times are of one core's work; each position begins with an empty table, the first moves share one.
"""

import argparse
import time

import numpy as np

from base.jit import make_ready
from judge.and_or_search import advance
from judge.hex_solver import HexSolver
from mcts import MCTS
from state_manager import NodeLimitError, State, StateManager, make_game


def first_moves(game: StateManager) -> None:
    """Print the winner after each first move of player 1; names are column and row."""
    solver, winning = HexSolver(game, 100_000_000), []
    began = time.process_time()
    for action in range(game.num_actions):
        before, nodes = time.process_time(), solver.used
        winner, _ = solver.solve(game.child_state(game.initial_state(), action))
        row, column = divmod(action, game.board_shape[1])
        name = f"{chr(ord('a') + column)}{row + 1}"
        winning += [name] if winner == 1 else []
        seconds = time.process_time() - before
        print(f"{name}: player {winner}, {solver.used - nodes:,} nodes, {seconds:.2f} s")
    print(*winning)
    print(f"{solver.used:,} nodes, {time.process_time() - began:.1f} s")


def positions(game: StateManager, empty: int, count: int) -> list[State]:
    """Return positions with ``empty`` empty cells, of games drawn from a search's visit counts."""
    rng = np.random.default_rng(0)
    found: list[State] = []
    while len(found) < count:
        state = game.initial_state(1 + len(found) % 2)
        state = game.child_state(state, int(rng.integers(game.num_actions)))
        search = MCTS(game, simulations=400, seed=int(rng.integers(2**31)))
        while not game.is_final(state) and len(game.legal_actions(state)) > empty:
            chosen = rng.choice(game.num_actions, p=search.search(state).distribution)
            state = game.child_state(state, int(chosen))
            search = MCTS(game, simulations=400, seed=int(rng.integers(2**31)))
        found += [] if game.is_final(state) else [state]
    return found


def solve_positions(game: StateManager, states: list[State], limit: int) -> None:
    """Print the times of positions, and the number that a limit of nodes leaves undecided."""
    seconds, undecided = [], 0
    for state in states:
        solver = HexSolver(game, limit)
        began = time.process_time()
        try:
            solver.outcome(state)
        except NodeLimitError:
            undecided += 1
        seconds.append(time.process_time() - began)
    mean, median, most = np.mean(seconds), np.median(seconds), np.max(seconds)
    print(
        f"{len(states)} positions, seconds: mean {mean:.4f}, median {median:.4f}, most {most:.3f}"
    )
    print(f"{undecided} undecided after {limit:,} nodes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--empty", type=int, help="positions with this number of empty cells")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--limit", type=int, default=10_000, help="nodes for a position")
    options = parser.parse_args()
    game = make_game("hex", size=options.size)
    make_ready(advance)
    if options.empty is None:
        first_moves(game)
    else:
        solve_positions(game, positions(game, options.empty, options.positions), options.limit)
