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

from base.jit import kernel
from state_manager.policy import FLOATS, MATRIX
from state_manager.rules import INDICES, Indices

LINEAR, SIGMOID, TANH, RELU = 0, 1, 2, 3
ACTIVATIONS = {"linear": LINEAR, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}

PANEL = 32
"""Columns of a panel: so many sums are kept in the processor's registers."""
LISTED = 2
"""The row of ``values`` with the inputs that are listed."""

# Unsigned, so that Numba need not ask whether an index is negative and can use vectors.
ONE, TWO = np.uint64(1), np.uint64(2)
COLUMN = tuple(np.uint64(column) for column in range(PANEL))

Floats = NDArray[np.float32]


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

    One panel after the other, its sums in variables of their own: what were written to memory
    at every input could be one of the weights, for all that the compiler knows. Two inputs at a
    time make a shorter chain of additions; where their number is odd, a zero stands behind them.

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
    bias = np.uint64(begin)
    panel_length = np.uint64((1 + inputs) * PANEL)
    for left in range(np.uint64(0), np.uint64(width), np.uint64(PANEL)):
        a0 = weights[bias + COLUMN[0]]
        a1 = weights[bias + COLUMN[1]]
        a2 = weights[bias + COLUMN[2]]
        a3 = weights[bias + COLUMN[3]]
        a4 = weights[bias + COLUMN[4]]
        a5 = weights[bias + COLUMN[5]]
        a6 = weights[bias + COLUMN[6]]
        a7 = weights[bias + COLUMN[7]]
        a8 = weights[bias + COLUMN[8]]
        a9 = weights[bias + COLUMN[9]]
        a10 = weights[bias + COLUMN[10]]
        a11 = weights[bias + COLUMN[11]]
        a12 = weights[bias + COLUMN[12]]
        a13 = weights[bias + COLUMN[13]]
        a14 = weights[bias + COLUMN[14]]
        a15 = weights[bias + COLUMN[15]]
        a16 = weights[bias + COLUMN[16]]
        a17 = weights[bias + COLUMN[17]]
        a18 = weights[bias + COLUMN[18]]
        a19 = weights[bias + COLUMN[19]]
        a20 = weights[bias + COLUMN[20]]
        a21 = weights[bias + COLUMN[21]]
        a22 = weights[bias + COLUMN[22]]
        a23 = weights[bias + COLUMN[23]]
        a24 = weights[bias + COLUMN[24]]
        a25 = weights[bias + COLUMN[25]]
        a26 = weights[bias + COLUMN[26]]
        a27 = weights[bias + COLUMN[27]]
        a28 = weights[bias + COLUMN[28]]
        a29 = weights[bias + COLUMN[29]]
        a30 = weights[bias + COLUMN[30]]
        a31 = weights[bias + COLUMN[31]]
        for i in range(np.uint64(0), np.uint64(count), TWO):
            r = bias + np.uint64(rows[i])
            s = bias + np.uint64(rows[i + ONE])
            v = values[LISTED, i]
            w = values[LISTED, i + ONE]
            a0 += v * weights[r + COLUMN[0]] + w * weights[s + COLUMN[0]]
            a1 += v * weights[r + COLUMN[1]] + w * weights[s + COLUMN[1]]
            a2 += v * weights[r + COLUMN[2]] + w * weights[s + COLUMN[2]]
            a3 += v * weights[r + COLUMN[3]] + w * weights[s + COLUMN[3]]
            a4 += v * weights[r + COLUMN[4]] + w * weights[s + COLUMN[4]]
            a5 += v * weights[r + COLUMN[5]] + w * weights[s + COLUMN[5]]
            a6 += v * weights[r + COLUMN[6]] + w * weights[s + COLUMN[6]]
            a7 += v * weights[r + COLUMN[7]] + w * weights[s + COLUMN[7]]
            a8 += v * weights[r + COLUMN[8]] + w * weights[s + COLUMN[8]]
            a9 += v * weights[r + COLUMN[9]] + w * weights[s + COLUMN[9]]
            a10 += v * weights[r + COLUMN[10]] + w * weights[s + COLUMN[10]]
            a11 += v * weights[r + COLUMN[11]] + w * weights[s + COLUMN[11]]
            a12 += v * weights[r + COLUMN[12]] + w * weights[s + COLUMN[12]]
            a13 += v * weights[r + COLUMN[13]] + w * weights[s + COLUMN[13]]
            a14 += v * weights[r + COLUMN[14]] + w * weights[s + COLUMN[14]]
            a15 += v * weights[r + COLUMN[15]] + w * weights[s + COLUMN[15]]
            a16 += v * weights[r + COLUMN[16]] + w * weights[s + COLUMN[16]]
            a17 += v * weights[r + COLUMN[17]] + w * weights[s + COLUMN[17]]
            a18 += v * weights[r + COLUMN[18]] + w * weights[s + COLUMN[18]]
            a19 += v * weights[r + COLUMN[19]] + w * weights[s + COLUMN[19]]
            a20 += v * weights[r + COLUMN[20]] + w * weights[s + COLUMN[20]]
            a21 += v * weights[r + COLUMN[21]] + w * weights[s + COLUMN[21]]
            a22 += v * weights[r + COLUMN[22]] + w * weights[s + COLUMN[22]]
            a23 += v * weights[r + COLUMN[23]] + w * weights[s + COLUMN[23]]
            a24 += v * weights[r + COLUMN[24]] + w * weights[s + COLUMN[24]]
            a25 += v * weights[r + COLUMN[25]] + w * weights[s + COLUMN[25]]
            a26 += v * weights[r + COLUMN[26]] + w * weights[s + COLUMN[26]]
            a27 += v * weights[r + COLUMN[27]] + w * weights[s + COLUMN[27]]
            a28 += v * weights[r + COLUMN[28]] + w * weights[s + COLUMN[28]]
            a29 += v * weights[r + COLUMN[29]] + w * weights[s + COLUMN[29]]
            a30 += v * weights[r + COLUMN[30]] + w * weights[s + COLUMN[30]]
            a31 += v * weights[r + COLUMN[31]] + w * weights[s + COLUMN[31]]
        values[target, left + COLUMN[0]] = a0
        values[target, left + COLUMN[1]] = a1
        values[target, left + COLUMN[2]] = a2
        values[target, left + COLUMN[3]] = a3
        values[target, left + COLUMN[4]] = a4
        values[target, left + COLUMN[5]] = a5
        values[target, left + COLUMN[6]] = a6
        values[target, left + COLUMN[7]] = a7
        values[target, left + COLUMN[8]] = a8
        values[target, left + COLUMN[9]] = a9
        values[target, left + COLUMN[10]] = a10
        values[target, left + COLUMN[11]] = a11
        values[target, left + COLUMN[12]] = a12
        values[target, left + COLUMN[13]] = a13
        values[target, left + COLUMN[14]] = a14
        values[target, left + COLUMN[15]] = a15
        values[target, left + COLUMN[16]] = a16
        values[target, left + COLUMN[17]] = a17
        values[target, left + COLUMN[18]] = a18
        values[target, left + COLUMN[19]] = a19
        values[target, left + COLUMN[20]] = a20
        values[target, left + COLUMN[21]] = a21
        values[target, left + COLUMN[22]] = a22
        values[target, left + COLUMN[23]] = a23
        values[target, left + COLUMN[24]] = a24
        values[target, left + COLUMN[25]] = a25
        values[target, left + COLUMN[26]] = a26
        values[target, left + COLUMN[27]] = a27
        values[target, left + COLUMN[28]] = a28
        values[target, left + COLUMN[29]] = a29
        values[target, left + COLUMN[30]] = a30
        values[target, left + COLUMN[31]] = a31
        bias += panel_length
    return int(bias)


@kernel(types.float64(types.float64), inlined=True)
def exponential(x: float) -> float:
    """Return e to the power of x; where x is beyond 40 either way, that of 40.

    The series at x / 128, squared seven times: unlike a call of ``math.exp``, this is done for many
    numbers at once. The error is below one in ten million where x is within 20 either way, and
    what is farther off makes no difference to the functions below.
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
