"""Two small games, and files of fake nets."""

import pytest

from state_manager import StateManager, make_game
from tests.agents.fake_net import net_files

__all__ = ["net_files"]


@pytest.fixture
def nim() -> StateManager:
    return make_game("nim", stones=9, max_take=3)


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)
