"""A layer of a net as kernels: the sum, the activation, and the list of the next layer's inputs.

Most inputs are zero and add nothing to a sum: most features of a board, and with relu about half of
the hidden neurons. So a layer's input is a list of the nonzero ones: only their weights are read,
and stay in the fastest cache, which is smaller than most nets.

The layout of a ``Net`` of L layers with weights (the hidden layers and the policy head), F features
and A actions:

``weights``: each layer, panel by panel: ``PANEL`` columns of its matrix, the bias first, then a row
for each input; columns of zeros pad the last panel. Then the value head, if there is one: its
bias, and a weight for each input. A layer that reads the features has one more input, with zero
weights. If player 2 sees the board turned, layers that read the features, and the policy head,
are stored twice, the second time with player 2's order of features and actions. A panel of
zeros is last. ``layout``: ``HEADER`` numbers; F + 1 and the width of each layer's output; then, for
each layer, and for the value head as layer L, the place of its weights in player 1's view and in
player 2's. ``values``: rows of ``layout[ROW]`` numbers, whole panels, with room for a zero behind
the longest list of inputs. Two rows hold the outputs of layers in turn; the others belong to
rollouts. ``rows``: the list of a layer's inputs.
"""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.panels import (
    PANEL,
    first_of,
    larger,
    largest,
    list_positive,
    panel_at,
    plus,
    plus_times,
    write_panel,
    zeros,
)
from base.jit import kernel
from state_manager.policy import NET, Net

