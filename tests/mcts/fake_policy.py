"""A policy and a critic that read a ``Net`` as a learned one does, in a few lines."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from base.jit import kernel
from state_manager import Indices, State, StateManager
from state_manager.policy import CHOOSE, CRITIC, NO_NET, PRIOR, ActiveFeatures, Net, Policy
from tests.mcts.naive_mcts import Chooser


@kernel(CHOOSE)
def favourite(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Draw any action with probability epsilon, else take the one with the largest weight."""
    if rng.random() < net.epsilon:
        return int(legal[int(rng.random() * count)])
    mover = int(state[0]) - 1
    best = legal[0]
    for i in range(count):
        if net.weights[2 * legal[i] + mover] > net.weights[2 * best + mover]:
            best = legal[i]
    return int(best)


@kernel(CRITIC)
def opinion(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Return a number that depends on the active features: a fraction in [-1, 1]."""
    count = active_features(state, net.rows)
    total = 0
    for i in range(count):
        total += (int(net.rows[i]) * 37 + 11) % 101
    return total % 101 / 50.0 - 1.0


@kernel(PRIOR)
def taste(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Give each action a probability in proportion to its weight."""
    mover = int(state[0]) - 1
    total = 0.0
    for i in range(count):
        total += float(net.weights[2 * legal[i] + mover])
    for i in range(count):
        out[i] = float(net.weights[2 * legal[i] + mover]) / total


def fake_policy(game: StateManager, seed: int, epsilon: float) -> Policy:
    weights = np.random.default_rng(seed).random(2 * game.num_actions).astype(np.float32)
    rows = np.zeros(game.num_features, np.int64)
    return Policy(
        favourite, taste, opinion, NO_NET._replace(weights=weights, epsilon=epsilon, rows=rows)
    )


def favourite_twin(game: StateManager, policy: Policy) -> Chooser:
    def choose(state: State, rng: np.random.Generator) -> int:
        legal = game.legal_actions(state).tolist()
        if rng.random() < policy.net.epsilon:
            return int(legal[int(rng.random() * len(legal))])
        mover = game.to_play(state)
        return int(max(legal, key=lambda action: policy.net.weights[2 * action + mover - 1]))

    return choose


def opinion_twin(game: StateManager, state: State) -> float:
    active = np.flatnonzero(game.observation(state)).tolist()
    return sum((index * 37 + 11) % 101 for index in active) % 101 / 50.0 - 1.0


def taste_twin(game: StateManager, policy: Policy) -> Callable[[State], NDArray[np.float64]]:
    def prior(state: State) -> NDArray[np.float64]:
        weights = {
            int(action): float(policy.net.weights[2 * action + game.to_play(state) - 1])
            for action in game.legal_actions(state)
        }
        probabilities = np.zeros(game.num_actions)
        for action, weight in weights.items():
            probabilities[action] = weight / sum(weights.values())
        return probabilities

    return prior
