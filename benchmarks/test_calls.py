"""What one call from Python costs: ``python -m pytest benchmarks``, with pytest-benchmark.

Everything but compiled code goes through these methods, so they bound how fast a game can be
played, shown or checked. ``speed.py`` measures what happens inside.
"""

from __future__ import annotations

from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from anet import ANET
from base.params import ANETParams
from mcts import MCTS
from state_manager import StateManager, make_game

GAMES: dict[str, dict[str, Any]] = {
    "hex": {"size": 7},
    "nim": {"stones": 21, "max_take": 4},
    "ledge": {"board": [0, 1, 0, 2, 1, 0, 1]},
}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> StateManager:
    """Each game in turn."""
    return make_game(request.param, **GAMES[request.param])


@pytest.mark.parametrize("call", ["legal_actions", "observation"])
def test_first_state(benchmark: BenchmarkFixture, game: StateManager, call: str) -> None:
    """The legal actions of the first state, and what a net sees of it."""
    assert benchmark(getattr(game, call), game.initial_state()).size


def test_child_state(benchmark: BenchmarkFixture, game: StateManager) -> None:
    """One move, checked."""
    state = game.initial_state()
    action = int(game.legal_actions(state)[0])
    assert benchmark(game.child_state, state, action) is not state


def test_policy_of_a_net(benchmark: BenchmarkFixture, game: StateManager) -> None:
    """The distribution that a 64-64 net gives for one state."""
    net = ANET(game, ANETParams(hidden_layers=(64, 64)), seed=1)
    assert benchmark(net.policy, game.initial_state()).sum() == pytest.approx(1)


def test_search_of_500_simulations(benchmark: BenchmarkFixture, game: StateManager) -> None:
    """A search from a new tree, with uniform rollouts."""
    search = MCTS(game, simulations=500)
    state = game.initial_state()

    def search_anew() -> int:
        search.reset()
        return int(search.search(state).visit_counts.sum())

    assert benchmark(search_anew) == 500
