"""Small games, states of them, and nets with weights large enough to matter."""

import pytest

from anet import ANET
from base.params import ANETParams
from state_manager import State, StateManager, make_game
from tests.random_play import random_game

GAMES: dict[str, dict[str, object]] = {
    "hex": {"size": 4},
    "nim": {"stones": 9, "max_take": 3},
    "ledge": {"board": [0, 1, 0, 1, 2, 1, 0]},
}
BOARDS: dict[str, dict[str, object]] = {
    "hex": {"size": 3},
    "tic_tac_toe": {},
    "connect_four": {"rows": 4, "columns": 5},
    "hexapawn": {},
}
"""Games whose boards can be laid out in planes."""


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> StateManager:
    return make_game(request.param, **GAMES[request.param])


@pytest.fixture
def hex_game() -> StateManager:
    return make_game("hex", size=3)


def states_of(game: StateManager, games: int = 2) -> list[State]:
    """Return all states that are not final of some random games, both players starting."""
    return [
        state
        for number in range(games)
        for state in random_game(game, seed=number, starting_player=1 + number % 2)[0][:-1]
    ]


def lively_net(game: StateManager, factor: float = 3.0, seed: int = 1, **params: object) -> ANET:
    """Return a net whose weights are ``factor`` times those of a fresh one."""
    net = ANET(game, ANETParams.model_validate(params), seed=seed)
    _, tensors = net.state()
    net.restore({name: tensor * factor for name, tensor in tensors.items()}, episode=0)
    return net
