"""The conversion of torch's layers to the flat ``Net`` of ``layers.py``."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anet.layers import ACTIVATIONS, ROWS_OF_VALUES
from anet.networks import ActorNetwork
from anet.panels import LISTED_TOGETHER, PANEL
from anet.view import View
from state_manager import Indices
from state_manager.policy import Net

Matrix = NDArray[np.float32]
_CACHE_LINE = 16  # numbers in a cache line


def pack(network: ActorNetwork, activation: str, view: View, epsilon: float) -> Net:
    """Copy a network's weights into the form that kernels read, with memory for one thread.

    Inputs of the ``view`` that show no feature are always 0; player 1's view of actions is their
    own order. ``epsilon``: see ``ANET.rollout_policy``.
    """
    layers = [*network.hidden, network.policy_head]
    heads = [network.policy_head] + [network.value_head] * (network.value_head is not None)
    num_features, (sources, outputs) = view.game.num_features, view.layouts[0]
    places = np.argsort(sources, axis=1)[:, :num_features]  # the input that shows each feature
    parts: list[Matrix] = []
    begins: list[int] = []
    for layer in [*network.hidden, *heads]:
        matrix = np.vstack([each.detach().numpy() for each in (layer.bias, layer.weight.T)])
        one = two = matrix
        if layer is layers[0] or len(layers) == 1:  # it reads the features
            one, two = (_seen(matrix, each) for each in places)
        if layer is network.policy_head:
            two = two[:, outputs[1]]
        is_turned = not np.array_equal(one, two)
        for each in (one, two) if is_turned else (one,):
            begins.append(sum(map(len, parts)))
            parts.append(each[:, 0] if layer is network.value_head else _panels(each))
        begins += [] if is_turned else begins[-1:]
    widths = [num_features + 1, *(layer.out_features for layer in layers)]
    longest_list = max(widths) + 1
    row = _whole_panels(longest_list)
    return Net(
        weights=_aligned([*parts, np.zeros(PANEL, np.float32)]),
        layout=np.array([len(layers), ACTIVATIONS[activation], row, *widths, *begins], np.int64),
        epsilon=epsilon,
        values=_aligned([np.zeros(ROWS_OF_VALUES * row, np.float32)]),
        rows=np.zeros(longest_list + LISTED_TOGETHER, np.int64),
    )


def copied(net: Net, epsilon: float) -> Net:
    """Return a packed net with memory of its own, for another thread or another epsilon."""
    weights, values = _aligned([net.weights]), _aligned([net.values])
    return net._replace(weights=weights, values=values, epsilon=epsilon, rows=net.rows.copy())


def _seen(matrix: Matrix, places: Indices) -> Matrix:
    return np.vstack([matrix[0], matrix[1:][places], np.zeros_like(matrix[0])])


def _panels(matrix: Matrix) -> Matrix:
    """Return a layer's panels, one after the other: each the bias, then a row for each input."""
    rows, columns = matrix.shape
    whole = np.pad(matrix, ((0, 0), (0, _whole_panels(columns) - columns)))
    return np.ascontiguousarray(whole.reshape(rows, -1, PANEL).transpose(1, 0, 2)).reshape(-1)


def _whole_panels(columns: int) -> int:
    return columns + -columns % PANEL


def _aligned(parts: Sequence[Matrix]) -> Matrix:
    """Join the parts, aligned to a cache line, so that no vector spans two lines."""
    length = sum(len(part) for part in parts)
    memory = np.zeros(length + _CACHE_LINE, np.float32)
    offset = -(memory.ctypes.data // memory.itemsize) % _CACHE_LINE
    joined = memory[offset : offset + length]
    np.concatenate(parts, out=joined)
    return joined
