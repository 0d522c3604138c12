"""Process 2 for tree policies that use a net: edges store their priors.

If leaves are evaluated outside, the policy waits in ``Tree.policies`` until the node gets edges.

Noise at the root makes self-play try every move now and then. Silver et al. 2017 (AlphaGo Zero),
Methods: at the root alone P(s,a) becomes (1 - share) P(s,a) + share * eta_a, where eta is drawn
from a symmetric Dirichlet distribution.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.node_expansion import EDGES, EXPANSION, add_edges, expand
from mcts.settings import CONTEXT, SearchContext
from mcts.tree import PATH, ROOT, TREE, UNEXPANDED, SearchPath, Tree, edges_from
from state_manager.rules import STATE, State

_LEAST_PRIOR = 1e-6


@kernel(EXPANSION, inlined=True, inner=True)
def expand_with_priors(
    context: SearchContext, state: State, outcome: int, tree: Tree, path: SearchPath
) -> None:
    """Expand, and keep the policy from outside; a forced action has all of the probability."""
    first = tree.size.edges
    expand(context, state, outcome, tree, path)
    if tree.size.edges > first:
        tree.priors[first] = 1.0
    leaf = path.nodes[path.end.depth]
    if leaf != UNEXPANDED:
        for action in range(tree.policies.shape[1]):
            tree.policies[leaf, action] = context.evaluation.policy[action]


@kernel(types.int64(CONTEXT, STATE, types.int64, TREE, PATH), inlined=True, inner=True)
def list_priors(
    context: SearchContext, state: State, node: int, tree: Tree, path: SearchPath
) -> int:
    """Write a node's legal actions and their priors to the path; return their number."""
    rules, policy, priors = context.rules, context.policy, path.priors
    count = rules.legal_actions(state, path.legal)
    if tree.policies.shape[1] == 0:
        policy.prior(rules.active_features, policy.net, state, path.legal, count, priors)
        return count
    total = 0.0
    for i in range(count):
        priors[i] = np.float64(tree.policies[node, path.legal[i]])
        total += priors[i]
    for i in range(count):
        priors[i] = priors[i] / total if total > 0.0 else 1.0 / count
    return count


@kernel(types.void(TREE, types.int64, PATH, types.int64, types.int64), inlined=True, inner=True)
def add_listed(tree: Tree, node: int, path: SearchPath, count: int, legal: int) -> None:
    """Give a node edges up to ``count``, the first of its ``legal`` listed actions."""
    add_edges(tree, node, path.legal, count)
    for i in range(tree.nodes[node].edge_count):
        tree.priors[tree.nodes[node].first_edge + i] = path.priors[i]
    tree.nodes[node].has_more = tree.nodes[node].edge_count < legal


@kernel(EDGES, inner=True)
def make_edges_with_priors(
    context: SearchContext, state: State, node: int, tree: Tree, path: SearchPath
) -> None:
    """Make all edges at once."""
    legal = list_priors(context, state, node, tree, path)
    add_listed(tree, node, path, legal, legal)


NOISE = types.void(TREE, types.float64, types.float64[::1])
"""``add_noise(tree, amount, numbers)``: mix noise, one number for each action, `[A]`, into a new
root."""
AddNoise = Callable[[Tree, float, NDArray[np.float64]], None]


@kernel(NOISE, inner=True)
def no_noise(tree: Tree, amount: float, numbers: NDArray[np.float64]) -> None:
    """Leave the root as it is."""


@kernel(types.int64(TREE))
def highest_prior(tree: Tree) -> int:
    """Return the root's action with the highest prior, without noise; ties go to the lowest."""
    best = tree.edges[edges_from(tree, ROOT).start].action
    for edge in edges_from(tree, ROOT):
        if tree.policies[ROOT, tree.edges[edge].action] > tree.policies[ROOT, best]:
            best = tree.edges[edge].action
    return int(best)


@kernel(types.float64(TREE, types.float64[::1]))
def surprise(tree: Tree, distribution: NDArray[np.float64]) -> float:
    """Return the relative entropy, in nats, of D, `[A]`, to the root's priors without noise."""
    total = 0.0
    for action in range(tree.policies.shape[1]):  # none, if the net is no guide
        if distribution[action] > 0.0:
            prior = max(tree.policies[ROOT, action], _LEAST_PRIOR)
            total += distribution[action] * math.log(distribution[action] / prior)
    return max(total, 0.0)


@kernel(NOISE, inner=True)
def add_shares(tree: Tree, amount: float, numbers: NDArray[np.float64]) -> None:
    """Mix numbers, as shares of their sum, into the priors of the root's edges."""
    edges = edges_from(tree, ROOT)
    total = 0.0
    for edge in edges:
        total += numbers[tree.edges[edge].action]
    for edge in edges:
        share = numbers[tree.edges[edge].action] / total
        tree.priors[edge] += amount * (share - tree.priors[edge])


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise at the root."""

    amount: float  # the share of the noise in the root's priors, from 0 to 1
    alpha: float  # the concentration, above 0; the smaller, the fewer actions share the noise

    add = staticmethod(add_shares)

    def drawn(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Draw gamma variates; over the legal actions, their shares are Dirichlet noise."""
        # At least tiny: the sum that divides them must not be 0.
        return np.maximum(rng.standard_gamma(self.alpha, shape), np.finfo(np.float64).tiny)


@kernel(NOISE, inner=True)
def add_gumbels(tree: Tree, amount: float, numbers: NDArray[np.float64]) -> None:
    """Add noise to the logarithms of the priors of the root's edges."""
    for edge in edges_from(tree, ROOT):
        action = tree.edges[edge].action
        tree.root_logits[action] += amount * numbers[action]


@dataclass(frozen=True)
class GumbelNoise:
    """Gumbel noise on the root's log priors, times ``amount``; else the search draws no numbers."""

    amount: float

    add = staticmethod(add_gumbels)

    def drawn(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Draw Gumbel noise."""
        return rng.gumbel(size=shape)
