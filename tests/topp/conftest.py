"""Participants without nets, and files of fake nets."""

from collections.abc import Callable
from functools import partial

import pytest

from agents.match import Contestant
from state_manager import StateManager, make_game
from tests.agents.fake_net import net_files
from tests.series import Pick, Picker

__all__ = ["net_files"]


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)


@pytest.fixture
def make_entrants(hex_game: StateManager) -> Callable[..., list[Contestant]]:
    """Return a function from choosers to participants of episodes 0, 10, 20, ..."""

    def make(*picks: Pick, game: StateManager = hex_game) -> list[Contestant]:
        return [
            Contestant(f"net_{episode:02d}", partial(Picker, game, pick), episode=episode)
            for episode, pick in zip(range(0, 100, 10), picks, strict=False)
        ]

    return make
