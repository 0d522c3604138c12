"""The policy of a search whose leaves are evaluated outside, in batches.

Before each simulation ends, the driver writes its leaf's evaluation into the policy's ``Net``, as
float32: ``weights`` hold the probabilities, `[A]`, and ``values`` the value, `[1]`. So the variants
read priors and values as those of any other policy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from base.jit import kernel
from state_manager.policy import CRITIC, NO_NET, PRIOR, ActiveFeatures, Net, Policy
from state_manager.rules import Indices, State

Evaluate = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64] | None]
]
"""``evaluate(states, legal) -> policies, values``: for states `[B, S]` with legal actions `[B, A]`
the policies `[B, A]`, 0 on illegal actions, and the values `[B]` in [-1, 1], seen from player 1.
A search of several games always calls it with the same number of states."""


@kernel(PRIOR, inner=True)
def evaluated_prior(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Share out the evaluation's probabilities of these actions."""
    total = 0.0
    for i in range(count):
        total += np.float64(net.weights[legal[i]])
    for i in range(count):
        # A forced action may have probability 0.
        out[i] = np.float64(net.weights[legal[i]]) / total if total > 0.0 else 1.0 / count


@kernel(CRITIC, inner=True)
def evaluated_value(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Return the evaluation's value."""
    return np.float64(net.values[0])


def outside_policy(num_actions: int) -> Policy:
    """Return the policy; its rollouts are uniformly random."""
    net = NO_NET._replace(weights=np.zeros(num_actions, np.float32), values=np.zeros(1, np.float32))
    return Policy(prior=evaluated_prior, critic=evaluated_value, net=net)
