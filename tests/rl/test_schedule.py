"""Schedules: the settings that change during a game or a run."""

from __future__ import annotations

import pytest

from rl import schedule
from rl.schedule import Progress
from tests.rl.conftest import make_system


@pytest.mark.parametrize(
    ("growth", "expected"), [(1.0, [100, 100, 100]), (1.5, [100, 150, 225]), (0.5, [100, 50, 25])]
)
def test_simulations_grow_by_a_factor_with_each_move(growth: float, expected: list[int]) -> None:
    params = make_system("mcts.simulations=100", f"mcts.simulations_growth={growth}").params
    assert [schedule.simulations(params, ply) for ply in range(3)] == expected


def test_simulations_stay_within_limits() -> None:
    shrinking = make_system("mcts.simulations=3", "mcts.simulations_growth=0.5").params
    assert schedule.simulations(shrinking, 168) == 1
    growing = make_system("mcts.simulations=10000000", "mcts.simulations_growth=4").params
    assert schedule.simulations(growing, 168) == schedule.MAX_SIMULATIONS


def test_rollout_epsilon_and_sigma_decay_from_the_first_episode_on() -> None:
    params = make_system(
        "mcts.rollout_epsilon=0.8",
        "mcts.rollout_epsilon_decay=0.5",
        "anet.critic=true",
        "rl.sigma=0.5",
        "rl.sigma_decay=0",
    ).params
    assert [schedule.rollout_epsilon(params, n) for n in (1, 2, 3)] == [0.8, 0.4, 0.2]
    assert [schedule.sigma(params, n) for n in (1, 2, 3)] == [0.5, 0.0, 0.0]
    assert 0.0 <= schedule.rollout_epsilon(params, 10_000_000) < 1e-9


def test_the_learning_rate_falls_linearly_to_its_end() -> None:
    def shares(*words: str) -> list[float]:
        params = make_system("rl.episodes=10", *words).params
        return [schedule.learning_rate(params, Progress(done, 10)) for done in (0, 5, 10, 12)]

    assert shares() == [1.0] * 4
    assert shares("anet.learning_rate_end=0.2") == pytest.approx([1.0, 0.6, 0.2, 0.2])
    earlier = shares("anet.learning_rate_end=0.2", "anet.learning_rate_end_at=0.75")
    assert earlier == pytest.approx([1.0, 1.0 - 0.8 / 1.5, 0.2, 0.2])
