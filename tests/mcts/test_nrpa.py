"""Nested rollout policy adaptation: its slow twin, known moves, clocks and counts."""

import itertools
from math import exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts.nrpa as nrpa_module
from mcts import NRPA
from mcts.nrpa import Form
from state_manager import StateError, StateManager, make_game
from tests.mcts.naive_nrpa import NaiveNRPA
from tests.mcts.trees import SMALL, after, small_game

GAMES = [small_game(name) for name in SMALL]
FORMS: tuple[Form, ...] = ("softmax", "additive")
HEX, TIC_TAC_TOE = small_game("hex"), small_game("tic_tac_toe")


@given(
    st.sampled_from(GAMES),
    st.sampled_from(FORMS),
    st.sampled_from([(1, 12), (2, 4), (3, 3)]),
    st.integers(1, 2),
    st.integers(0, 2**32),
)
@settings(max_examples=40)
def test_a_search_finds_and_learns_the_same_as_its_twin(
    game: StateManager, form: Form, size: tuple[int, int], starting_player: int, seed: int
) -> None:
    level, iterations = size
    state = game.initial_state(starting_player)
    search = NRPA(game, level, iterations, form, seed=seed)
    result, twin = search.search(state), NaiveNRPA(game, iterations, form, seed)
    best, weights = twin.search(level, state)
    assert result.simulations == iterations**level
    strengths = np.ones_like(search._levels.policies[0])
    for (where, action), weight in weights.items():
        row = where if twin.by_ply else int(where != starting_player)
        strengths[row, action] = exp(weight) if form == "softmax" else weight
    assert search._levels.policies[0] == pytest.approx(strengths)
    assert search._rng.random() == twin.rng.random()
    if form == "additive":
        assert result.best_action == best[starting_player].actions[0]
    else:
        expected = twin.strengths(weights, state, 0)
        chances = {action: each / sum(expected.values()) for action, each in expected.items()}
        found = {action: result.distribution[action] for action in chances}
        assert found == pytest.approx(chances)


def test_successive_searches_count_equally_and_a_partial_one_counts_in_part() -> None:
    state, once = HEX.initial_state(), NRPA(HEX, 2, 5, seed=4)
    first, second = once.search(state), once.search(state)
    both = NRPA(HEX, 2, 5, simulations=50, seed=4).search(state)
    assert both.distribution == pytest.approx((first.distribution + second.distribution) / 2)
    more = NRPA(HEX, 2, 5, simulations=60, seed=4).search(state)
    part = NRPA(HEX, 2, 5, simulations=10, seed=once._rng).search(state)
    expected = (first.distribution + second.distribution + 0.4 * part.distribution) / 2.4
    assert more.distribution == pytest.approx(expected)
    assert [result.simulations for result in (first, both, more, part)] == [25, 50, 60, 10]


@pytest.mark.parametrize("form", FORMS)
def test_an_endless_search_stops_after_its_time(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second passes between two calls of the clock."""
    most, clock = 9 * nrpa_module.ROLLOUTS_BETWEEN_CHECKS, itertools.count(100.0)
    monkeypatch.setattr(nrpa_module, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    search = NRPA(HEX, 5, 1000, form, time_limit=9.0, seed=1)
    for _ in range(2):
        result = search.search(HEX.initial_state())
        assert most // 9 < result.simulations <= most
        assert 9.0 < result.seconds < 20.0


def test_a_search_without_end_or_time_stops_at_a_check() -> None:
    stops, rollouts = iter([False, False, True]), nrpa_module.ROLLOUTS_BETWEEN_CHECKS
    search, state = NRPA(HEX, 5, 1000, seed=1), HEX.initial_state()
    assert search.search(state, lambda: next(stops)).simulations == 3 * rollouts
    assert search.search(state, lambda: True).simulations == rollouts
    assert NRPA(HEX, time_limit=1e-9, seed=1).search(state).simulations == rollouts


def test_an_interrupted_search_can_be_followed_by_another() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    search = NRPA(HEX, 3, 6, seed=1)
    with pytest.raises(KeyboardInterrupt):
        search.search(HEX.initial_state(), interrupt)
    fresh = NRPA(HEX, 3, 6)
    fresh._rng.bit_generator.state = search._rng.bit_generator.state
    resumed, expected = (each.search(HEX.initial_state()) for each in (search, fresh))
    assert resumed.distribution.tolist() == expected.distribution.tolist()


def test_a_final_state_is_refused() -> None:
    with pytest.raises(StateError, match="not final"):
        NRPA(TIC_TAC_TOE).search(after(TIC_TAC_TOE, [0, 3, 1, 4, 2]))


def test_weights_stay_finite_in_a_long_game() -> None:
    nim: Any = make_game("nim", stones=120, max_take=9)
    search = NRPA(nim, 1, 1000, seed=1)
    assert np.isfinite(search.search(nim.initial_state()).distribution).all()
    assert 0.0 < search._levels.policies.min() < search._levels.policies.max() < 1e100
