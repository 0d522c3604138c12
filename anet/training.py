"""Training cases, and the loss of a network on them.

Letters: B cases in a minibatch, F features, A actions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numba import types
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import mse_loss

from base.jit import kernel
from state_manager import Indices

_FLAGS, _NUMBERS = types.boolean[:, ::1], types.float32[:, ::1]
_INDICES, _TABLE = types.int64[::1], types.int64[:, ::1]


@dataclass(frozen=True)
class Minibatch:
    """Cases (state, D) of the replay buffer."""

    observations: NDArray[np.float32]  # [B, F], the states' features
    movers: NDArray[np.int8]  # [B], the player to move
    legal: NDArray[np.bool_]  # [B, A], which actions are legal
    targets: NDArray[np.float32]  # [B, A], the distributions D of visit counts; rows sum to 1
    values: NDArray[np.float32]  # [B], critic's targets in [-1, 1], seen by the mover, or NaN
    weights: NDArray[np.float32]  # [B], how much each distribution counts

    def __len__(self) -> int:
        """Return B."""
        return len(self.movers)

    def tensors(self, device: torch.device) -> list[Tensor]:
        """Return ``legal``, ``targets``, ``weights`` and ``values`` on a device."""
        arrays = self.legal, self.targets, self.weights, self.values
        return [torch.from_numpy(each).to(device) for each in arrays]


@dataclass(frozen=True)
class TrainingMetrics:
    """Means over the cases of a training step, before the step."""

    loss: float  # cross-entropy between D and the net's distribution, in nats
    entropy: float  # of D in nats, weighted as the loss: the loss's lower bound
    accuracy: float  # share of the cases in which the net's first choice is D's
    value_loss: float | None = None  # mean squared error of the critic, where it has a target

    @staticmethod
    def mean(steps: list[TrainingMetrics]) -> TrainingMetrics:
        """Return the means over several steps."""
        values = [step.value_loss for step in steps if step.value_loss is not None]
        return TrainingMetrics(
            loss=float(np.mean([step.loss for step in steps])),
            entropy=float(np.mean([step.entropy for step in steps])),
            accuracy=float(np.mean([step.accuracy for step in steps])),
            value_loss=float(np.mean(values)) if values else None,
        )


def squared_error(values: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared error of a critic's values, `[B]`, where the target is a number."""
    known = ~targets.isnan()
    if not known.all():
        values, targets = values[known], targets[known]
    return mse_loss(values, targets, reduction="sum") / max(1, len(targets))


@kernel(types.void(_FLAGS, _NUMBERS, _TABLE, _INDICES, _NUMBERS, _FLAGS, _NUMBERS))
def turn(
    shown: NDArray[np.bool_],
    distributions: NDArray[np.float32],
    sources: Indices,
    turns: Indices,
    observations: NDArray[np.float32],
    legal: NDArray[np.bool_],
    targets: NDArray[np.float32],
) -> None:
    """Write cases, each turned by a symmetry, to the last three arrays.

    ``shown`` is `[B, F + A]`, the cases' features and legal actions, ``distributions`` is
    `[B, A]`. ``sources`` is `[T, F + A]`, the source of each place of ``shown`` for each of T
    symmetries; ``turns`` is `[B]`, their numbers.
    """
    features = observations.shape[1]
    for row in range(len(turns)):
        source = sources[turns[row]]
        for feature in range(features):
            observations[row, feature] = shown[row, source[feature]]
        for action in range(legal.shape[1]):
            place = source[features + action]
            legal[row, action] = shown[row, place]
            targets[row, action] = distributions[row, place - features]
