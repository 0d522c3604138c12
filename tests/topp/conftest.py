"""Participants without nets, and files of fake nets."""

from collections.abc import Callable

import numpy as np
import pytest

from agents import Agent, foreign
from agents.match import Contestant
from state_manager import StateManager, make_game
from tests.agents.fake_net import net_files

__all__ = ["net_files"]

Chooser = Callable[[list[int], np.random.Generator], int]


def lowest(actions: list[int], rng: np.random.Generator) -> int:
    return actions[0]


def highest(actions: list[int], rng: np.random.Generator) -> int:
    return actions[-1]


def anything(actions: list[int], rng: np.random.Generator) -> int:
    return int(rng.choice(actions))


PICKS: dict[str, Chooser] = {"lowest": lowest, "highest": highest, "anything": anything}


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)


@pytest.fixture
def make_entrants(hex_game: StateManager) -> Callable[..., list[Contestant]]:
    """Return a function from names of choosers to participants of episodes 0, 10, 20, ..."""

    def make(*picks: str, game: StateManager = hex_game) -> list[Contestant]:
        def agent_of(pick: str) -> Callable[[np.random.SeedSequence], Agent]:
            def agent(seed: np.random.SeedSequence) -> Agent:
                rng = np.random.default_rng(seed)
                return foreign(lambda state: PICKS[pick](game.legal_actions(state).tolist(), rng))

            return agent

        names = [f"net_{10 * number:02d}" for number in range(len(picks))]
        return [
            Contestant(name, agent_of(pick), episode=10 * number)
            for number, (name, pick) in enumerate(zip(names, picks, strict=True))
        ]

    return make
