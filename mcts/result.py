"""What a search found out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcts.proof import worth_playing
from mcts.thought import Thought
from mcts.tree import NODES, ROOT, Tree, edges_of


@dataclass(frozen=True)
class SearchResult:
    """The statistics of the root's edges, spread over all actions. A: actions.

    Attributes:
        visit_counts: `[A]` int64, how often each action was taken at the root; counts kept from
            earlier moves are included.
        q_values: `[A]` float64, mean values in [-1, 1], seen from player 1; 0 where unvisited.
        distribution: `[A]` float64, the visit counts normalised to sum to 1: the target D. Where
            results are proven, it leaves out what need not be played: all but the wins if there is
            one, else the losses.
        simulations: How many new simulations were run.
        seconds: How long they took.
    """

    visit_counts: NDArray[np.int64]
    q_values: NDArray[np.float64]
    distribution: NDArray[np.float64]
    simulations: int
    seconds: float

    @property
    def best_action(self) -> int:
        """The most visited action, of those in D; ties go to the lowest."""
        return int(np.argmax(self.distribution))

    def thought(self, action: int) -> Thought:
        """Return what the search thought of ``action``, which was played after it."""
        return Thought(self.distribution, float(self.q_values[action]))


def simulations_of(tree: Tree) -> int:
    """Return how many simulations have taken an edge of the root, as those before a proof do."""
    return int(tree.visit_counts[edges_of(tree, ROOT)].sum())


def best_of(tree: Tree, num_actions: int) -> int | None:
    """Return the best action at the root; ``None`` if no simulation has left it yet."""
    if tree.used[NODES] == 0 or simulations_of(tree) == 0:
        return None
    return result_of(tree, num_actions, 0, 0.0).best_action


def result_of(tree: Tree, num_actions: int, simulations: int, seconds: float) -> SearchResult:
    """Spread the statistics of the root's edges over all actions."""
    edges = edges_of(tree, ROOT)
    actions = tree.action[edges]
    visit_counts = np.zeros(num_actions, np.int64)
    visit_counts[actions] = tree.visit_counts[edges]
    q_values = np.zeros(num_actions)
    q_values[actions] = np.clip(tree.q_values[edges], -1.0, 1.0)
    distribution = np.zeros(num_actions)
    distribution[actions] = worth_playing(tree)
    distribution /= distribution.sum()
    return SearchResult(visit_counts, q_values, distribution, simulations, seconds)
