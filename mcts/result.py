"""The result of a search."""

import math
from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, kernel, row_of
from mcts.distribution import Distribution, root_value
from mcts.search import SEARCH, Search
from mcts.settings import Settings
from mcts.thought import Thought
from mcts.tree import ROOT, UNEXPANDED, Tree, edges_from, edges_of


@dataclass(frozen=True)
class SearchResult:
    """The statistics of the root's edges, spread over all actions. A: actions."""

    visit_counts: NDArray[np.int64]  # [A], also those kept from earlier moves
    q_values: NDArray[np.float64]  # [A], means in [-1, 1], seen from player 1; 0 where unvisited
    distribution: NDArray[np.float64]  # [A], the target D: see the variant's ``distribution``
    best_action: int  # the action that the search would play
    outcome: int  # the root's proven result: 0 if none, else 1, 2 or 3 (draw)
    value: float  # the root's for its mover, in [-1, 1], see ``root_value``
    simulations: int  # the number of new simulations
    seconds: float  # their duration

    def thought(self, action: int) -> Thought:
        """Return the search's view of ``action``, the move played after it."""
        value = float(self.q_values[action])
        if action == self.best_action and not self.visit_counts[action]:
            value = {1: 1.0, 2: -1.0}.get(self.outcome, value)  # proven before any visit
        return Thought(
            self.distribution, value, q_values=self.q_values, visit_counts=self.visit_counts
        )


def principal_variation(tree: Tree, best_action: int) -> list[int]:
    """Return the expected line of play: the best action, then the most visited ones.

    The line ends where no edge was visited. Proven wins come first; a proven loss is in the line
    only where no other edge was visited. ``best_action`` is that at the root, which must have
    edges.
    """

    def preference(edge: int) -> tuple[bool, float, int]:
        count, q = int(tree.edges[edge].visit_count), float(tree.edges[edge].q_value)
        gain = q if tree.nodes[node].to_play == 1 else -q
        return count > 0, gain if math.isinf(gain) else 0.0, count

    line, node = [best_action], ROOT
    edges = edges_of(tree, ROOT)
    if best_action not in tree.edges[edges].action:  # another move was forced
        return line
    edge = edges.start + int(np.argmax(tree.edges[edges].action == best_action))
    while (node := int(tree.edges[edge].child)) != UNEXPANDED:
        edges = edges_of(tree, node)
        edge = max(range(edges.start, edges.stop), key=preference, default=-1)
        if edge < 0 or tree.edges[edge].visit_count == 0:
            break
        line.append(int(tree.edges[edge].action))
    return line


def simulations_of(tree: Tree) -> int:
    """Return how many simulations have taken an edge of the root; none does after its proof."""
    return int(tree.edges[edges_of(tree, ROOT)].visit_count.sum())


@deferred_interrupts()
def result_of(
    tree: Tree, num_actions: int, distribution: Distribution, settings: Settings
) -> SearchResult:
    """Spread the statistics of the root's edges over all actions; its simulations count as new."""
    edges = edges_of(tree, ROOT)
    actions = tree.edges[edges].action
    visit_counts = np.zeros(num_actions, np.int64)
    visit_counts[actions] = tree.edges[edges].visit_count
    q_values = np.zeros(num_actions)
    q_values[actions] = np.clip(tree.edges[edges].q_value, -1.0, 1.0)
    found = np.empty(num_actions)
    best = distribution(tree, settings, found)
    return SearchResult(
        visit_counts=visit_counts,
        q_values=q_values,
        distribution=found,
        best_action=best,
        outcome=int(tree.nodes[ROOT].outcome),
        value=root_value(tree, found),
        simulations=int(visit_counts.sum()),
        seconds=0.0,
    )


_RESULT = types.Tuple((types.int64, types.float64, types.int64, types.int64))


@kernel(_RESULT(SEARCH, types.int64, types.float64[::1]), inner=True)
def result_in(search: Search, row: int, out: NDArray[np.float64]) -> tuple[int, float, int, int]:
    """Write D of a slot's search to ``out``; return best action, value, outcome, simulations."""
    tree = row_of(search.slots.trees, row)
    best = search.processes.distribution(tree, search.context.settings, out)
    simulations = 0
    for edge in edges_from(tree, ROOT):
        simulations += tree.edges[edge].visit_count
    return best, root_value(tree, out), int(tree.nodes[ROOT].outcome), simulations
