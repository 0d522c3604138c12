"""What each kind of network learns from the same cases, and what an evaluation costs.

Cases come from games of a plain search against itself. A fifth of the games is held out; the table
shows by how much the cross-entropy on their cases exceeds its floor, the entropy of the targets.
Times are of one core's work; evaluations are in batches of 128.
"""

import argparse

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from anet import ANET, Minibatch
from base.params import ANETParams
from benchmarks.timing import seconds, show
from mcts import MCTS
from state_manager import State, StateManager, make_game

# Padded is to 9 x 9 cells, plain is without batch normalisation.
NETS: dict[str, dict[str, object]] = {
    "mlp 64-64": {},
    "mlp 64-64 padded": {"padded_size": 9},
    "mlp 256-256": {"hidden_layers": (256, 256)},
    "convolutional 3 x 32": {"network": "convolutional"},
    "residual 2 x 24": {"network": "residual", "channels": 24, "blocks": 2},
    "residual 3 x 32": {"network": "residual"},
    "residual 3 x 32 plain": {"network": "residual", "batch_normalization": False},
    "pooled 3 x 32 plain": {"network": "pooled", "batch_normalization": False},
}
BATCH = 128
"""Cases in a minibatch, and positions in a batch of evaluations."""


def play(
    game: StateManager, games: int, simulations: int
) -> tuple[NDArray[np.int8], Minibatch, NDArray[np.int64]]:
    """Return positions `[N, S]` of a search's games, their cases, and each one's game number."""
    rng = np.random.default_rng(0)
    search = MCTS(game, simulations=simulations, seed=1)
    cases: list[tuple[State, NDArray[np.float64], int]] = []
    winners: list[int] = []
    for number in track(range(games), "games"):
        state = game.initial_state(1 + number % 2)
        for _ in range(rng.integers(6)):  # then, moves are drawn from the visit counts
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
        while not game.is_final(state):
            search.reset()
            cases.append((state, search.search(state).distribution, number))
            state = game.child_state(state, int(rng.choice(game.num_actions, p=cases[-1][1])))
        winners.append(game.winner(state))
    states, targets, numbers = (np.array(column) for column in zip(*cases, strict=True))
    values = np.where(np.array(winners)[numbers] == states[:, 0], np.float32(1), np.float32(-1))
    movers, legal = states[:, 0].copy(), game.legal_mask(states)
    features, weights = game.observations(states), np.ones(len(states), np.float32)
    told = Minibatch(features, movers, legal, targets.astype(np.float32), values, weights)
    return states, told, numbers


def some(cases: Minibatch, chosen: NDArray[np.int64]) -> Minibatch:
    """Return some of the cases."""
    return Minibatch(*(column[chosen] for column in vars(cases).values()))


def excess(net: ANET, cases: Minibatch, states: NDArray[np.int8]) -> float:
    """Return the cross-entropy above its floor, in nats."""
    policies, _ = net.evaluate_batch(states, cases.legal)
    targets = cases.targets
    ratios = np.where(targets > 0, targets / np.maximum(policies, 1e-12), 1.0)
    return float((targets * np.log(ratios)).sum(axis=1).mean())


def main() -> None:
    """Print a row for each net."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=5, help="cells a side of the Hex board (5)")
    parser.add_argument("--games", type=int, default=500, help="games that give the cases (500)")
    parser.add_argument("--simulations", type=int, default=2000, help="of the search (2000)")
    parser.add_argument("--steps", type=int, default=1200, help="steps of the optimiser (1200)")
    arguments = parser.parse_args()
    game = make_game("hex", size=arguments.size)
    states, cases, numbers = play(game, arguments.games, arguments.simulations)
    kept = np.flatnonzero(numbers < 0.8 * arguments.games)
    held_out = np.flatnonzero(numbers >= 0.8 * arguments.games)
    test, states = some(cases, held_out), states[held_out]
    rows = []
    for name, words in track(NETS.items(), "nets"):
        common = {"view": "mover", "critic": True, "learning_rate": 0.002, "device": "cpu"}
        net = ANET(game, ANETParams.model_validate({**common, **words}), seed=1)
        rng = np.random.default_rng(1)

        def learn(net: ANET = net, rng: np.random.Generator = rng) -> None:
            for _ in range(arguments.steps):
                net.train(some(cases, rng.choice(kept, BATCH, replace=False)))

        def evaluate(times: int, net: ANET = net) -> None:
            for _ in range(times):
                net.evaluate_batch(states[:BATCH], test.legal[:BATCH])

        learning = seconds(learn)
        evaluate(1)
        evaluating = seconds(lambda: evaluate(20)) / 20 / len(states[:BATCH])
        weights = sum(t.numel() for key, t in net.state()[1].items() if key.startswith("network."))
        times = f"{learning:.0f} s", f"{evaluating * 1e6:.1f} us"
        rows.append([name, f"{weights:,}", f"{excess(net, test, states):.3f}", *times])
    print(f"{len(kept):,} cases, {len(held_out):,} held out")
    show(("net", "numbers", "above floor", "learning", "an evaluation"), rows)


if __name__ == "__main__":
    main()
