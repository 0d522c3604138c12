"""Nets of a game without the swap in the same game with it: the critic decides the swap.

By the colour swap, if the critic gives the mover a chance p to win by moving on, its chance by the
swap is 1 - p.

Letters: B states, A actions.
"""

import numpy as np
from numpy.typing import NDArray

from anet.evaluator import Evaluator, Policies, Values
from state_manager import State, StateManager

_LEAST_CHANCE = 1e-6


class SwapEvaluator(Evaluator):
    """A net with a critic, in its game with the swap; it evaluates batches of states only."""

    def __init__(self, plain: Evaluator, game: StateManager) -> None:
        """Evaluate ``game``, which has the swap, by ``plain``, for the game without it."""
        self._plain, self.game, self.params = plain, game, plain.params
        self.facts, self.episode = plain.facts._replace(plays_rollouts=False), plain.episode

    def in_runtime(self, runtime: str, precision: str, threads: int = 1) -> Evaluator:
        """See ``Evaluator``."""
        return SwapEvaluator(self._plain.in_runtime(runtime, precision, threads), self.game)

    def evaluate_batch(
        self, states: State, legal: NDArray[np.bool_], symmetric: bool = False
    ) -> tuple[Policies, Values | None]:
        """See ``Evaluator``.

        The swap is to the likeliest other move as 1 - p to p, and the value is the better choice's.
        The fairer a first move, the likelier, since the opponent may swap.
        """
        plain = self.game.states_without_swap(states)
        policies, values = self._plain.evaluate_batch(plain, legal[:, :-1], symmetric)
        assert values is not None
        sign, swap = np.where(states[:, 0] == 1, 1.0, -1.0), legal[:, -1]
        chances = np.clip((1.0 + sign * values) / 2.0, _LEAST_CHANCE, 1.0)
        weights = np.where(swap, policies.max(axis=1) * (1.0 / chances - 1.0), 0.0)
        policies = np.column_stack([policies, weights]) / (1.0 + weights)[:, np.newaxis]
        values = np.where(swap, sign * np.abs(values), values)
        for row in np.flatnonzero(~plain[:, 1 : legal.shape[1]].any(axis=1)):
            _, children = zip(*self.game.children(states[row]), strict=True)
            after = self.game.states_without_swap(np.stack(children))
            is_empty = after[:, 1 : legal.shape[1]] == 0
            _, worth = self._plain.evaluate_batch(after, is_empty, symmetric)
            assert worth is not None
            fairness = 1.0 - np.abs(worth)
            values[row] = -sign[row] * np.abs(worth).min()
            policies[row, :-1] = fairness / fairness.sum()
        return policies, values
