"""Nets of a game without the swap in the same game with it: the critic decides the swap.

By the colour swap, if the critic gives the mover a chance p to win by moving on, its chance by the
swap is 1 - p.

Letters: B states, C actions without the swap.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anet.anet import ANET
from anet.game_network import GameNetwork, Policies, Values
from base.params import ANETParams
from state_manager import State, StateManager
from state_manager.rules import Symmetry

_LEAST_CHANCE = 1e-6


class SwapNetwork(GameNetwork):
    """A network of the game without the swap that evaluates states with it."""

    def __init__(self, game: StateManager, params: ANETParams, seed: int) -> None:
        """See ``GameNetwork``; ``game`` has the swap, and ``params`` a critic."""
        super().__init__(game.without_swap, params, seed)
        self._with_swap = game

    def evaluate(
        self,
        states: State,
        legal: NDArray[np.bool_],
        images: Sequence[Symmetry | None] = (None,),
        for_search: bool = False,
    ) -> tuple[Policies, Values | None]:
        """See ``GameNetwork``.

        The swap is to the likeliest other move as 1 - p to p, and the value is the better choice's.
        The fairer a first move, the likelier, since the opponent may swap.
        """
        plain = self._with_swap.states_without_swap(states)
        policies, values = super().evaluate(plain, legal[:, :-1], images, for_search)
        assert values is not None
        sign, swap = np.where(states[:, 0] == 1, 1.0, -1.0), legal[:, -1]
        chances = np.clip((1.0 + sign * values) / 2.0, _LEAST_CHANCE, 1.0)
        weights = np.where(swap, policies.max(axis=1) * (1.0 / chances - 1.0), 0.0)
        policies = np.column_stack([policies, weights]) / (1.0 + weights)[:, np.newaxis]
        values = np.where(swap, sign * np.abs(values), values)
        for row in np.flatnonzero(~plain[:, 1 : legal.shape[1]].any(axis=1)):
            _, children = zip(*self._with_swap.children(states[row]), strict=True)
            after = self._with_swap.states_without_swap(np.stack(children))
            is_empty = after[:, 1 : legal.shape[1]] == 0
            _, worth = super().evaluate(after, is_empty, images, for_search)
            assert worth is not None
            fairness = 1.0 - np.abs(worth)
            values[row] = -sign[row] * np.abs(worth).min()
            policies[row, :-1] = fairness / fairness.sum()
        return policies, values


class SwapANET(ANET):
    """A net with a critic, in its game with the swap; it evaluates batches of states only."""

    network = SwapNetwork

    @property
    def plays_rollouts(self) -> bool:
        """See ``ANET``: its policy is no kernel."""
        return False
