"""The three ways to choose from a distribution."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents import choose
from base.params.rl_section import ActionChoice

LEGAL = np.array([1, 2, 4, 5])
WEIGHTS = np.array([9.0, 0.2, 0.5, 9.0, 0.0, 0.3])
DRAWS = 4000


def frequencies(
    choice: ActionChoice, epsilon: float = 0.0, weights: NDArray[np.float64] = WEIGHTS
) -> dict[int, float]:
    rng = np.random.default_rng(3)
    drawn = Counter(choose(weights, LEGAL, choice, epsilon, rng) for _ in range(DRAWS))
    return {action: count / DRAWS for action, count in drawn.items()}


def test_greedy_takes_the_largest_weight_the_lowest_of_equal_ones_and_draws_nothing() -> None:
    assert frequencies("greedy", epsilon=1.0) == {2: 1.0}
    assert frequencies("greedy", weights=np.array([0, 1, 3, 0, 3, 3.0])) == {2: 1.0}
    assert frequencies("greedy", weights=np.zeros(6)) == {1: 1.0}
    rng = np.random.default_rng(3)
    choose(WEIGHTS, LEGAL, "greedy", 0.5, rng)
    assert rng.random() == np.random.default_rng(3).random()


def test_epsilon_greedy_takes_any_action_with_probability_epsilon_others_by_weight() -> None:
    assert frequencies("probabilistic") == pytest.approx({1: 0.2, 2: 0.5, 5: 0.3}, abs=0.03)
    drawn = frequencies("epsilon_greedy", epsilon=0.4)
    assert set(drawn) == set(LEGAL.tolist())
    assert drawn[2] == pytest.approx(0.7, abs=0.03)
    assert drawn[4] == pytest.approx(0.1, abs=0.03)


def test_temperature_0_is_greedy_and_1_changes_nothing() -> None:
    for choice, same in (("greedy", 0.0), ("probabilistic", 1.0)):
        one, other = np.random.default_rng(3), np.random.default_rng(3)
        for _ in range(50):
            drawn = choose(WEIGHTS, LEGAL, "probabilistic", 0.0, one, same)
            assert drawn == choose(WEIGHTS, LEGAL, choice, 0.0, other)  # type: ignore[arg-type]


@given(
    weights=st.lists(st.floats(0, 1, width=32), min_size=6, max_size=6),
    choice=st.sampled_from(["greedy", "epsilon_greedy", "probabilistic"]),
    epsilon=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_the_chosen_action_is_always_legal(
    weights: list[float], choice: ActionChoice, epsilon: float, seed: int
) -> None:
    distribution = np.array(weights, np.float32)
    distribution[1] += 0.01
    action = choose(distribution, LEGAL, choice, epsilon, np.random.default_rng(seed))
    assert action in LEGAL
    assert type(action) is int


@pytest.mark.parametrize(
    ("weights", "choice", "message"),
    [
        (np.zeros(6), "probabilistic", "a weight above 0"),
        (np.full(6, np.nan), "greedy", "finite weights"),
        (-WEIGHTS, "epsilon_greedy", "of at least 0"),
    ],
)
def test_wrong_weights_are_refused(
    weights: NDArray[np.float64], choice: ActionChoice, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        choose(weights, LEGAL, choice, 0.5, np.random.default_rng(0))
