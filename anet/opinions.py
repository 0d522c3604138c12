"""What the ANET says about a state inside a search, as kernels: prior probabilities, and a value.

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
from anet.layers import Floats
from base.jit import kernel
from state_manager.policy import CRITIC, PRIOR, ActiveFeatures
from state_manager.rules import Indices, State


@kernel(PRIOR)
def legal_softmax(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    weights: Floats,
    layout: Indices,
    values: Floats,
    rows: Indices,
    out: NDArray[np.float64],
) -> None:
    """Write the softmax over the legal actions."""
    row = forward(active_features, state, weights, layout, values, rows, layout[LAYERS])
    turned = is_turned(layout, state)
    outputs = HEADER + layout[LAYERS] + layout[FEATURES]
    highest = -math.inf
    for i in range(count):
        out[i] = float(values[row, layout[outputs + legal[i]] if turned else legal[i]])
        highest = max(highest, out[i])
    total = 0.0
    for i in range(count):
        out[i] = math.exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] /= total


@kernel(CRITIC)
def value_head(
    active_features: ActiveFeatures,
    state: State,
    weights: Floats,
    layout: Indices,
    values: Floats,
    rows: Indices,
) -> float:
    """Return the critic's value, in [-1, 1], seen from player 1; the head predicts for the mover.

    It reads what the policy head reads: the last hidden layer, or the features if there is none.
    """
    hidden_layers = layout[LAYERS] - 1
    begin = layout[VALUE_HEAD]
    # Compiled, float() would leave a float32 what it is, and the products with it.
    total = np.float64(weights[begin])
    if hidden_layers == 0:
        for i in range(list_inputs(active_features, state, layout, rows)):
            total += np.float64(weights[begin + 1 + rows[i]])
    else:
        row = forward(active_features, state, weights, layout, values, rows, hidden_layers)
        for i in range(len(weights) - begin - 1):
            total += np.float64(values[row, i]) * np.float64(weights[begin + 1 + i])
    value = math.tanh(total)
    return value if state[0] == 1 else -value
