"""The ANET's forward pass as kernels, and what a search asks it for: a move, priors, a value.

Each layer sums only the rows of the inputs that are not zero (``layers.py``). The numbers are
torch's, up to rounding.

How a ``Net`` is laid out, for a net of L layers with weights (the hidden layers and the policy
head), F features and A actions:

``weights``: each layer, one panel after the other: ``PANEL`` columns of its matrix, the bias first,
    then a row for each input; columns of zeros fill the last one up. At the end the value head: its
    bias, then a weight for each of its inputs.
``layout``: ``HEADER`` numbers; the width of each layer's output; then, as player 2 sees the board,
    the input of each feature (F numbers) and the output of each action (A numbers).
``values``, ``rows``: see ``layers.py``; there is room for the longest list of inputs and a zero
    behind it, and in ``values`` for whole panels of the widest layer.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.layers import activate, list_ones, list_outputs, sum_layer
from base.jit import kernel
from state_manager.policy import CHOOSE, CRITIC, NET, PRIOR, ActiveFeatures, Net
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, STATE, Indices, State

LAYERS, ACTIVATION, FEATURES, TURNED, VALUE_HEAD, HEADER = range(6)
"""Places in ``Net.layout``: L, the activation's number, F, whether player 2 sees the board turned,
where the value head begins; and how many such places there are."""


@kernel(types.boolean(NET, STATE), inlined=True, inner=True)
def is_turned(net: Net, state: State) -> bool:
    """Tell whether the mover sees this board turned."""
    return net.layout[TURNED] == 1 and state[0] == 2


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, NET, STATE), inlined=True, inner=True)
def list_inputs(active_features: ActiveFeatures, net: Net, state: State) -> int:
    """List the active inputs, the features as the mover sees them, in ``rows``; count them."""
    count = active_features(state, net.rows)
    if is_turned(net, state):
        features = HEADER + net.layout[LAYERS]
        for i in range(count):
            net.rows[i] = net.layout[features + net.rows[i]]
    return count


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, NET, STATE, types.int64), inlined=True, inner=True)
def forward(active_features: ActiveFeatures, net: Net, state: State, layers: int) -> int:
    """Compute the first ``layers`` layers, at least one, all but the policy head activated.

    Returns:
        The row of ``values`` that holds the output of the last of them.
    """
    layout, values, rows = net.layout, net.values, net.rows
    count = list_inputs(active_features, net, state)
    list_ones(values, count, rows)
    row, inputs, end = 1, layout[FEATURES], 0
    for layer in range(layers):
        if layer > 0:
            count = list_outputs(values, row, inputs, layout[ACTIVATION], rows)
        row = 1 - row
        width = layout[HEADER + layer]
        end = sum_layer(net.weights, end, values, row, rows, count, inputs, width)
        inputs = width
    if layers < layout[LAYERS]:
        activate(values, row, inputs, layout[ACTIVATION])
    return row


@kernel(CHOOSE)
def epsilon_greedy(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    rng: np.random.Generator,
) -> int:
    """Draw any legal action with probability epsilon, else take the one with the highest output.

    Ties go to the lowest action.
    """
    if rng.random() < net.epsilon:
        return legal[int(rng.random() * count)]
    row = forward(active_features, net, state, net.layout[LAYERS])
    turned = is_turned(net, state)
    outputs = HEADER + net.layout[LAYERS] + net.layout[FEATURES]
    best_action = legal[0]
    best_output = -np.float32(np.inf)
    for i in range(count):
        action = legal[i]
        output = net.values[row, net.layout[outputs + action] if turned else action]
        if output > best_output:
            best_action = action
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

    It reads what the policy head reads: the last hidden layer, or the features if there is none.
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
