"""D, the result of a search: a distribution over the actions, the target of the ANET."""

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.settings import SETTINGS, Settings
from mcts.tree import ROOT, TREE, Tree, edges_from
from state_manager.rules import DRAW, GOES_ON

DISTRIBUTION = types.int64(TREE, SETTINGS, types.float64[::1])
"""``distribution(tree, settings, out) -> best``: write D to ``out``, `[A]`, and return the action
that the search would play."""

Distribution = Callable[[Tree, Settings, NDArray[np.float64]], int]


@kernel(DISTRIBUTION)
def visit_distribution(tree: Tree, settings: Settings, out: NDArray[np.float64]) -> int:
    """Normalise the visit counts of the root's edges; the best action is the most visited one.

    Before the first visit, D is uniform.
    """
    edges, visits = edges_from(tree, ROOT), 0
    for edge in edges:
        visits += tree.edges[edge].visit_count
    for action in range(len(out)):
        out[action] = 0.0
    best = int(tree.edges[edges.start].action)
    for edge in edges:
        action = int(tree.edges[edge].action)
        out[action] = tree.edges[edge].visit_count / visits if visits > 0 else 1.0 / len(edges)
        if out[action] > out[best]:
            best = action
    return best


@kernel(DISTRIBUTION)
def proven_distribution(tree: Tree, settings: Settings, out: NDArray[np.float64]) -> int:
    """Normalise visit counts as far as proven results allow.

    If a win is proven, only proven wins count; else proven losses do not count, unless all moves
    lose. If no action that counts was visited, D is uniform over those that count. At a lost root
    the policy from outside, if any, decides between equally visited actions.
    """
    edges, root = edges_from(tree, ROOT), tree.nodes[ROOT]
    prefers_net = root.outcome == 3 - root.to_play and tree.policies.shape[1] > 0
    sign = 1.0 if root.to_play == 1 else -1.0
    highest = -math.inf
    for edge in edges:
        highest = max(highest, sign * tree.edges[edge].q_value)
    visits = number = 0
    for action in range(len(out)):
        out[action] = -1.0
    for edge in edges:
        value = sign * tree.edges[edge].q_value
        if value == highest or not (math.isinf(value) or math.isinf(highest)):
            out[tree.edges[edge].action] = tree.edges[edge].visit_count
            visits += tree.edges[edge].visit_count
            number += 1
    best = -1
    for action in range(len(out)):
        if out[action] < 0.0:
            out[action] = 0.0
            continue
        out[action] = out[action] / visits if visits > 0 else 1.0 / number
        is_better = best < 0 or out[action] > out[best]
        if not is_better and prefers_net and out[action] == out[best]:
            is_better = tree.policies[ROOT, action] > tree.policies[ROOT, best]
        if is_better:
            best = action
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
