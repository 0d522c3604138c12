"""The ANET's forward pass as kernels: the default policy and the critic inside a search.

A layer's output is a weighted sum of the rows of its weight matrix, one row for each input. The
first layer sums only the rows of the active features: a board's input is zeros and ones, most of
them zeros. The numbers are torch's, up to rounding.

How a ``Net`` is laid out, for a net of L layers with weights (the hidden layers and the policy
head), F features and A actions:

``weights``: one matrix after the other, row by row: for each layer its bias as a row, then a row
    for each input. All widths are filled up with zeros to a multiple of ``VECTOR``. Last comes the
    value head: its bias, then a weight for each of its inputs.
``layout``: ``HEADER`` numbers; the width of each layer's output; then for each mover in turn the
    place of each feature's row in ``weights`` (F numbers) and of each action's output (A numbers).
``values``: two rows as long as the widest layer, for the inputs and the outputs of a layer.
``rows``: F + ``BLOCK``, for the rows of the active features.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from jit import kernel
from state_manager.policy import CRITIC, NET, POLICY, ActiveFeatures, Net
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, STATE, Indices, State

LINEAR, SIGMOID, TANH, RELU = 0, 1, 2, 3
ACTIVATIONS = {"linear": LINEAR, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}

LAYERS, ACTIVATION, FEATURES, ACTIONS, VALUE_HEAD, HEADER = range(6)
"""Places in ``Net.layout``: L, the activation's number, F, A, where the value head begins; and how
many such places there are."""
BLOCK = 8
"""How many rows are summed in one go, so that the sum is read and written that much less often."""
VECTOR = 16
"""Numbers in the widest vectors of today's processors; a multiple of BLOCK."""

Floats = NDArray[np.float32]
FLOATS = types.float32[::1]
VALUES = types.float32[:, ::1]


@kernel(types.void(FLOATS, INDICES, types.int64, VALUES, types.int64))
def sum_features(
    weights: Floats, rows: Indices, count: int, values: Floats, width: int
) -> None:
    """Set ``values[0]`` to the first layer's bias and the rows that begin at ``rows[:count]``."""
    # Unsigned, so that Numba need not ask whether an index is negative and can use vectors.
    unsigned_width = np.uint64(width)
    for j in range(unsigned_width):
        values[0, j] = weights[unsigned_width + j]
    for i in range(count, count + BLOCK - 1):
        rows[i] = 0
    for i in range(0, count, BLOCK):
        r0, r1 = np.uint64(rows[i]), np.uint64(rows[i + 1])
        r2, r3 = np.uint64(rows[i + 2]), np.uint64(rows[i + 3])
        r4, r5 = np.uint64(rows[i + 4]), np.uint64(rows[i + 5])
        r6, r7 = np.uint64(rows[i + 6]), np.uint64(rows[i + 7])
        for j in range(unsigned_width):
            values[0, j] += ((weights[r0 + j] + weights[r1 + j]) + (weights[r2 + j] + weights[r3 + j])) + (
                (weights[r4 + j] + weights[r5 + j]) + (weights[r6 + j] + weights[r7 + j])
            )


@kernel(types.void(FLOATS, types.int64, VALUES, types.int64, types.int64, types.int64))
def sum_layer(
    weights: Floats, begin: int, values: Floats, source: int, inputs: int, width: int
) -> None:
    """Set ``values[1 - source]`` to the output of the layer whose weights begin at ``begin``.

    Its inputs are ``values[source]``, a multiple of ``BLOCK`` of them.
    """
    unsigned_width = np.uint64(width)
    target = 1 - source
    r0 = np.uint64(begin)
    for j in range(unsigned_width):
        values[target, j] = weights[r0 + j]
    r0 += unsigned_width
    for i in range(0, inputs, BLOCK):
        v0, v1, v2, v3 = values[source, i], values[source, i + 1], values[source, i + 2], values[source, i + 3]
        v4, v5, v6, v7 = values[source, i + 4], values[source, i + 5], values[source, i + 6], values[source, i + 7]
        r1 = r0 + unsigned_width
        r2 = r1 + unsigned_width
        r3 = r2 + unsigned_width
        r4 = r3 + unsigned_width
        r5 = r4 + unsigned_width
        r6 = r5 + unsigned_width
        r7 = r6 + unsigned_width
        for j in range(unsigned_width):
            values[target, j] += (
                (v0 * weights[r0 + j] + v1 * weights[r1 + j])
                + (v2 * weights[r2 + j] + v3 * weights[r3 + j])
            ) + (
                (v4 * weights[r4 + j] + v5 * weights[r5 + j])
                + (v6 * weights[r6 + j] + v7 * weights[r7 + j])
            )
        r0 = r7 + unsigned_width


