"""What a temperature does to the policies of a net and of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison import Comparison
from analysis.distributions import analyze_distribution, apply_temperature


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

    def to_json(self) -> dict[str, Any]:
        """Return the means as JSON data."""
        return asdict(self)


def temperature_effects(
    comparisons: Sequence[Comparison], temperatures: Sequence[float]
) -> list[TemperatureEffect]:
    """Return what each temperature does to the policies in at least one position.

    Raises:
        ValueError: If a temperature is below 0 or not a number.
    """
    policies = np.stack([each.position.policy for each in comparisons])
    targets = np.stack([each.search.distribution for each in comparisons])
    return [_effect(comparisons, policies, targets, each) for each in temperatures]


def _effect(
    comparisons: Sequence[Comparison],
    policies: NDArray[np.float64],
    targets: NDArray[np.float64],
    temperature: float,
) -> TemperatureEffect:
    warmed = apply_temperature(policies, temperature)
    net = [analyze_distribution(each) for each in warmed]
    search = [analyze_distribution(each) for each in apply_temperature(targets, temperature)]
    same = [
        policy[each.of_search.top_action] for policy, each in zip(warmed, comparisons, strict=True)
    ]
    best = [
        float(policy[sorted(each.best_actions)].sum())
        for policy, each in zip(warmed, comparisons, strict=True)
        if each.best_actions is not None
    ]
    return TemperatureEffect(
        temperature=float(temperature),
        net_entropy=float(np.mean([each.entropy for each in net])),
        search_entropy=float(np.mean([each.entropy for each in search])),
        net_perplexity=float(np.mean([each.perplexity for each in net])),
        search_perplexity=float(np.mean([each.perplexity for each in search])),
        net_top_probability=float(np.mean([each.top_probability for each in net])),
        search_top_probability=float(np.mean([each.top_probability for each in search])),
        same_choice=float(np.mean(same)),
        best_choice=float(np.mean(best)) if best else None,
    )
