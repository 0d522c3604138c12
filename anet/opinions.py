"""The ANET inside a search, as kernels: prior probabilities of the actions, and a value.

The forward pass, and how a ``Net`` is laid out, are in ``inference.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anet.inference import (
    FEATURES,
    HEADER,
    LAYERS,
    VALUE_HEAD,
    forward,
    is_turned,
    list_inputs,
)
from base.jit import kernel
from state_manager.policy import CRITIC, PRIOR, ActiveFeatures, Net
from state_manager.rules import Indices, State


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
    row = forward(active_features, net, state, net.layout[LAYERS])
    turned = is_turned(net, state)
    outputs = HEADER + net.layout[LAYERS] + net.layout[FEATURES]
    highest = -math.inf
    for i in range(count):
        out[i] = float(net.values[row, net.layout[outputs + legal[i]] if turned else legal[i]])
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

    Its input is that of the policy head: the last hidden layer, or the features if there is none.
    """
    hidden_layers = net.layout[LAYERS] - 1
    begin = net.layout[VALUE_HEAD]
    # Compiled, float() would leave a float32 what it is, and the products with it.
    total = np.float64(net.weights[begin])
    if hidden_layers == 0:
        for i in range(list_inputs(active_features, net, state)):
            total += np.float64(net.weights[begin + 1 + net.rows[i]])
    else:
        row = forward(active_features, net, state, hidden_layers)
        for i in range(len(net.weights) - begin - 1):
            total += np.float64(net.values[row, i]) * np.float64(net.weights[begin + 1 + i])
    value = math.tanh(total)
    return value if state[0] == 1 else -value
