"""A net of random numbers, to be asked in batches, and states to ask it about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from state_manager import State, StateManager
from tests.mcts.remembering import remembering


class Opinions:
    """A net of random numbers, and what it says about a single state."""

    def __init__(self, game: StateManager) -> None:
        rng = np.random.default_rng(8)
        self.game = remembering(game)
        self.weights = rng.normal(size=(game.state_length, game.num_actions + 1))
        self.sizes: set[int] = set()

    def __call__(
        self, states: NDArray[np.int8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Answer for each row on its own, so that nothing depends on the batch."""
        self.sizes.add(len(states))
        answers = [self.answer(state, mask) for state, mask in zip(states, legal, strict=True)]
        policies, values = zip(*answers, strict=True)
        return np.array(policies), np.array(values)

    def answer(
        self, state: State, legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], np.float64]:
        """Say something about one state, in numbers that survive as single precision."""
        numbers = np.sin(state.astype(float) @ self.weights)
        policy = np.where(legal, np.exp(numbers[:-1]), 0.0)
        policy = policy / policy.sum() if legal.any() else policy
        rounded: NDArray[np.float64] = (
            np.append(policy, numbers[-1]).astype(np.float32).astype(float)
        )
        return rounded[:-1], rounded[-1]

    def legal(self, state: State) -> NDArray[np.bool_]:
        mask = np.zeros(self.game.num_actions, np.bool_)
        mask[self.game.legal_actions(state)] = True
        return mask

    def value(self, state: State, rng: np.random.Generator) -> float:
        return float(self.answer(state, self.legal(state))[1])

    def prior(self, state: State) -> NDArray[np.float64]:
        policy = self.answer(state, self.legal(state))[0]
        shares: NDArray[np.float64] = policy / sum(policy.tolist())
        return shares


def some_states(game: StateManager, count: int) -> list[State]:
    """Return states of a few plies."""
    rng = np.random.default_rng(2)
    states = []
    for number in range(count):
        state = game.initial_state(1 + number % 2)
        for _ in range(number % 3):
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
        states.append(state)
    return states
