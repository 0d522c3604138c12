"""The ANET's forward pass as kernels, and the default policy of a search's rollouts.

A layer's output is a weighted sum of the rows of its weight matrix, one row for each input. The
first layer sums only the rows of the active features: a board's input is zeros and ones, most of
them zeros. The numbers are torch's, up to rounding.

How a ``Net`` is laid out, for a net of L layers with weights (the hidden layers and the policy
head), F features and A actions; outputs are filled up with zeros to whole panels of ``PANEL``:

``weights``: first layer: an empty row, the bias as a row, a row for each feature. Each further
    layer: one panel after the other, a panel being ``PANEL`` columns of the matrix: the bias, then
    a row for each input. Last the value head: its bias, then a weight for each of its inputs.
``layout``: ``HEADER`` numbers; the width of each layer's output; then, as player 2 sees the board,
    the input of each feature (F numbers) and the output of each action (A numbers).
``values``: two rows as long as the widest layer, for the inputs and the outputs of a layer.
``rows``: F + ``BLOCK``, for the active features.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from jit import kernel
from state_manager.policy import FLOATS, MATRIX, POLICY, ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, STATE, Indices, State

LINEAR, SIGMOID, TANH, RELU = 0, 1, 2, 3
ACTIVATIONS = {"linear": LINEAR, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}

LAYERS, ACTIVATION, FEATURES, TURNED, VALUE_HEAD, HEADER = range(6)
"""Places in ``Net.layout``: L, the activation's number, F, whether player 2 sees the board turned,
where the value head begins; and how many such places there are."""
BLOCK = 8
"""How many features' rows are summed in one go: the sum is read and written that much less."""
PANEL = 32
"""Columns in a panel: a fixed number, so that rows lie at fixed distances, and whole vectors can be
used without asking where they are; a multiple of the 16 inputs that are summed in one go."""

Floats = NDArray[np.float32]


@kernel(types.void(FLOATS, INDICES, types.int64, MATRIX, types.int64))
def sum_features(weights: Floats, rows: Indices, count: int, values: Floats, width: int) -> None:
    """Set ``values[0]`` to the first layer's bias plus the rows of the features listed."""
    # Unsigned, so that Numba need not ask whether an index is negative and can use vectors.
    columns = np.uint64(width)
    for j in range(columns):
        values[0, j] = weights[columns + j]
    for i in range(count, count + BLOCK - 1):
        rows[i] = -2  # the empty row
    for i in range(0, count, BLOCK):
        r0 = np.uint64(2 + rows[i]) * columns
        r1 = np.uint64(2 + rows[i + 1]) * columns
        r2 = np.uint64(2 + rows[i + 2]) * columns
        r3 = np.uint64(2 + rows[i + 3]) * columns
        r4 = np.uint64(2 + rows[i + 4]) * columns
        r5 = np.uint64(2 + rows[i + 5]) * columns
        r6 = np.uint64(2 + rows[i + 6]) * columns
        r7 = np.uint64(2 + rows[i + 7]) * columns
        for j in range(columns):
            values[0, j] += (
                (weights[r0 + j] + weights[r1 + j]) + (weights[r2 + j] + weights[r3 + j])
            ) + ((weights[r4 + j] + weights[r5 + j]) + (weights[r6 + j] + weights[r7 + j]))