LINEAR, SIGMOID, TANH, RELU = 0, 1, 2, 3
ACTIVATIONS = {"linear": LINEAR, "sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}

LAYERS, ACTIVATION, ROW, HEADER = range(4)
"""Places in ``Net.layout``: L, the activation's number, the length of a row of ``values``; then the
number of these places."""
OUTPUTS, SUMS, ALLOWED, ROWS_OF_VALUES = 0, 2, 4, 5
"""Rows of ``Net.values``: two for the outputs of layers; in a rollout, two for the first layer's
sums with either player to move, and one with 0 for each legal action, else minus infinity; then the
number of rows."""

BLOCKED = -math.inf  # the number added to the output of an illegal action

# Unsigned, so that Numba checks no index for its sign and can use vectors.
ONE, TWO = np.uint64(1), np.uint64(2)

Floats = NDArray[np.float32]
FLOATS = types.float32[::1]


@kernel(types.int64(NET, types.int64), inlined=True, inner=True)
def width_of(net: Net, layer: int) -> int:
    """Return the number of a layer's inputs: the width of the layer before it."""
    return int(net.layout[HEADER + layer])


@kernel(types.int64(NET, types.int64, types.int64), inlined=True, inner=True)
def begin_of(net: Net, layer: int, player: int) -> int:
    """Return the place of a layer's weights in the view of a player, 0 or 1."""
    return int(net.layout[HEADER + net.layout[LAYERS] + 1 + 2 * layer + player])


@kernel(types.void(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def sum_features(net: Net, player: int, count: int, target: int) -> None:
    """Write the first layer's sums for ``count`` features, whole panels from ``target`` on."""
    weights, rows = net.weights, net.rows
    bias = begin_of(net, 0, player)
    for left in range(0, width_of(net, 1), PANEL):
        sums = panel_at(weights, bias)
        for i in range(np.uint64(count)):
            sums = plus(sums, panel_at(weights, bias + (1 + rows[i]) * PANEL))
        write_panel(net.values, target + left, sums)
        bias += (1 + width_of(net, 0)) * PANEL


@kernel(types.void(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def add_two_features(net: Net, player: int, one: int, other: int) -> None:
    """Add two features to the first layer's sums in the view of a player, 0 or 1."""
    values, weights, size = net.values, net.weights, (1 + width_of(net, 0)) * PANEL
    sums, place = (SUMS + player) * net.layout[ROW], begin_of(net, 0, player) + PANEL
    for left in range(sums, sums + width_of(net, 1), PANEL):
        added = plus(
            panel_at(weights, place + one * PANEL), panel_at(weights, place + other * PANEL)
        )
        write_panel(values, left, plus(panel_at(values, left), added))
        place += size


@kernel(
    types.void(NET, types.int64, types.int64, types.int64, types.int64, types.int64),
    inlined=True,
    inner=True,
)
def sum_layer(net: Net, layer: int, player: int, count: int, source: int, target: int) -> None:
    """Set a row of ``values`` to the bias plus the weighted sum of the listed inputs.

    Two panels, if two are left, and two inputs at a time, since the processor can run four chains
    of additions at once. A zero follows an odd number of inputs. ``layer`` is at least 1;
    ``source`` and ``target`` are places in ``values``.
    """
    weights, values, rows = net.weights, net.values, net.rows
    size, width = (1 + width_of(net, layer)) * PANEL, width_of(net, layer + 1)
    bias, left, first = begin_of(net, layer, player), 0, np.uint64(source)
    while left + PANEL < width:
        one, two = panel_at(weights, bias), panel_at(weights, bias + size)
        odd_one, odd_two = zeros(), zeros()
        for i in range(np.uint64(0), np.uint64(count), TWO):
            row, odd_row = np.uint64(rows[i]), np.uint64(rows[i + ONE])
            number, odd_number = values[first + row], values[first + odd_row]
            place, odd_place = bias + int(ONE + row) * PANEL, bias + int(ONE + odd_row) * PANEL
            one = plus_times(one, number, panel_at(weights, place))
            two = plus_times(two, number, panel_at(weights, place + size))
            odd_one = plus_times(odd_one, odd_number, panel_at(weights, odd_place))
            odd_two = plus_times(odd_two, odd_number, panel_at(weights, odd_place + size))
        write_panel(values, target + left, plus(one, odd_one))
        write_panel(values, target + left + PANEL, plus(two, odd_two))
        bias += 2 * size
        left += 2 * PANEL
    if left < width:
        one, odd_one = panel_at(weights, bias), zeros()
        for i in range(np.uint64(0), np.uint64(count), TWO):
            row, odd_row = np.uint64(rows[i]), np.uint64(rows[i + ONE])
            number, odd_number = values[first + row], values[first + odd_row]
            one = plus_times(one, number, panel_at(weights, bias + int(ONE + row) * PANEL))
            odd_one = plus_times(
                odd_one, odd_number, panel_at(weights, bias + int(ONE + odd_row) * PANEL)
            )
        write_panel(values, target + left, plus(one, odd_one))


@kernel(types.float64(types.float64), inlined=True)
def exponential(x: float) -> float:
    """Return e to the power of x, with x clipped to [-40, 40].

    The series at x / 128, squared seven times: unlike a call of ``math.exp``, this is vectorised.
    The relative error is below 1e-7 for x from -20 to 20; outside, it makes no difference to the
    functions below.
    """
    y = min(max(x, -40.0), 40.0) / 128.0
    power = 1.0 + y * (
        1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0 * (1.0 + y / 5.0 * (1.0 + y / 6.0))))
    )
    for _ in range(7):
        power *= power
    return power


@kernel(types.void(FLOATS, types.int64, types.int64, types.int64))
def activate(values: Floats, begin: int, width: int, activation: int) -> None:
    """Apply the activation function, in place, to a layer's outputs at ``begin``."""
    first, last = np.uint64(begin), np.uint64(begin + width)
    if activation == RELU:
        for j in range(first, last):
            values[j] = max(values[j], np.float32(0.0))
    elif activation == TANH:
        for j in range(first, last):
            values[j] = np.float32(1.0 - 2.0 / (1.0 + exponential(2.0 * np.float64(values[j]))))
    elif activation == SIGMOID:
        for j in range(first, last):
            values[j] = np.float32(1.0 / (1.0 + exponential(-np.float64(values[j]))))


@kernel(types.int64(NET, types.int64, types.int64), inlined=True, inner=True)
def list_outputs(net: Net, source: int, width: int) -> int:
    """List a layer's outputs for the next layer, with relu the positive ones; return the count."""
    values, rows = net.values, net.rows
    count = 0
    if net.layout[ACTIVATION] == RELU:
        for left in range(0, width, PANEL):
            count = list_positive(panel_at(values, source + left), left, rows, count)
    else:
        activate(values, source, width, net.layout[ACTIVATION])
        count = width
        for j in range(np.uint64(width)):
            rows[j] = j
    values[source + width] = 0.0
    rows[count] = width
    return count


@kernel(types.void(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def copy_outputs(net: Net, source: int, target: int, width: int) -> None:
    """Copy numbers of ``values``, whole panels, from one place to another."""
    for left in range(0, width, PANEL):
        write_panel(net.values, target + left, panel_at(net.values, source + left))


@kernel(types.int64(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def first_highest(net: Net, source: int, added: int, width: int) -> int:
    """Return the index of the first highest sum of output and number added, -1 if none."""
    values = net.values
    peaks = plus(panel_at(values, source), panel_at(values, added))
    for left in range(PANEL, width, PANEL):
        rest = plus(panel_at(values, source + left), panel_at(values, added + left))
        peaks = larger(peaks, rest)
    peak = largest(peaks)
    for left in range(0, width, PANEL):
        rest = plus(panel_at(values, source + left), panel_at(values, added + left))
        place = first_of(rest, peak)
        if place < PANEL and peak > BLOCKED:
            return left + place
    return -1
