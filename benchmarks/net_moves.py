"""Where the nanoseconds of a move go that a net plays in a rollout of Hex.

Rollouts of a net that has not learned are played, and then again, move by move, as they were: first
only the moves, then with one part more each time. What that part adds is its row.

Run it with ``python -m benchmarks.net_moves`` on an idle core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from anet import ANET
from anet.inference import pass_on
from anet.layers import OUTPUTS, ROW, SUMS, list_outputs, sum_layer, width_of
from anet.rollouts import begin, best_action, keep_up
from base.jit import make_ready
from base.params import ANETParams
from state_manager import Indices, State, make_game
from state_manager.policy import Net
from state_manager.rules import Rules, copy_state

BOARD_SIZES, HIDDEN_LAYERS = (5, 7, 11), ((64, 64), (256, 32))
ROLLOUTS, REPETITIONS = 1_000, 9
PARTS = (
    "the move",
    "random numbers",
    "the beginning of the rollout",
    "sums of the first layer kept up",
    "active neurons listed",
    "the second layer",
    "the policy head",
    "the best legal action",
)

F = TypeVar("F", bound=Callable[..., Any])
compiled: Callable[[F], F] = numba.njit(nogil=True)


@compiled
def play_again(
    rules: Rules,
    net: Net,
    start: State,
    moves: tuple[NDArray[np.int32], Indices],
    memory: tuple[State, Indices],
    rng: np.random.Generator,
    part: int,
) -> float:
    """Play rollouts again, with the first parts up to one of them."""
    (games, lengths), (state, legal), total = moves, memory, 0.0
    row = net.layout[ROW]
    for game in range(len(games)):
        copy_state(start, state)
        if part >= 2:
            begin(rules, net, state, legal)
        for ply in range(lengths[game]):
            mover = int(state[0]) - 1
            source = (SUMS + mover) * row
            if part >= 1:
                total += rng.random()
            if part >= 3:
                keep_up(net, mover, 2 + ply, 3 + ply)
            if part == 4:
                total += list_outputs(net, source, width_of(net, 1))
            if part == 5:
                count = list_outputs(net, source, width_of(net, 1))
                sum_layer(net, 1, mover, count, source, OUTPUTS * row)
            if part == 6:
                total += pass_on(net, mover, source, 2)
            if part == 7:
                total += best_action(net, mover)
            rules.play(state, games[game, ply])
    return total


def measure(size: int, hidden_layers: tuple[int, ...]) -> tuple[float, list[float]]:
    """Return how many moves a rollout has, and the nanoseconds that each part adds to a move."""
    game = make_game("hex", size=size)
    net = ANET(game, ANETParams(hidden_layers=hidden_layers), seed=1)
    policy, rng = net.rollout_policy(epsilon=0.1), np.random.default_rng(1)
    make_ready(*game.rules, *policy, begin, keep_up, list_outputs, sum_layer, pass_on, best_action)
    start, legal = game.initial_state(), np.zeros(game.num_actions, np.int64)
    state = start.copy()
    games = np.zeros((ROLLOUTS, game.max_plies), np.int32)
    lengths = np.zeros(ROLLOUTS, np.int64)
    for number in range(ROLLOUTS):
        state[:] = start
        arguments = policy.choose, game.rules, policy.net, state, legal, games[number]
        policy.rollout(*arguments, lengths[number : number + 1], rng)
    least = [float("inf")] * len(PARTS)
    for _ in range(REPETITIONS):
        for part in range(len(PARTS)):
            began = time.thread_time()
            memory = state, legal
            play_again(game.rules, policy.net, start, (games, lengths), memory, rng, part)
            least[part] = min(least[part], time.thread_time() - began)
    nanoseconds = np.diff(least, prepend=0.0) * 1e9 / lengths.sum()
    return float(lengths.mean()), nanoseconds.tolist()


def main() -> None:
    """Print a row for each part."""
    columns = [(size, hidden) for hidden in HIDDEN_LAYERS for size in BOARD_SIZES]
    found = [measure(size, hidden) for size, hidden in columns]
    names = [f"{'-'.join(map(str, hidden))}, {size}x{size}" for size, hidden in columns]
    table = Table("ns a move", *names)
    for part, name in enumerate(PARTS):
        table.add_row(name, *(f"{parts[part]:.0f}" for _, parts in found))
    table.add_section()
    table.add_row("all", *(f"{sum(parts):.0f}" for _, parts in found))
    table.add_row("moves of a rollout", *(f"{moves:.1f}" for moves, _ in found))
    Console().print(table)


if __name__ == "__main__":
    main()