@kernel(
    types.void(FLOATS, types.int64, MATRIX, types.int64, types.int64, types.int64, types.boolean)
)
def sum_layer(
    weights: Floats,
    begin: int,
    values: Floats,
    source: int,
    inputs: int,
    width: int,
    backwards: bool,
) -> None:
    """Set ``values[1 - source]`` to the output of the layer whose weights begin at ``begin``.

    Its inputs are ``values[source]``. One panel after the other, or the last one first, and in each
    16 rows at a time.
    """
    target = 1 - source
    columns = np.uint64(PANEL)
    for panel in range(0, width, PANEL):
        column = width - PANEL - panel if backwards else panel
        left = np.uint64(column)
        row = np.uint64(begin + (inputs + 1) * column)
        for j in range(columns):
            values[target, left + j] = weights[row + j]
        row += columns
        for i in range(0, inputs, 16):
            r0 = row
            r1 = r0 + columns
            r2 = r1 + columns
            r3 = r2 + columns
            r4 = r3 + columns
            r5 = r4 + columns
            r6 = r5 + columns
            r7 = r6 + columns
            r8 = r7 + columns
            r9 = r8 + columns
            r10 = r9 + columns
            r11 = r10 + columns
            r12 = r11 + columns
            r13 = r12 + columns
            r14 = r13 + columns
            r15 = r14 + columns
            row = r15 + columns
            v0 = values[source, i + 0]
            v1 = values[source, i + 1]
            v2 = values[source, i + 2]
            v3 = values[source, i + 3]
            v4 = values[source, i + 4]
            v5 = values[source, i + 5]
            v6 = values[source, i + 6]
            v7 = values[source, i + 7]
            v8 = values[source, i + 8]
            v9 = values[source, i + 9]
            v10 = values[source, i + 10]
            v11 = values[source, i + 11]
            v12 = values[source, i + 12]
            v13 = values[source, i + 13]
            v14 = values[source, i + 14]
            v15 = values[source, i + 15]
            for j in range(columns):
                values[target, left + j] += (
                    (
                        (v0 * weights[r0 + j] + v1 * weights[r1 + j])
                        + (v2 * weights[r2 + j] + v3 * weights[r3 + j])
                    )
                    + (
                        (v4 * weights[r4 + j] + v5 * weights[r5 + j])
                        + (v6 * weights[r6 + j] + v7 * weights[r7 + j])
                    )
                ) + (
                    (
                        (v8 * weights[r8 + j] + v9 * weights[r9 + j])
                        + (v10 * weights[r10 + j] + v11 * weights[r11 + j])
                    )
                    + (
                        (v12 * weights[r12 + j] + v13 * weights[r13 + j])
                        + (v14 * weights[r14 + j] + v15 * weights[r15 + j])
                    )
                )


@kernel(types.void(MATRIX, types.int64, types.int64, types.int64))
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


@kernel(types.boolean(INDICES, STATE))
def is_turned(layout: Indices, state: State) -> bool:
    """Tell whether the mover sees this board turned."""
    return layout[TURNED] == 1 and state[0] == 2


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, STATE, INDICES, INDICES))
def list_inputs(
    active_features: ActiveFeatures, state: State, layout: Indices, rows: Indices
) -> int:
    """List the active inputs, the features as the mover sees them, in ``rows``; count them."""
    count = active_features(state, rows)
    if is_turned(layout, state):
        features = HEADER + layout[LAYERS]
        for i in range(count):
            rows[i] = layout[features + rows[i]]
    return count


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, STATE, FLOATS, INDICES, MATRIX, INDICES, types.int64))
def forward(
    active_features: ActiveFeatures,
    state: State,
    weights: Floats,
    layout: Indices,
    values: Floats,
    rows: Indices,
    layers: int,
) -> int:
    """Compute the first ``layers`` layers, at least one, all but the policy head activated.

    Returns:
        The row of ``values`` that holds the output of the last of them.
    """
    count = list_inputs(active_features, state, layout, rows)
    width = layout[HEADER]
    sum_features(weights, rows, count, values, width)
    # Movers alternate in a game. Where one begins with the panels that the other ended with, they
    # are still in the fastest cache, which is smaller than most nets.
    backwards = state[0] == 2
    row = 0
    begin = (layout[FEATURES] + 2) * width
    for layer in range(1, layers):
        activate(values, row, width, layout[ACTIVATION])
        inputs, width = width, layout[HEADER + layer]
        sum_layer(weights, begin, values, row, inputs, width, backwards)
        row = 1 - row
        begin += inputs * width + width
    if layers < layout[LAYERS]:
        activate(values, row, width, layout[ACTIVATION])
    return row


@kernel(POLICY)
def epsilon_greedy(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    weights: Floats,
    layout: Indices,
    epsilon: float,
    values: Floats,
    rows: Indices,
    rng: np.random.Generator,
) -> int:
    """Draw any legal action with probability epsilon, else take the one with the highest output.

    Ties go to the lowest action.
    """
    if rng.random() < epsilon:
        return legal[int(rng.random() * count)]
    row = forward(active_features, state, weights, layout, values, rows, layout[LAYERS])
    turned = is_turned(layout, state)
    outputs = HEADER + layout[LAYERS] + layout[FEATURES]
    best_action = legal[0]
    best_output = -np.float32(np.inf)
    for i in range(count):
        action = legal[i]
        output = values[row, layout[outputs + action] if turned else action]
        if output > best_output:
            best_action = action
            best_output = output
    return best_action
