"""From torch's layers to the flat ``Net`` of ``inference.py``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.inference import HEADER
from anet.layers import ACTIVATIONS, LISTED
from anet.networks import ActorNetwork
from anet.panels import PANEL
from anet.view import View
from state_manager import Indices
from state_manager.policy import Net

Matrix = NDArray[np.float32]
_CACHE_LINE = 16
"""Numbers in a cache line."""


def pack(network: ActorNetwork, activation: str, view: View, epsilon: float) -> Net:
    """Copy a network's weights into the form that kernels read.

    Args:
        network: The network.
        activation: The name of its activation function.
        view: Which inputs show the features, the others being always 0; and how player 2 sees the
            board. Player 1 sees it as it lies.
        epsilon: The probability with which the policy draws any legal action.

    Returns:
        A ``Net`` with memory of its own, for one thread.
    """
    layers = [*network.hidden, network.policy_head]
    # What reads the inputs themselves reads those that are shown; what reads neurons, all.
    shown: list[Indices | slice] = [view.places, *([slice(None)] * len(network.hidden))]
    parts = [_panels(layer, inputs) for layer, inputs in zip(layers, shown, strict=True)]
    value_head_begin = sum(len(part) for part in parts)
    if network.value_head is not None:
        parts += [
            _numpy(network.value_head.bias),
            _numpy(network.value_head.weight)[:, shown[-1]][0],
        ]
    widths = [layer.out_features for layer in layers]
    features, actions = view.second
    layout = [
        len(layers),
        ACTIVATIONS[activation],
        len(features),
        int(np.any(features != np.arange(len(features)))),
        value_head_begin,
    ]
    assert len(layout) == HEADER
    longest_list = max(len(features), *widths) + 1
    length = _whole_panels(longest_list)
    values = _aligned([np.zeros((LISTED + 1) * length, np.float32)])
    return Net(
        weights=_aligned(parts),
        layout=np.array([*layout, *widths, *features, *actions], np.int64),
        epsilon=epsilon,
        values=values.reshape(LISTED + 1, length),
        rows=np.zeros(longest_list, np.int64),
    )


def _panels(layer: nn.Linear, inputs: Indices | slice) -> Matrix:
    """Return a layer's panels, one after the other: of each the bias, then a row for each input."""
    weights = _numpy(layer.weight)[:, inputs].T
    matrix = np.zeros((1 + len(weights), _whole_panels(layer.out_features)), np.float32)
    matrix[0, : layer.out_features] = _numpy(layer.bias)
    matrix[1:, : layer.out_features] = weights
    panels = matrix.reshape(len(matrix), -1, PANEL).transpose(1, 0, 2)
    return np.ascontiguousarray(panels).reshape(-1)


def _whole_panels(columns: int) -> int:
    """Return ``columns``, rounded up to whole panels."""
    return columns + -columns % PANEL


def _numpy(tensor: Tensor) -> Matrix:
    """Return a parameter's values."""
    return tensor.detach().numpy()


def _aligned(parts: Sequence[Matrix]) -> Matrix:
    """Join the parts in memory that begins at a whole cache line, so that no vector spans two."""
    length = sum(len(part) for part in parts)
    memory = np.zeros(length + _CACHE_LINE, np.float32)
    offset = -(memory.ctypes.data // memory.itemsize) % _CACHE_LINE
    joined = memory[offset : offset + length]
    np.concatenate(parts, out=joined)
    return joined
