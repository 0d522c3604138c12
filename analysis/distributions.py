"""Statistics of distributions over actions: a net's policy, a search's visit counts.

Letters: A actions. Every argument may be unnormalized weights: all finite and at least 0, and one
above 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LOWEST = 1e-12  # the lowest estimated probability, so that divergences are finite


@dataclass(frozen=True)
class DistributionStatistics:
    """Statistics of one distribution."""

    actions: int  # the number of actions to choose from
    support: int  # the number of actions with a probability above 0
    entropy: float  # in nats, from 0 (certain) to ln(actions) (uniform)
    normalized_entropy: float  # the entropy as a share of ln(actions); 0 for one action
    perplexity: float  # exp(entropy), the number of equally likely actions with this entropy
    top_action: int  # the likeliest action; ties go to the lowest
    top_probability: float
    margin: float  # the difference from the second highest probability


def analyze_distribution(weights: ArrayLike, actions: int | None = None) -> DistributionStatistics:
    """Return the statistics of `[A]` weights; ``actions``: how many are legal, by default all."""
    probabilities = _normalized(weights)
    count = len(probabilities) if actions is None else actions
    positive = probabilities[probabilities > 0]
    # Rounding could make the entropy of a certain distribution negative.
    entropy = max(0.0, -float(np.sum(positive * np.log(positive))))
    descending = np.sort(probabilities)[::-1]
    return DistributionStatistics(
        actions=count,
        support=len(positive),
        entropy=entropy,
        normalized_entropy=min(1.0, entropy / math.log(count)) if count > 1 else 0.0,
        perplexity=math.exp(entropy),
        top_action=int(np.argmax(probabilities)),
        top_probability=float(descending[0]),
        margin=float(descending[0] - descending[1]) if len(descending) > 1 else 1.0,
    )


def apply_temperature(distribution: ArrayLike, temperature: float) -> NDArray[np.float64]:
    """Return the distribution in proportion to ``p ** (1 / temperature)``.

    Below 1 the likeliest actions gain, above 1 they lose; probabilities of 0 stay 0.
    The temperature is above 0; the result is `[..., A]`, like the argument.
    """
    probabilities = _normalized(distribution)
    # Divided by the highest, powers of tiny numbers may underflow without harm.
    relative = probabilities / probabilities.max(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # the logarithm of 0 is minus infinity
        return _normalized(np.exp(np.log(relative) / temperature))


def total_variation(first: ArrayLike, second: ArrayLike) -> float:
    """Return the total variation distance, from 0 to 1 (no action in common)."""
    return float(np.abs(_normalized(first) - _normalized(second)).sum() / 2)


def kl_divergence(target: ArrayLike, estimate: ArrayLike) -> float:
    """Return KL(target || estimate) in nats, finite since estimates below 1e-12 count as 1e-12."""
    t, e = _normalized(target), np.maximum(_normalized(estimate), _LOWEST)
    there = t > 0
    return max(0.0, float(np.sum(t[there] * np.log(t[there] / e[there]))))


def _normalized(weights: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(weights, np.float64)
    return np.asarray(given / given.sum(axis=-1, keepdims=True))
