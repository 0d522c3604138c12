"""What a search found out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcts.distribution import Distribution, root_value
from mcts.settings import Settings
from mcts.thought import Thought
from mcts.tree import ROOT, UNEXPANDED, Tree, edges_of


@dataclass(frozen=True)
class SearchResult:
    """The statistics of the root's edges, spread over all actions. A: actions.

    Attributes:
        visit_counts: `[A]` int64, how often each action was taken at the root; counts kept from
            earlier moves are included.
        q_values: `[A]` float64, mean values in [-1, 1], seen from player 1; 0 where unvisited.
        distribution: `[A]` float64, the target D: see the variant's ``distribution``.
        best_action: The action that the search would play.
        outcome: What is proven of the root: 0 if nothing, else 1, 2 or 3 (draw).
        value: What the root is worth to its mover, in [-1, 1], see ``root_value``.
        simulations: How many new simulations were run.
        seconds: How long they took.
    """

    visit_counts: NDArray[np.int64]
    q_values: NDArray[np.float64]
    distribution: NDArray[np.float64]
    best_action: int
    outcome: int
    value: float
    simulations: int
    seconds: float

    def thought(self, action: int) -> Thought:
        """Return what the search thought of ``action``, which was played after it."""
        return Thought(self.distribution, float(self.q_values[action]), q_values=self.q_values)


def principal_variation(tree: Tree) -> list[int]:
    """Return what a search expects to be played: at each node the action with most visits."""
    actions: list[int] = []
    node = ROOT
    while node != UNEXPANDED and tree.edge_count[node] > 0:
        edges = edges_of(tree, node)
        edge = edges.start + int(np.argmax(tree.visit_counts[edges]))
        if tree.visit_counts[edge] == 0:
            break
        actions.append(int(tree.action[edge]))
        node = int(tree.child[edge])
    return actions


def simulations_of(tree: Tree) -> int:
    """Return how many simulations have taken an edge of the root, as those before a proof do."""
    return int(tree.visit_counts[edges_of(tree, ROOT)].sum())


def result_of(
    tree: Tree, num_actions: int, distribution: Distribution, settings: Settings
) -> SearchResult:
    """Spread the statistics of the root's edges over all actions; its simulations count as new."""
    edges = edges_of(tree, ROOT)
    actions = tree.action[edges]
    visit_counts = np.zeros(num_actions, np.int64)
    visit_counts[actions] = tree.visit_counts[edges]
    q_values = np.zeros(num_actions)
    q_values[actions] = np.clip(tree.q_values[edges], -1.0, 1.0)
    found = np.empty(num_actions)
    best = distribution(tree, settings, found)
    return SearchResult(
        visit_counts=visit_counts,
        q_values=q_values,
        distribution=found,
        best_action=best,
        outcome=int(tree.outcome[ROOT]),
        value=root_value(tree, found),
        simulations=int(visit_counts.sum()),
        seconds=0.0,
    )
