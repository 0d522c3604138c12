"""Numbers about distributions over actions: a net's policy, a search's visit counts.

Letters: A actions. Where a distribution is wanted, weights that do not sum to 1 will do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from analysis.comparison import Comparison

_LOWEST = 1e-12
"""What counts as the probability of an action that a divergence would be infinite for."""


@dataclass(frozen=True)
class DistributionStatistics:
    """What is worth knowing of one distribution.

    Attributes:
        actions: How many actions there were to choose from.
        support: How many of them have a probability above 0.
        entropy: In nats, from 0 (certain) to ln(actions) (uniform).
        normalized_entropy: The entropy as a share of ln(actions), from 0 to 1; 0 for one action.
        perplexity: exp(entropy), the number of equally likely actions with this entropy.
        top_action: The likeliest action; ties go to the lowest.
        top_probability: Its probability.
        margin: How far the second likeliest lies below it.
    """

    actions: int
    support: int
    entropy: float
    normalized_entropy: float
    perplexity: float
    top_action: int
    top_probability: float
    margin: float


def analyze_distribution(
    distribution: ArrayLike, legal_actions: ArrayLike | None = None
) -> DistributionStatistics:
    """Return the statistics of one distribution.

    Args:
        distribution: `[A]` weights, finite and at least 0.
        legal_actions: The actions that could be chosen; all of them by default.

    Raises:
        ValueError: If these are no such weights, or no weight is above 0.
    """
    probabilities = _normalized(distribution)
    if probabilities.ndim != 1:
        raise ValueError(f"expected one distribution, got shape {probabilities.shape}")
    count = len(probabilities) if legal_actions is None else len(np.asarray(legal_actions))
    positive = probabilities[probabilities > 0]
    # Not below 0, where rounding would take it for a distribution that is certain.
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

    Below 1 the likeliest actions gain, above 1 they lose; 1 changes nothing. The limits are
    allowed: at 0 the likeliest actions share everything, at infinity all actions whose
    probability is above 0 are equally likely. What is impossible stays so.

    Args:
        distribution: `[..., A]` weights, finite and at least 0.
        temperature: At least 0.

    Returns:
        `[..., A]` float64; each distribution sums to 1.

    Raises:
        ValueError: If these are no such weights, no weight is above 0, or the temperature is
            below 0 or not a number.
    """
    if not temperature >= 0:
        raise ValueError(f"expected a temperature of at least 0, got {temperature!r}")
    probabilities = _normalized(distribution)
    # Relative to the likeliest, powers of tiny numbers may vanish without harm.
    relative = probabilities / probabilities.max(axis=-1, keepdims=True)
    if temperature == 0:
        powers = (relative == 1.0).astype(np.float64)
    else:
        possible = relative > 0
        logarithms = np.log(relative, where=possible, out=np.zeros_like(relative))
        powers = np.where(possible, np.exp(logarithms / temperature), 0.0)
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def total_variation(first: ArrayLike, second: ArrayLike) -> float:
    """Return the distance of two distributions: the share of the probability that would move.

    From 0, they are the same, to 1, they have no action in common.
    """
    return float(np.abs(_normalized(first) - _normalized(second)).sum() / 2)


def kl_divergence(target: ArrayLike, estimate: ArrayLike) -> float:
    """Return by how many nats the estimate misses the target, sum of ``t * ln(t / e)``.

    It is the net's cross-entropy loss without the part that no net can avoid, where the target is
    the search's D. An estimate counts as 1e-12 at least, so that the result is finite.
    """
    t, e = _normalized(target), np.maximum(_normalized(estimate), _LOWEST)
    there = t > 0
    return max(0.0, float(np.sum(t[there] * np.log(t[there] / e[there]))))


@dataclass(frozen=True)
class TemperatureEffect:
    """Means over the same positions at one temperature.

    Attributes:
        temperature: T; policies are in proportion to p ** (1 / T).
        net_entropy: Of the net's policy, in nats.
        search_entropy: Of the search's D, in nats.
        net_perplexity: exp of the entropy of each, then the mean.
        search_perplexity: The same of D.
        net_top_probability: Of the net's policy.
        search_top_probability: Of D.
        same_choice: The probability that a move drawn from the net's policy is the search's first
            choice.
        best_choice: The probability that it is a best move under perfect play; ``None`` if the
            game is too large.
    """

    temperature: float
    net_entropy: float
    search_entropy: float
    net_perplexity: float
    search_perplexity: float
    net_top_probability: float
    search_top_probability: float
    same_choice: float
    best_choice: float | None


def temperature_effects(
    comparisons: Sequence[Comparison], temperatures: Sequence[float]
) -> list[TemperatureEffect]:
    """Return what each temperature does to the policies in at least one position.

    Raises:
        ValueError: If a temperature is below 0 or not a number.
    """
    policies = np.stack([each.position.policy for each in comparisons])
    targets = np.stack([each.search.distribution for each in comparisons])
    choices = [each.of_search.top_action for each in comparisons]
    effects = []
    for temperature in temperatures:
        warmed = apply_temperature(policies, temperature)
        means = {}
        for who, distributions in (
            ("net", warmed),
            ("search", apply_temperature(targets, temperature)),
        ):
            statistics = [analyze_distribution(each) for each in distributions]
            for measure in ("entropy", "perplexity", "top_probability"):
                values = [getattr(each, measure) for each in statistics]
                means[f"{who}_{measure}"] = float(np.mean(values))
        best = [
            float(policy[sorted(each.best_actions)].sum())
            for policy, each in zip(warmed, comparisons, strict=True)
            if each.best_actions is not None
        ]
        effects.append(
            TemperatureEffect(
                temperature=float(temperature),
                same_choice=float(np.mean(warmed[np.arange(len(choices)), choices])),
                best_choice=float(np.mean(best)) if best else None,
                **means,
            )
        )
    return effects


def _normalized(distribution: ArrayLike) -> NDArray[np.float64]:
    """Return weights so that they sum to 1; raise a ``ValueError`` if they are none."""
    weights = np.asarray(distribution, np.float64)
    if not (weights.size and np.all(np.isfinite(weights)) and np.all(weights >= 0)):
        raise ValueError(f"expected finite weights of at least 0, got {weights.tolist()}")
    totals = weights.sum(axis=-1, keepdims=True)
    if not np.all(totals > 0):
        raise ValueError(f"expected a weight above 0, got {weights.tolist()}")
    return np.asarray(weights / totals)
