"""The contract that every game keeps, as one reusable set of tests.

A game's own test is a subclass of ``GameContract`` with a fixture ``game``, or a line in the list
of ``test_games.py``.
"""

import pytest

from state_manager import StateManager
from tests.contract.errors_contract import ErrorsContract
from tests.contract.random_games import Game
from tests.contract.rules_contract import RulesContract
from tests.contract.views_contract import ViewsContract
from tests.random_play import random_game


class GameContract(RulesContract, ViewsContract, ErrorsContract):
    """All parts; a subclass supplies the fixture ``game``."""

    @pytest.fixture
    def plays(self, game: StateManager) -> list[Game]:
        """Return a few random games, started by either player."""
        return [random_game(game, seed, 1 + seed % 2) for seed in range(4)]
