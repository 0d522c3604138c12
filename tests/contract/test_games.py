"""Every game, in several sizes, keeps the contract. A new game's test is a line in ``GAMES``."""

from functools import partial
from typing import Any

import pytest

from state_manager import StateManager, make_game
from tests.contract.game_contract import GameContract


def game(name: str, **params: Any) -> Any:
    """Return a game that is made, and compiled, only when a test asks for it."""
    words = [f"{key}={value}".replace(" ", "") for key, value in params.items()]
    return pytest.param(partial(make_game, name, **params), id=" ".join([name, *words]))


GAMES = [
    game("hex", size=3),
    game("hex", size=4),
    game("hex", size=7),
    game("hex", size=19),
    game("hex", size=3, swap=True),
    game("hex", size=5, swap=True),
    game("nim", stones=1, max_take=1),
    game("nim", stones=10, max_take=3),
    game("nim", stones=6, max_take=6),
    game("nim", stones=120, max_take=7),
    game("ledge", board=[2]),
    game("ledge", board=[0, 0, 0, 2]),
    game("ledge", board=[1, 2, 1, 1]),
    game("ledge"),
    game("ledge", board=[0] * 56 + [1, 0, 2, 1]),
    game("tic_tac_toe"),
    game("connect_four"),
    game("connect_four", rows=4, columns=4),
    game("connect_four", rows=10, columns=10),
    game("connect_four", rows=4, columns=9),
    game("hexapawn"),
]


class TestGames(GameContract):
    @pytest.fixture(params=GAMES)
    def game(self, request: pytest.FixtureRequest) -> StateManager:
        made: StateManager = request.param()
        return made
