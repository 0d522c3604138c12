"""Training cases, the loss and its gradient, and the metrics of a training step.

Letters: B cases in a minibatch, F features, A actions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import types
from numpy.typing import NDArray

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

    def parts(self, count: int) -> list[Minibatch]:
        """Return the cases in ``count`` parts of nearly equal size."""
        ends = [len(self) * part // count for part in range(count + 1)]
        return [
            Minibatch(**{name: array[begin:end] for name, array in vars(self).items()})
            for begin, end in pairwise(ends)
        ]


@dataclass(frozen=True)
class TrainingMetrics:
    """Means over the cases of a training step, before the step.

    Attributes:
        loss: Cross-entropy between D and the net's distribution, in nats.
        entropy: Entropy of D in nats, weighted as the loss: the loss's lower bound.
        accuracy: Share of the cases in which the net's first choice is D's.
        value_loss: Mean squared error of the critic, where it has a target; ``None`` without one.
    """

    loss: float
    entropy: float
    accuracy: float
    value_loss: float | None = None

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


@kernel(
    types.UniTuple(types.float64, 3)(
        _FLAGS,
        _NUMBERS,
        types.float32[::1],
        types.int8[::1],
        _TABLE,
        _NUMBERS,
        types.float64,
        _NUMBERS,
    )
)
def cross_entropy(
    legal: NDArray[np.bool_],
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    movers: NDArray[np.int8],
    places: Indices,
    logits: NDArray[np.float32],
    factor: float,
    gradients: NDArray[np.float32],
) -> tuple[float, float, float]:
    """Compare a net's distributions, rescaled to the legal actions, with their targets.

    One call, with the gradient in closed form: parallel threads would wait for each other's Python
    between separate operations. ``legal``, `[B, A]`, has at least one legal action in each row;
    ``targets``, `[B, A]`, are the distributions D; ``weights`` and ``movers``, `[B]`, are those of
    the cases; ``places``, `[2, A]`, is the output of each action, for each player to move;
    ``gradients``, `[B, A]`, gets ``factor`` times those of the first sum by ``logits``.

    Return three sums over the cases: the weighted cross-entropies, the weighted entropies of D, and
    the number of cases in which the net's first choice is D's.
    """
    loss, entropy, agreed = 0.0, 0.0, 0.0
    for row in range(len(legal)):
        place, weight = places[int(movers[row]) - 1], float(weights[row])
        choice, wanted, highest, most = 0, 0, -math.inf, -math.inf
        for action in range(legal.shape[1]):
            target, logit = float(targets[row, action]), float(logits[row, place[action]])
            if target > most:
                wanted, most = action, target
            if legal[row, action] and logit > highest:
                choice, highest = action, logit
        agreed += 1.0 if choice == wanted else 0.0
        total, mass = 0.0, 0.0
        for action in range(legal.shape[1]):
            target = float(targets[row, action])
            if target > 0.0:
                entropy -= weight * target * math.log(target)
            gradients[row, place[action]] = 0.0
            if legal[row, action]:
                share = math.exp(float(logits[row, place[action]]) - highest)
                gradients[row, place[action]] = share
                total += share
                mass += target
        log_total = math.log(total)
        for action in range(legal.shape[1]):
            if legal[row, action]:
                target, logit = float(targets[row, action]), float(logits[row, place[action]])
                policy = float(gradients[row, place[action]]) / total
                loss -= weight * target * (logit - highest - log_total)
                gradients[row, place[action]] = factor * weight * (mass * policy - target)
    return loss, entropy, agreed
