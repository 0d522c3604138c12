"""Nets of a game without the swap in the same game with it: the critic decides the swap.

By the colour swap, if the critic gives the mover a chance p to win by moving on, its chance by the
swap is 1 - p.

Letters: B states, A actions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anet.anet import ANET, Policies, Values
from base.methods import NetFacts
from base.params import ANETParams
from state_manager import State, StateManager

_LEAST_CHANCE = 1e-6


class SwapANET(ANET):
    """A net with a critic, in its game with the swap; it evaluates batches of states only."""

    def __init__(
        self,
        game: StateManager,
        params: ANETParams,
        seed: int = 0,
        run_params: dict[str, Any] | None = None,
    ) -> None:
        """See ``ANET``; ``game`` has the swap, and ``params`` a critic."""
        super().__init__(game.without_swap, params, seed, run_params)
        self.game = game

    @property
    def facts(self) -> NetFacts:
        """See ``ANET``: its policy is no kernel."""
        return self.params.facts._replace(plays_rollouts=False)

    def evaluate_batch(
        self,
        states: State,
        legal: NDArray[np.bool_],
        symmetric: bool = False,
        exact: bool = False,
    ) -> tuple[Policies, Values | None]:
        """See ``ANET``.

        The swap is to the likeliest other move as 1 - p to p, and the value is the better choice's.
        The fairer a first move, the likelier, since the opponent may swap.
        """
        plain = self.game.states_without_swap(states)
        policies, values = super().evaluate_batch(plain, legal[:, :-1], symmetric, exact)
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
            _, worth = super().evaluate_batch(after, is_empty, symmetric, exact)
            assert worth is not None
            fairness = 1.0 - np.abs(worth)
            values[row] = -sign[row] * np.abs(worth).min()
            policies[row, :-1] = fairness / fairness.sum()
        return policies, values
