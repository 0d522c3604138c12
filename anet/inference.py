"""The ANET's forward pass as kernels, and the default policy of a search's rollouts.

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

import numpy as np
from numba import types

from anet.layers import Floats, activate, list_ones, list_outputs, sum_layer
from base.jit import kernel
from state_manager.policy import FLOATS, MATRIX, POLICY, ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, STATE, Indices, State

LAYERS, ACTIVATION, FEATURES, TURNED, VALUE_HEAD, HEADER = range(6)
"""Places in ``Net.layout``: L, the activation's number, F, whether player 2 sees the board turned,
where the value head begins; and how many such places there are."""


@kernel(types.boolean(INDICES, STATE), inlined=True, inner=True)
def is_turned(layout: Indices, state: State) -> bool:
    """Tell whether the mover sees this board turned."""
    return layout[TURNED] == 1 and state[0] == 2


@kernel(types.int64(ACTIVE_FEATURES_FUNCTION, STATE, INDICES, INDICES), inlined=True, inner=True)
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


@kernel(
    types.int64(ACTIVE_FEATURES_FUNCTION, STATE, FLOATS, INDICES, MATRIX, INDICES, types.int64),
    inlined=True,
    inner=True,
)
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
    list_ones(values, count, rows)
    row, inputs, end = 1, layout[FEATURES], 0
    for layer in range(layers):
        if layer > 0:
            count = list_outputs(values, row, inputs, layout[ACTIVATION], rows)
        row = 1 - row
        width = layout[HEADER + layer]
        end = sum_layer(weights, end, values, row, rows, count, inputs, width)
        inputs = width
    if layers < layout[LAYERS]:
        activate(values, row, inputs, layout[ACTIVATION])
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
