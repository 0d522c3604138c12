"""A small untrained net, and positions of its games."""

import numpy as np
import pytest

from analysis import ComparedPosition, Comparison, compare_with_search, self_play
from anet import ANET
from anet.evaluator import Evaluator
from base.params import ANETParams
from state_manager import make_game

SIMULATIONS, EXPLORATION = SETUP = 60, 1.0


def games_of(net: Evaluator, games: int, seed: int = 1) -> list[ComparedPosition]:
    """Return the positions of some games; players take turns to start."""
    return [
        position
        for number in range(games)
        for position in self_play(
            net, number, 1 + number % 2, np.random.SeedSequence(seed, spawn_key=(number,))
        )
    ]


@pytest.fixture(scope="session")
def net() -> Evaluator:
    """Return an untrained net with a critic for Hex on 3x3."""
    params = ANETParams(hidden_layers=(8,), critic=True)
    return ANET(make_game("hex", size=3), params, seed=3).exact


@pytest.fixture(scope="session")
def comparisons(net: Evaluator) -> list[Comparison]:
    """Return its positions of six games, each beside a search."""
    return compare_with_search(net, games_of(net, 6), *SETUP, seed=1)
