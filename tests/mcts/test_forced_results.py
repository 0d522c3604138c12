"""Games with a known winner: the search must find it (IT-3105, section 4.3)."""

from typing import Any

import pytest

from judge import ExactPlay
from mcts import MCTS
from state_manager import make_game

STARTS: list[tuple[str, dict[str, Any], int]] = [
    ("nim", {"stones": 14, "max_take": 4}, 6_000),
    ("ledge", {"board": [0, 1, 0, 0, 2, 1]}, 6_000),
    ("ledge", {"board": [0, 1, 0, 1, 2]}, 6_000),
    ("tic_tac_toe", {}, 2_000),
    ("hexapawn", {}, 500),
    ("connect_four", {"rows": 4, "columns": 4}, 20_000),
    ("hex", {"size": 4}, 20_000),
]
"""With simulations that are enough; NIM with 21 stones would still make occasional mistakes."""


@pytest.mark.parametrize("starting_player", [1, 2])
@pytest.mark.parametrize(("name", "params", "simulations"), STARTS, ids=str)
def test_search_against_search_ends_as_perfect_play_does(
    name: str, params: dict[str, Any], simulations: int, starting_player: int
) -> None:
    """With trees of their own: the guaranteed winner makes no mistake."""
    game = make_game(name, **params)
    state = game.initial_state(starting_player)
    expected = ExactPlay(game).outcome(state)
    players = {player: MCTS(game, simulations, seed=player) for player in (1, 2)}
    while not game.is_final(state):
        action = players[game.to_play(state)].search(state).best_action
        state = game.child_state(state, action)
    assert game.winner(state) == expected
