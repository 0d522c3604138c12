"""Temperature, entropy and distances, by their definitions."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis.distributions import (
    analyze_distribution,
    apply_temperature,
    kl_divergence,
    total_variation,
)

WEIGHTS = st.lists(st.floats(0, 1e6), min_size=2, max_size=9).filter(lambda each: sum(each) > 1e-3)
TEMPERATURES = st.floats(0.05, 20)


def normal(weights: Any) -> NDArray[np.float64]:
    return np.asarray(np.asarray(weights, float) / np.sum(weights))


@given(WEIGHTS, TEMPERATURES)
def test_a_temperature_raises_to_the_power_of_its_inverse(
    weights: list[float], temperature: float
) -> None:
    relative = np.array(weights) / max(weights)
    expected = normal([each ** (1 / temperature) if each else 0.0 for each in relative])
    result = apply_temperature(weights, temperature)
    assert result == pytest.approx(expected, abs=1e-9)
    assert result.sum() == pytest.approx(1)


def test_a_tiny_temperature_overflows_nothing() -> None:
    assert apply_temperature([1e-300, 1e-290, 0.0], 1e-9).tolist() == [0, 1, 0]


def test_a_batch_is_treated_row_by_row() -> None:
    batch = np.array([[1.0, 3.0], [2.0, 2.0]])
    rows = [apply_temperature(row, 0.5).tolist() for row in batch]
    assert apply_temperature(batch, 0.5).tolist() == rows
    assert rows[0] == pytest.approx([0.1, 0.9])


@given(WEIGHTS)
def test_statistics_are_those_of_the_definition(weights: list[float]) -> None:
    shares = normal(weights)
    found = analyze_distribution(weights)
    entropy = -sum(share * math.log(share) for share in shares if share > 0)
    assert found.entropy == pytest.approx(entropy, abs=1e-9)
    assert found.perplexity == pytest.approx(math.exp(entropy))
    assert found.normalized_entropy == pytest.approx(entropy / math.log(len(weights)), abs=1e-9)
    assert 0 <= found.normalized_entropy <= 1
    assert found.top_action == int(np.argmax(shares))
    assert found.top_probability == pytest.approx(max(shares))
    assert found.margin == pytest.approx(np.diff(np.sort(shares))[-1], abs=1e-12)
    assert found.support == sum(share > 0 for share in shares)


def test_the_uniform_distribution_has_as_much_perplexity_as_actions() -> None:
    found = analyze_distribution([0, 2, 2, 0, 2, 2], actions=4)
    assert found.actions == found.support == 4
    assert found.perplexity == pytest.approx(4)
    assert found.normalized_entropy == pytest.approx(1)
    assert (found.top_action, found.margin) == (1, 0)


def test_a_single_action_has_no_entropy() -> None:
    found = analyze_distribution([0, 1, 0], actions=1)
    assert (found.entropy, found.normalized_entropy, found.perplexity) == (0, 0, 1)


def test_distances_by_example() -> None:
    assert total_variation([1, 3], [2, 6]) == kl_divergence([1, 3], [2, 6]) == 0
    assert total_variation([1, 0], [0, 5]) == 1
    assert total_variation([0.5, 0.5], [0.25, 0.75]) == 0.25
    assert kl_divergence([0.5, 0.5], [0.25, 0.75]) == pytest.approx(0.5 * math.log(4 / 3))
    assert kl_divergence([1, 0], [0, 1]) == pytest.approx(12 * math.log(10))
