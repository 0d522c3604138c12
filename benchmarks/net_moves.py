"""The time of a net's move in a rollout of Hex, part by part.

The rollouts of an untrained net are played once and then replayed: first only the moves, then with
one more part each time. A row is the time that its part adds.

Run it with ``python -m benchmarks.net_moves`` on an idle core.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from anet import ANET
from anet.inference import begin, best_action, pass_on
from anet.layers import OUTPUTS, ROW, SUMS, add_two_features, list_outputs, sum_layer, width_of
from base.jit import make_ready
from base.params import ANETParams
from benchmarks.timing import compiled, seconds, show
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
                add_two_features(net, mover, 2 + ply, 3 + ply)
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
    make_ready(
        *game.rules, *policy, begin, add_two_features, list_outputs, sum_layer, pass_on, best_action
    )
    start, legal = game.initial_state(), np.zeros(game.num_actions, np.int64)
    state = start.copy()
    games = np.zeros((ROLLOUTS, game.max_plies), np.int32)
    lengths = np.zeros(ROLLOUTS, np.int64)
    for number in range(ROLLOUTS):
        state[:] = start
        played = policy.choose, game.rules, policy.net, state, legal, games[number]
        lengths[number] = policy.rollout(*played, 0, rng)[1]
    memory, least = (state, legal), [float("inf")] * len(PARTS)
    for _ in range(REPETITIONS):
        for part in range(len(PARTS)):
            arguments = game.rules, policy.net, start, (games, lengths), memory, rng, part
            least[part] = min(least[part], seconds(partial(play_again, *arguments)))
    nanoseconds = np.diff(least, prepend=0.0) * 1e9 / lengths.sum()
    return float(lengths.mean()), nanoseconds.tolist()


def main() -> None:
    """Print a row for each part."""
    columns = [(size, hidden) for hidden in HIDDEN_LAYERS for size in BOARD_SIZES]
    found = [measure(size, hidden) for size, hidden in columns]
    names = [f"{'-'.join(map(str, hidden))}, {size}x{size}" for size, hidden in columns]
    rows = [[name, *(f"{parts[i]:.0f}" for _, parts in found)] for i, name in enumerate(PARTS)]
    rows.append(["all", *(f"{sum(parts):.0f}" for _, parts in found)])
    rows.append(["moves of a rollout", *(f"{moves:.1f}" for moves, _ in found)])
    show(("ns a move", *names), rows)


if __name__ == "__main__":
    main()
