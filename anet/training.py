"""Training cases, the loss, and what a step of training measures.

Letters: B cases in a minibatch, S length of a state, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Minibatch:
    """Cases (state, D) of the replay buffer.

    Attributes:
        observations: `[B, F]` float32, the states' features.
        movers: `[B]` int8, the player to move.
        legal: `[B, A]` bool, which actions are legal.
        targets: `[B, A]` float32, the distributions D of visit counts; rows sum to 1.
        weights: `[B]` float32, how much each distribution counts.
        values: `[B]` float32, the critic's targets in [-1, 1], seen by the mover.
    """

    observations: NDArray[np.float32]
    movers: NDArray[np.int8]
    legal: NDArray[np.bool_]
    targets: NDArray[np.float32]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        """Return B."""
        return len(self.movers)

    def parts(self, count: int) -> list[Minibatch]:
        """Return the cases in some parts, as equal as they can be."""
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
        entropy: Entropy of D in nats, weighted as the loss is: what that cannot fall below.
        accuracy: Share of the cases in which the net's first choice is D's.
        value_loss: Mean squared error of the critic; ``None`` without one.
    """

    loss: float
    entropy: float
    accuracy: float
    value_loss: float | None

    @staticmethod
    def of(
        minibatch: Minibatch, logits: Tensor, policy_loss: Tensor, value_loss: Tensor | None
    ) -> TrainingMetrics:
        """Measure a net's outputs `[B, A]` for a minibatch, and their losses."""
        illegal = torch.from_numpy(~minibatch.legal)
        first_choice = logits.detach().cpu().masked_fill(illegal, -torch.inf).argmax(dim=1)
        logs = np.log(np.where(minibatch.targets > 0, minibatch.targets, 1))
        entropies = -(minibatch.targets * logs).sum(axis=1)
        wanted = torch.from_numpy(minibatch.targets).argmax(dim=1)
        return TrainingMetrics(
            loss=float(policy_loss.detach()),
            entropy=float((minibatch.weights * entropies).mean()),
            accuracy=float((first_choice == wanted).double().mean()),
            value_loss=None if value_loss is None else float(value_loss.detach()),
        )

    @staticmethod
    def mean(
        steps: list[TrainingMetrics], weights: Sequence[float] | None = None
    ) -> TrainingMetrics:
        """Return the means over several steps, or over the parts of one, weighted by their size."""
        values = [step.value_loss for step in steps if step.value_loss is not None]
        return TrainingMetrics(
            loss=float(np.average([step.loss for step in steps], weights=weights)),
            entropy=float(np.average([step.entropy for step in steps], weights=weights)),
            accuracy=float(np.average([step.accuracy for step in steps], weights=weights)),
            value_loss=float(np.average(values, weights=weights)) if values else None,
        )


def losses(
    logits: Tensor, values: Tensor | None, minibatch: Minibatch
) -> tuple[Tensor, Tensor | None]:
    """Return the cross-entropy, and the mean squared error of the values if there are any.

    Args:
        logits: `[B, A]`, on any device.
        values: `[B]`, seen by the mover; ``None`` without a critic.
        minibatch: What the net should have said.
    """
    illegal = torch.from_numpy(~minibatch.legal).to(logits.device)
    targets = torch.from_numpy(minibatch.targets).to(logits.device)
    # The softmax is rescaled to the legal actions.
    log_policy = logits.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
    cross_entropy = -(targets * log_policy.masked_fill(illegal, 0.0)).sum(dim=1)
    weights = torch.from_numpy(minibatch.weights).to(logits.device)
    policy_loss = (weights * cross_entropy).mean()
    if values is None:
        return policy_loss, None
    outcomes = torch.from_numpy(minibatch.values).to(values.device)
    return policy_loss, (values - outcomes).square().mean()