@kernel(types.void(VALUES, types.int64, types.int64, types.int64))
def activate(values: Floats, row: int, width: int, activation: int) -> None:
    """Apply the activation function to a layer's outputs in place."""
    if activation == RELU:
        for j in range(width):
            values[row, j] = max(values[row, j], np.float32(0.0))
    elif activation == TANH:
        for j in range(width):
            values[row, j] = np.float32(math.tanh(float(values[row, j])))
    elif activation == SIGMOID:
        # 1 / (1 + exp(-x)), without an overflow for large negative x.
        for j in range(width):
            values[row, j] = np.float32(0.5 + 0.5 * math.tanh(0.5 * float(values[row, j])))


@kernel(types.int64(INDICES, types.int64))
def view_begin(layout: Indices, mover: int) -> int:
    """Return where in the layout this mover's places of features begin; actions follow."""
    return HEADER + layout[LAYERS] + (mover - 1) * (layout[FEATURES] + layout[ACTIONS])


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, STATE, NET, types.int64))
def forward(active_features: ActiveFeatures, state: State, net: Net, layers: int) -> int:
    """Compute the first ``layers`` layers, at least one, all but the policy head activated.

    Returns:
        The row of ``net.values`` that holds the output of the last of them.
    """
    layout = net.layout
    view = view_begin(layout, int(state[0]))
    count = active_features(state, net.rows)
    for i in range(count):
        net.rows[i] = layout[view + net.rows[i]]
    width = layout[HEADER]
    sum_features(net.weights, net.rows, count, net.values, width)
    row = 0
    begin = (layout[FEATURES] + 2) * width
    for layer in range(1, layers):
        activate(net.values, row, width, layout[ACTIVATION])
        inputs, width = width, layout[HEADER + layer]
        sum_layer(net.weights, begin, net.values, row, inputs, width)
        row = 1 - row
        begin += (inputs + 1) * width
    if layers < layout[LAYERS]:
        activate(net.values, row, width, layout[ACTIVATION])
    return row


@kernel(POLICY)
def epsilon_greedy(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    net: Net,
    rng: np.random.Generator,
) -> int:
    """Draw any legal action with probability epsilon, else take the one with the highest output.

    Ties go to the lowest action.
    """
    if rng.random() < net.epsilon:
        return legal[int(rng.random() * count)]
    row = forward(active_features, state, net, net.layout[LAYERS])
    outputs = view_begin(net.layout, int(state[0])) + net.layout[FEATURES]
    best_action = legal[0]
    best_output = net.values[row, net.layout[outputs + best_action]]
    for i in range(1, count):
        output = net.values[row, net.layout[outputs + legal[i]]]
        if output > best_output:
            best_action = legal[i]
            best_output = output
    return best_action


@kernel(CRITIC)
def value_head(active_features: ActiveFeatures, state: State, net: Net) -> float:
    """Return the critic's value, in [-1, 1], seen from player 1; the head predicts for the mover.

    It reads what the policy head reads: the last hidden layer, or the features if there is none.
    """
    layout = net.layout
    hidden_layers = layout[LAYERS] - 1
    begin = layout[VALUE_HEAD]
    total = float(net.weights[begin])
    if hidden_layers == 0:
        view = view_begin(layout, int(state[0]))
        for i in range(active_features(state, net.rows)):
            place = layout[view + net.rows[i]] // layout[HEADER] - 2
            total += float(net.weights[begin + 1 + place])
    else:
        row = forward(active_features, state, net, hidden_layers)
        for i in range(len(net.weights) - begin - 1):
            total += float(net.values[row, i]) * float(net.weights[begin + 1 + i])
    value = math.tanh(total)
    return value if state[0] == 1 else -value
