"""A net of random numbers that is evaluated in batches, and states to evaluate."""

import numpy as np
from numpy.typing import NDArray

from state_manager import State, StateManager


class RandomNet:
    def __init__(self, game: StateManager) -> None:
        rng = np.random.default_rng(8)
        self.game = game
        self.weights = rng.normal(size=(game.state_length, game.num_actions + 1))
        self.sizes, self._priors = set[int](), dict[bytes, NDArray[np.float64]]()

    def __call__(
        self, states: NDArray[np.int8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate each row on its own, so that nothing depends on the batch."""
        self.sizes.add(len(states))
        evaluations = [self.evaluate_one(*each) for each in zip(states, legal, strict=True)]
        policies, values = zip(*evaluations, strict=True)
        return np.array(policies), np.array(values)

    def evaluate_one(
        self, state: State, legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], np.float64]:
        """Return policy and value of one state, in numbers exact in single precision."""
        numbers = np.sin(state.astype(float) @ self.weights)
        policy = np.where(legal, np.exp(numbers[:-1]), 0.0)
        policy = policy / policy.sum() if legal.any() else policy
        rounded = np.append(policy, numbers[-1]).astype(np.float32).astype(float)
        return rounded[:-1], rounded[-1]

    def legal(self, state: State) -> NDArray[np.bool_]:
        mask = np.zeros(self.game.num_actions, np.bool_)
        mask[self.game.legal_actions(state)] = True
        return mask

    def value(self, state: State, rng: np.random.Generator) -> float:
        return float(self.evaluate_one(state, self.legal(state))[1])

    def prior(self, state: State) -> NDArray[np.float64]:
        """Return the policy, which a twin asks for again and again."""
        if (key := state.tobytes()) not in self._priors:
            policy = self.evaluate_one(state, self.legal(state))[0]
            self._priors[key] = policy / sum(policy.tolist())
        return self._priors[key]


def some_states(game: StateManager, count: int) -> list[State]:
    rng = np.random.default_rng(2)
    states = []
    for number in range(count):
        state = game.initial_state(1 + number % 2)
        for _ in range(number % 3):
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
        states.append(state)
    return states
