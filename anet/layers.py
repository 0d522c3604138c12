"""A layer of a net as kernels: the sum, the activation, and which inputs the next layer has.

An input that is zero adds nothing to a sum, and most are zero: a board's features, and with relu
about half of the hidden neurons. So a layer's input is a list of the others. Only their weights are
read, and those stay in the fastest cache, which is smaller than most nets.

``values``: three rows: two take turns at holding the outputs of a layer, and row ``LISTED`` holds
    the inputs that are listed.
``rows``: for each of these, where its weights are in a panel; the bias is at 0.
``weights``: see ``inference.py``.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.panels import PANEL, panel_at, plus_two, write_panel
from base.jit import kernel
from state_manager.rules import INDICES, Indices

LINEAR, SIGMOID, TANH, RELU = 0, 1, 2, 3
ACTIVATIONS = {"linear": LINEAR, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}

LISTED = 2
"""The row of ``values`` with the inputs that are listed."""

# Unsigned, so that Numba need not ask whether an index is negative and can use vectors.
ONE, TWO = np.uint64(1), np.uint64(2)

Floats = NDArray[np.float32]
FLOATS = types.float32[::1]
MATRIX = types.float32[:, ::1]


@kernel(
    types.int64(
        FLOATS, types.int64, MATRIX, types.int64, INDICES, types.int64, types.int64, types.int64
    ),
    inlined=True,
    inner=True,
)
def sum_layer(
    weights: Floats,
    begin: int,
    values: Floats,
    target: int,
    rows: Indices,
    count: int,
    inputs: int,
    width: int,
) -> int:
    """Set ``values[target]`` to the bias plus the weighted sum of the inputs listed.

    One panel after the other. Two inputs at a time make a shorter chain of additions; where their
    number is odd, a zero follows them.

    Args:
        weights: Those of the net.
        begin: Where the layer's weights begin.
        values: See above.
        target: Which of its rows to write, whole panels of it.
        rows: See above.
        count: How many inputs are listed.
        inputs: How many the layer has.
        width: How many outputs it has.

    Returns:
        Where the layer's weights end.
    """
    bias = begin
    for left in range(0, width, PANEL):
        sums = panel_at(weights, bias)
        for i in range(np.uint64(0), np.uint64(count), TWO):
            sums = plus_two(
                sums,
                values[LISTED, i],
                panel_at(weights, bias + rows[i]),
                values[LISTED, i + ONE],
                panel_at(weights, bias + rows[i + ONE]),
            )
        write_panel(values, target, left, sums)
        bias += (1 + inputs) * PANEL
    return bias


@kernel(types.float64(types.float64), inlined=True)
def exponential(x: float) -> float:
    """Return e to the power of x; where x is beyond 40 either way, that of 40.

    The series at x / 128, squared seven times: unlike a call of ``math.exp``, this is done for many
    numbers at once. The error is below one in ten million for x from -20 to 20; outside, it makes
    no difference to the functions below.
    """
    y = min(max(x, -40.0), 40.0) / 128.0
    power = 1.0 + y * (
        1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0 * (1.0 + y / 5.0 * (1.0 + y / 6.0))))
    )
    for _ in range(7):
        power *= power
    return power


@kernel(types.void(MATRIX, types.int64, types.int64, types.int64))
def activate(values: Floats, row: int, width: int, activation: int) -> None:
    """Apply the activation function to a layer's outputs in place."""
    columns = np.uint64(width)
    if activation == RELU:
        for j in range(columns):
            values[row, j] = max(values[row, j], np.float32(0.0))
    elif activation == TANH:
        for j in range(columns):
            values[row, j] = np.float32(
                1.0 - 2.0 / (1.0 + exponential(2.0 * np.float64(values[row, j])))
            )
    elif activation == SIGMOID:
        for j in range(columns):
            values[row, j] = np.float32(1.0 / (1.0 + exponential(-np.float64(values[row, j]))))


@kernel(
    types.int64(MATRIX, types.int64, types.int64, types.int64, INDICES), inlined=True, inner=True
)
def list_outputs(values: Floats, source: int, width: int, activation: int, rows: Indices) -> int:
    """List a layer's outputs, ``values[source]``, as inputs of the next: activated, no zeros.

    Returns:
        How many they are.
    """
    count = np.uint64(0)
    if activation == RELU:
        for j in range(np.uint64(width)):
            # Written always and counted only if positive: no branch for the processor to guess at.
            value = values[source, j]
            values[LISTED, count] = value
            rows[count] = (j + ONE) * np.uint64(PANEL)
            count += np.uint64(value > 0.0)
    else:
        activate(values, source, width, activation)
        count = np.uint64(width)
        for j in range(count):
            values[LISTED, j] = values[source, j]
            rows[j] = (j + ONE) * np.uint64(PANEL)
    values[LISTED, count] = 0.0
    rows[count] = 0
    return int(count)


@kernel(types.void(MATRIX, types.int64, INDICES), inlined=True, inner=True)
def list_ones(values: Floats, count: int, rows: Indices) -> None:
    """List the inputs whose numbers are in ``rows``; each is one."""
    for i in range(np.uint64(count)):
        values[LISTED, i] = 1.0
        rows[i] = (rows[i] + 1) * PANEL
    values[LISTED, count] = 0.0
    rows[count] = 0
