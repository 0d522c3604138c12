"""The draw of a place by its weight at a temperature."""

import numpy as np
import pytest

from state_manager.draw import draw


@pytest.mark.parametrize("temperature", [0.25, 0.5, 1.0, 3.0])
def test_a_place_is_drawn_in_proportion_to_its_weight_to_the_power_of_one_over_t(
    temperature: float,
) -> None:
    weights = np.array([0.2, 0.0, 0.5, 0.3, 9.0])
    numbers = (np.arange(10_000) + 0.5) / 10_000
    drawn = [draw(weights, 4, temperature, number) for number in numbers]
    assert drawn == sorted(drawn)
    expected = weights[:4] ** (1 / temperature)
    shares = np.bincount(drawn, minlength=4) / len(drawn)
    assert shares == pytest.approx(expected / expected.sum(), abs=2e-4)
    assert shares[1] == 0.0


def test_temperature_0_takes_the_first_of_the_highest() -> None:
    assert draw(np.array([0.1, 0.4, 0.4, 0.1]), 4, 0.0, 0.9) == 1


def test_tiny_weights_at_a_low_temperature_are_never_drawn_but_do_no_harm() -> None:
    for weights, place in (([1e-300, 1e-200, 1e-100], 2), ([0.0, 1e-300, 0.0], 1)):
        assert {draw(np.array(weights), 3, 0.01, number) for number in (0.0, 0.5, 0.999999)} == {
            place
        }
