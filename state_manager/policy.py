"""What a learned policy looks like to a search: kernels of fixed signature, and a net's numbers.

This stands below both searches and nets, so that neither has to know the other. A policy's kernels
close over nothing; all that they know of a net comes in a ``Net``.

Letters: A actions, F features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel, record_type
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


NO_NET = Net(
    weights=np.zeros(1, np.float32),
    layout=np.zeros(1, np.int64),
    epsilon=1.0,
    values=np.zeros((3, 1), np.float32),
    rows=np.zeros(1, np.int64),
)
"""The ``Net`` of a policy that needs none."""
NET = numba.typeof(NO_NET)

ActiveFeatures = Callable[[State, Indices], int]

CHOOSE = types.int64(ACTIVE_FEATURES_FUNCTION, NET, STATE, INDICES, types.int64, RNG)
"""``choose(active_features, net, state, legal, count, rng) -> action``: one of the first `count`
actions of ``legal`` (`[A]`, ascending)."""
PRIOR = types.void(ACTIVE_FEATURES_FUNCTION, NET, STATE, INDICES, types.int64, types.float64[::1])
"""``prior(active_features, net, state, legal, count, out)``: a probability for each of the first
`count` actions of ``legal``, written to the first places of ``out``."""
CRITIC = types.float64(ACTIVE_FEATURES_FUNCTION, NET, STATE)
"""``critic(active_features, net, state) -> value``: in [-1, 1], seen from player 1."""


@kernel(CHOOSE)
def uniform_choice(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Draw any legal action."""
    return legal[int(rng.random() * count)]


@kernel(PRIOR, inner=True)
def uniform_prior(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Give all legal actions the same probability."""
    for i in range(count):
        out[i] = 1.0 / count


@kernel(CRITIC, inner=True)
def no_critic(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Stand for the critic that a net has not; it is never called."""
    return 0.0


class Policy(NamedTuple):
    """A policy, one argument of the kernels that ask it; without a net, uniformly random play.

    Attributes:
        choose: See ``CHOOSE``: the moves of rollouts. With ``uniform_choice``, any way of playing
            uniformly at random will do for them, the game's own fast one too.
        prior: See ``PRIOR``: what tree policies that ask a net hear.
        critic: See ``CRITIC``; ``no_critic`` if the net has no value head.
        net: The net that all three read.
    """

    choose: Callable[..., int] = uniform_choice
    prior: Callable[..., None] = uniform_prior
    critic: Callable[..., float] = no_critic
    net: Net = NO_NET


POLICY = record_type(
    Policy, function_type(CHOOSE), function_type(PRIOR), function_type(CRITIC), NET
)
