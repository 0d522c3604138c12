"""Participants without nets, and files of fake nets."""

from functools import partial

from agents.match import Contestant
from state_manager import StateManager, make_game
from tests.agents.fake_net import net_files
from tests.series import Pick, Picker

__all__ = ["HEX", "make_entrants", "net_files"]

HEX = make_game("hex", size=3)


def make_entrants(*picks: Pick, game: StateManager = HEX) -> list[Contestant]:
    """Return participants of episodes 0, 10, 20, ... from their choosers."""
    return [
        Contestant(f"net_{episode:02d}", partial(Picker, game, pick), episode=episode)
        for episode, pick in zip(range(0, 100, 10), picks, strict=False)
    ]
