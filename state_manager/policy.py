"""What a learned policy looks like to a search: kernels of fixed signature, and a net's numbers.

This stands below both searches and nets, so that neither has to know the other. A policy closes
over nothing; all that it knows of a net comes in a ``Net``.

Letters: A actions, F features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, RNG, STATE, Indices, State


class Net(NamedTuple):
    """A net as compiled code sees it; what the numbers mean is between the net and its kernels.

    Attributes:
        weights: float32, all weights and biases.
        layout: int64, the architecture.
        epsilon: The probability with which the policy draws any legal action.
        values: `[3, widest layer]` float32, memory for the inputs and the outputs of a layer.
        rows: int64, memory for where the weights of the active features are.

    The two kinds of memory belong to one thread.
    """

    weights: NDArray[np.float32]
    layout: Indices
    epsilon: float
    values: NDArray[np.float32]
    rows: Indices


def no_net() -> Net:
    """Return the ``Net`` of a policy that needs none."""
    return Net(
        weights=np.zeros(1, np.float32),
        layout=np.zeros(1, np.int64),
        epsilon=1.0,
        values=np.zeros((2, 1), np.float32),
        rows=np.zeros(1, np.int64),
    )


NET = numba.typeof(no_net())

FLOATS = types.float32[::1]
MATRIX = types.float32[:, ::1]

ActiveFeatures = Callable[[State, Indices], int]
PolicyKernel = Callable[..., int]
PriorKernel = Callable[..., None]
CriticKernel = Callable[..., float]

POLICY = types.int64(
    ACTIVE_FEATURES_FUNCTION,
    STATE,
    INDICES,
    types.int64,
    FLOATS,
    INDICES,
    types.float64,
    MATRIX,
    INDICES,
    RNG,
)
"""``policy(active_features, state, legal, count, weights, layout, epsilon, values, rows, rng) ->
action``: one of the first `count` actions of ``legal`` (`[A]`, ascending). A rollout unpacks its
``Net`` once: taking it apart at every move would count references again and again."""
CRITIC = types.float64(ACTIVE_FEATURES_FUNCTION, STATE, FLOATS, INDICES, MATRIX, INDICES)
"""``critic(active_features, state, weights, layout, values, rows) -> value``: in [-1, 1], seen from
player 1."""
PRIOR = types.void(
    ACTIVE_FEATURES_FUNCTION,
    STATE,
    INDICES,
    types.int64,
    FLOATS,
    INDICES,
    MATRIX,
    INDICES,
    types.float64[::1],
)
"""``prior(active_features, state, legal, count, weights, layout, values, rows, out)``: a
probability for each of the first `count` actions of ``legal``, written to the first places of
``out``."""
POLICY_FUNCTION = function_type(POLICY)
PRIOR_FUNCTION = function_type(PRIOR)
CRITIC_FUNCTION = function_type(CRITIC)


@kernel(POLICY)
def uniform_policy(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    weights: NDArray[np.float32],
    layout: Indices,
    epsilon: float,
    values: NDArray[np.float32],
    rows: Indices,
    rng: np.random.Generator,
) -> int:
    """Draw any legal action."""
    return legal[int(rng.random() * count)]


@kernel(CRITIC, inner=True)
def no_critic(
    active_features: ActiveFeatures,
    state: State,
    weights: NDArray[np.float32],
    layout: Indices,
    values: NDArray[np.float32],
    rows: Indices,
) -> float:
    """Stand in an argument list where there is no critic; it is never called."""
    return 0.0


@kernel(PRIOR, inner=True)
def uniform_prior(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    weights: NDArray[np.float32],
    layout: Indices,
    values: NDArray[np.float32],
    rows: Indices,
    out: NDArray[np.float64],
) -> None:
    """Give all legal actions the same probability."""
    for i in range(count):
        out[i] = 1.0 / count


@dataclass(frozen=True)
class Policy:
    """A default policy for rollouts, with the prior and the critic that belong to it.

    Attributes:
        kernel: See ``POLICY``.
        net: The net that the kernels read.
        critic: See ``CRITIC``; ``None`` if the net has no value head.
        prior: See ``PRIOR``; what tree policies that ask a net hear.
        any_uniform_rollout: Whether any way of playing uniformly at random will do for its
            rollouts, the game's own fast one too; the kernel then plays uniformly.
    """

    kernel: PolicyKernel
    net: Net
    critic: CriticKernel | None = None
    prior: PriorKernel = uniform_prior
    any_uniform_rollout: bool = False
