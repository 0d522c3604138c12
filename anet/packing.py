"""From torch's layers to the flat ``Net`` of ``inference.py``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from anet.inference import ACTIVATIONS, BLOCK, HEADER, PANEL
from anet.networks import ActorNetwork
from state_manager import Indices
from state_manager.policy import Net

Matrix = NDArray[np.float32]
_CACHE_LINE = 16
"""Numbers in a cache line."""


def pack(
    network: ActorNetwork, activation: str, view: tuple[Indices, Indices], epsilon: float
) -> Net:
    """Copy a network's weights into the form that kernels read.

    Args:
        network: The network.
        activation: The name of its activation function.
        view: How player 2 sees the board: the input that each feature is (`[F]`), and the output
            that each action is (`[A]`). Player 1 sees it as it lies.
        epsilon: The probability with which the policy draws any legal action.

    Returns:
        A ``Net`` with memory of its own, for one thread.
    """
    layers = [*network.hidden, network.policy_head]
    matrices = [_first_matrix(layers[0]), *(_matrix(layer) for layer in layers[1:])]
    panels = [_panels(matrix) for matrix in matrices[1:]]
    parts = [matrices[0].reshape(-1), *panels]
    value_head_begin = sum(len(part) for part in parts)
    if network.value_head is not None:
        parts += [_numpy(network.value_head.bias), _numpy(network.value_head.weight)[0]]
    widths = [matrix.shape[1] for matrix in matrices]
    features, actions = view
    layout = [
        len(layers),
        ACTIVATIONS[activation],
        len(features),
        int(np.any(features != np.arange(len(features)))),
        value_head_begin,
    ]
    assert len(layout) == HEADER
    values = _aligned([np.zeros(2 * max(widths), np.float32)])
    return Net(
        weights=_aligned(parts),
        layout=np.array([*layout, *widths, *features, *actions], np.int64),
        epsilon=epsilon,
        values=values.reshape(2, -1),
        rows=np.zeros(len(features) + BLOCK, np.int64),
    )


def _first_matrix(layer: nn.Linear) -> Matrix:
    """Return an empty row, the bias, and the weights, a row for each feature."""
    matrix = _matrix(layer)[: 1 + layer.in_features]
    return np.concatenate([np.zeros_like(matrix[:1]), matrix])


def _matrix(layer: nn.Linear) -> Matrix:
    """Return the bias and the weights, a row for each input, both sides filled up to panels."""
    weights = _numpy(layer.weight).T
    inputs, outputs = weights.shape
    matrix = np.zeros((1 + inputs + -inputs % PANEL, outputs + -outputs % PANEL), np.float32)
    matrix[0, :outputs] = _numpy(layer.bias)
    matrix[1 : 1 + inputs, :outputs] = weights
    return matrix


def _panels(matrix: Matrix) -> Matrix:
    """Return a matrix cut into panels, one after the other, each row by row."""
    rows, columns = matrix.shape
    panels = matrix.reshape(rows, columns // PANEL, PANEL).transpose(1, 0, 2)
    return np.ascontiguousarray(panels).reshape(-1)


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
