"""D, the result of a search: a distribution over the actions, the target of the ANET."""

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel
from mcts.settings import SETTINGS, Settings
from mcts.tree import ROOT, TREE, Tree, edges_from
from state_manager.rules import DRAW, GOES_ON

DISTRIBUTION = types.int64(TREE, SETTINGS, types.float64[::1])
"""``distribution(tree, settings, out) -> best``: write D to ``out``, `[A]`, and return the action
that the search would play."""

Distribution = Callable[[Tree, Settings, NDArray[np.float64]], int]
DISTRIBUTION_FUNCTION = function_type(DISTRIBUTION)


@kernel(DISTRIBUTION)
def visit_distribution(tree: Tree, settings: Settings, out: NDArray[np.float64]) -> int:
    """Normalise the visit counts of the root's edges; the best action is the most visited one.

    If there is a proven win, only wins count. Else proven losses do not count, unless all moves
    lose. If no action that counts was visited, D is uniform over those that count. At a lost root
    the policy from outside, if any, decides between equally visited actions.
    """
    edges, root = edges_from(tree, ROOT), tree.nodes[ROOT]
    is_lost = root.outcome == 3 - root.to_play and tree.policies.shape[1] > 0
    sign = 1.0 if root.to_play == 1 else -1.0
    highest = -math.inf
    for edge in edges:
        highest = max(highest, sign * tree.edges[edge].q_value)
    total = 0.0
    for edge in edges:
        value = sign * tree.edges[edge].q_value
        if value == highest or not (math.isinf(value) or math.isinf(highest)):
            total += tree.edges[edge].visit_count
    for place in range(len(out)):
        out[place] = 0.0
    sure = total > 0.0
    best, number = int(tree.edges[edges.start].action), 0
    for edge in edges:
        value = sign * tree.edges[edge].q_value
        if value == highest or not (math.isinf(value) or math.isinf(highest)):
            action = int(tree.edges[edge].action)
            out[action] = tree.edges[edge].visit_count / total if sure else 1.0
            number += 1
            is_better = out[action] > out[best]
            if is_lost and out[action] == out[best]:
                is_better = tree.policies[ROOT, action] > tree.policies[ROOT, best]
            if number == 1 or is_better:
                best = action
    if not sure:
        for place in range(len(out)):
            out[place] /= number
    return best


@kernel(types.float64(TREE, types.float64[::1]))
def root_value(tree: Tree, distribution: NDArray[np.float64]) -> float:
    """Return the root's value for its mover, in [-1, 1], by D; unvisited actions get the mean."""
    root, share, value = tree.nodes[ROOT], 0.0, 0.0
    if root.outcome != GOES_ON:
        return 0.0 if root.outcome == DRAW else 1.0 if root.outcome == root.to_play else -1.0
    sign = 1.0 if root.to_play == 1 else -1.0
    for place in edges_from(tree, ROOT):
        edge = tree.edges[place]
        if edge.visit_count > 0:
            part = distribution[edge.action]
            share += part
            value += part * min(1.0, max(-1.0, sign * edge.q_value))
    return value / share if share > 0.0 else 0.0
