"""Process 2 for tree policies that ask a net: a new node's edges remember their priors."""

from __future__ import annotations

from collections.abc import Callable

from base.jit import kernel
from mcts.node_expansion import EXPANSION, expand
from mcts.tree import EDGES, Trace, Tree
from state_manager.policy import ActiveFeatures, Net, PriorKernel
from state_manager.rules import Indices, State

PRIORS = 0
"""Row of ``Tree.memory``: P(s,a), the policy's probability of the action."""


@kernel(EXPANSION, inner=True)
def expand_with_priors(
    legal_actions: Callable[[State, Indices], int],
    active_features: ActiveFeatures,
    prior: PriorKernel,
    state: State,
    outcome: int,
    tree: Tree,
    trace: Trace,
    net: Net,
) -> None:
    """Expand, and ask the policy once for all edges of the new node."""
    first = tree.used[EDGES]
    expand(legal_actions, active_features, prior, state, outcome, tree, trace, net)
    count = tree.used[EDGES] - first
    if count > 0:
        # Expansion has left the legal actions in the trace.
        prior(
            active_features,
            state,
            trace.legal,
            count,
            net.weights,
            net.layout,
            net.values,
            net.rows,
            trace.scores,
        )
        for i in range(count):
            tree.memory[PRIORS, first + i] = trace.scores[i]
