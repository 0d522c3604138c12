"""From torch's layers to the flat ``Net`` of ``inference.py``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import nn

from anet.inference import ACTIVATIONS, BLOCK, HEADER, VECTOR
from anet.networks import ActorNetwork
from state_manager import Indices
from state_manager.policy import Net

View = tuple[Indices, Indices]
"""For one mover: the input that each feature is (`[F]`), the output that each action is (`[A]`)."""


def pack(
    network: ActorNetwork, activation: str, views: tuple[View, View], epsilon: float
) -> Net:
    """Copy a network's weights into the form that kernels read.

    Args:
        network: The network.
        activation: The name of its activation function.
        views: How player 1 and player 2 see the board.
        epsilon: The probability with which the policy draws any legal action.

    Returns:
        A ``Net`` with memory of its own, for one thread.
    """
    layers = [*network.hidden, network.policy_head]
    matrices = [_matrix(layer, first=number == 0) for number, layer in enumerate(layers)]
    parts = [matrix.reshape(-1) for matrix in matrices]
    value_head_begin = sum(len(part) for part in parts)
    if network.value_head is not None:
        parts += [_numpy(network.value_head.bias), _numpy(network.value_head.weight)[0]]
    widths = [matrix.shape[1] for matrix in matrices]
    num_features, num_actions = (len(places) for places in views[0])
    layout = [
        len(layers),
        ACTIVATIONS[activation],
        num_features,
        num_actions,
        value_head_begin,
        *widths,
    ]
    assert len(layout) == HEADER + len(layers)
    for features, actions in views:
        # Row 0 is empty, row 1 is the bias.
        layout += [*((2 + features) * widths[0]), *actions]
    values = _aligned([np.zeros(2 * max(widths), np.float32)])
    return Net(
        weights=_aligned(parts),
        layout=np.array(layout, np.int64),
        epsilon=epsilon,
        values=values.reshape(2, -1),
        rows=np.zeros(num_features + BLOCK, np.int64),
    )


def _matrix(layer: nn.Module, first: bool) -> NDArray[np.float32]:
    """Return bias and weights, a row for each input, filled up with zeros to whole vectors.

    The first layer begins with an empty row, which fills up the list of active features.
    """
    assert isinstance(layer, nn.Linear)
    weights = _numpy(layer.weight).T
    inputs, outputs = weights.shape
    bias_row = 1 if first else 0
    rows = bias_row + 1 + (inputs if first else _whole(inputs))
    matrix = np.zeros((rows, _whole(outputs)), np.float32)
    matrix[bias_row, :outputs] = _numpy(layer.bias)
    matrix[bias_row + 1 : bias_row + 1 + inputs, :outputs] = weights
    return matrix


def _whole(width: int) -> int:
    """Round a width up to whole vectors."""
    return width + -width % VECTOR


def _numpy(tensor: object) -> NDArray[np.float32]:
    """Return a parameter's values."""
    return tensor.detach().numpy()  # type: ignore[attr-defined,no-any-return]


def _aligned(parts: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Join the parts in memory that begins at a whole cache line, so that no vector spans two."""
    length = sum(len(part) for part in parts)
    memory = np.zeros(length + VECTOR, np.float32)
    offset = -(memory.ctypes.data // memory.itemsize) % VECTOR
    joined = memory[offset : offset + length]
    np.concatenate(parts, out=joined)
    return joined
