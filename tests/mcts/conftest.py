"""The games of most tests of the search."""

import pytest

from state_manager import StateManager, make_game


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=4)


@pytest.fixture
def tic_tac_toe() -> StateManager:
    return make_game("tic_tac_toe")
