"""The interface between policies and searches: kernels of fixed signature, and a net's numbers.

Searches and nets both import this module, and do not depend on each other. A policy's kernels have
no closures; a ``Net`` argument holds all data of the net.

Letters: A actions, F features.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel, record_type
from state_manager.rules import (
    ACTIVE_FEATURES_FUNCTION,
    GOES_ON,
    INDICES,
    RNG,
    RULES,
    STATE,
    Indices,
    Rules,
    State,
)


class Net(NamedTuple):
    """A net in compiled code; only the net's own kernels interpret its numbers.

    ``layout`` is the architecture; the policy draws any legal action with probability ``epsilon``.
    ``values`` and ``rows`` are memory of one thread, for the outputs and the inputs of layers.
    """

    weights: NDArray[np.float32]
    layout: Indices
    epsilon: float
    values: NDArray[np.float32]
    rows: Indices


_FLOATS, _INTEGERS = np.zeros(1, np.float32), np.zeros(1, np.int64)
NO_NET = Net(_FLOATS, _INTEGERS, 1.0, _FLOATS.copy(), _INTEGERS.copy())
"""The ``Net`` of a policy without a net."""
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
ROLLOUT = types.UniTuple(types.int64, 2)(
    function_type(CHOOSE), RULES, NET, STATE, INDICES, types.int32[::1], types.int64, RNG
)
"""``rollout(choose, rules, net, state, legal, actions, played, rng) -> outcome, played``: plays by
``choose`` from a state that is not final, changed in place, to the end of the game. ``legal``
(`[A]`) is scratch memory; the moves are written to ``actions``, after the first ``played``. Only
``move_by_move`` calls ``choose``."""


@kernel(CHOOSE, inner=True)
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


@kernel(ROLLOUT)
def move_by_move(
    choose: Callable[..., int],
    rules: Rules,
    net: Net,
    state: State,
    legal: Indices,
    actions: NDArray[np.int32],
    played: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Play a rollout by a call of ``choose`` for each move."""
    outcome = GOES_ON
    while outcome == GOES_ON:
        count = rules.legal_actions(state, legal)
        action = choose(rules.active_features, net, state, legal, count, rng)
        outcome = rules.play(state, action)
        actions[played] = action
        played += 1
    return outcome, played


@kernel(CRITIC, inner=True)
def no_critic(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Placeholder for a net without a critic; never called."""
    return 0.0


class Policy(NamedTuple):
    """A policy as one argument of kernels; by default, uniformly random play.

    Attributes:
        choose: See ``CHOOSE``: the moves of rollouts. With ``uniform_choice``, the search may use
            any uniformly random rollout instead, such as the game's own fast one.
        prior: See ``PRIOR``: the probabilities for tree policies that use a net.
        critic: See ``CRITIC``; ``no_critic`` if the net has no value head.
        net: The net that all of them read.
        rollout: See ``ROLLOUT``: whole rollouts, with the same moves as by ``choose``.
    """

    choose: Callable[..., int] = uniform_choice
    prior: Callable[..., None] = uniform_prior
    critic: Callable[..., float] = no_critic
    net: Net = NO_NET
    rollout: Callable[..., tuple[int, int]] = move_by_move


_FUNCTIONS = map(function_type, (CHOOSE, PRIOR, CRITIC))
POLICY = record_type(Policy, *_FUNCTIONS, NET, function_type(ROLLOUT))
