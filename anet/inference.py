"""The ANET's forward pass as kernels, and its uses in a search: a move, priors, a value.

Each layer sums only the rows of the nonzero inputs (``layers.py``), equal to torch up to rounding.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.layers import (
    ACTIVATION,
    LAYERS,
    OUTPUTS,
    ROW,
    activate,
    begin_of,
    list_outputs,
    sum_features,
    sum_layer,
    width_of,
)
from base.jit import kernel
from state_manager.policy import CHOOSE, CRITIC, NET, PRIOR, ActiveFeatures, Net
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, STATE, Indices, State


@kernel(types.int64(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def pass_on(net: Net, player: int, source: int, last: int) -> int:
    """Compute the layers after the first one, up to number ``last``; 0 computes none.

    ``source`` is the place in ``values`` of the first layer's output, not activated; return that
    of the last one's.
    """
    target = OUTPUTS * net.layout[ROW]
    for layer in range(1, last + 1):
        count = list_outputs(net, source, width_of(net, layer))
        sum_layer(net, layer, player, count, source, target)
        source, target = target, (2 * OUTPUTS + 1) * net.layout[ROW] - target
    return source


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, NET, STATE, types.int64), inlined=True, inner=True)
def forward(active_features: ActiveFeatures, net: Net, state: State, last: int) -> int:
    """Compute the layers from the first one, number 0, up to ``last``; see ``pass_on``."""
    player, target = int(state[0]) - 1, (OUTPUTS + 1) * net.layout[ROW]
    sum_features(net, player, active_features(state, net.rows), target)
    return pass_on(net, player, target, last)


@kernel(CHOOSE)
def epsilon_greedy(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Draw a legal action with probability epsilon, else take the first with the highest output."""
    if rng.random() < net.epsilon:
        return legal[int(rng.random() * count)]
    outputs = forward(active_features, net, state, net.layout[LAYERS] - 1)
    best_action = legal[0]
    best_output = -np.float32(np.inf)
    for i in range(count):
        output = net.values[outputs + legal[i]]
        if output > best_output:
            best_action = legal[i]
            best_output = output
    return best_action


@kernel(PRIOR)
def legal_softmax(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Write the softmax over the legal actions."""
    outputs = forward(active_features, net, state, net.layout[LAYERS] - 1)
    highest = -math.inf
    for i in range(count):
        out[i] = float(net.values[outputs + legal[i]])
        highest = max(highest, out[i])
    total = 0.0
    for i in range(count):
        out[i] = math.exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] /= total


@kernel(CRITIC)
def value_head(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Return the critic's value, in [-1, 1], seen from player 1; the head predicts for the mover.

    Its input is the policy head's: the last hidden layer, or the features if there is none.
    """
    hidden_layers = net.layout[LAYERS] - 1
    begin = begin_of(net, hidden_layers + 1, int(state[0]) - 1)
    # In compiled code, float() leaves a float32 unchanged, so the products would be float32.
    total = np.float64(net.weights[begin])
    if hidden_layers == 0:
        for i in range(active_features(state, net.rows)):
            total += np.float64(net.weights[begin + 1 + net.rows[i]])
    else:
        outputs = forward(active_features, net, state, hidden_layers - 1)
        width = width_of(net, hidden_layers)
        activate(net.values, outputs, width, net.layout[ACTIVATION])
        for i in range(width):
            total += np.float64(net.values[outputs + i]) * np.float64(net.weights[begin + 1 + i])
    value = math.tanh(total)
    return value if state[0] == 1 else -value
