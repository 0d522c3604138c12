"""Games with a known winner: the search must find it (IT-3105, section 4.3)."""

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import pytest

from judge import ExactPlay
from mcts import MCTS, Variant
from state_manager import State, make_game
from tests.random_play import random_game

CONNECT_FOUR = make_game("connect_four")

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


def wins_within(state: State, plies: int) -> set[int]:
    """Return the actions with which the mover wins connect four by force in at most these plies."""
    winning = set()
    for action, child in CONNECT_FOUR.children(state):
        replies = CONNECT_FOUR.children(child) if plies >= 3 else []
        if CONNECT_FOUR.winner(child) == state[0] or (
            replies and all(wins_within(reply, plies - 2) for _, reply in replies)
        ):
            winning.add(action)
    return winning


def positions_won_in_three() -> Iterator[tuple[State, set[int]]]:
    """Yield positions of random games where some moves force a win in three plies, none in one."""
    for seed in count():
        for state in random_game(CONNECT_FOUR, seed)[0][:-1]:
            winning = set() if wins_within(state, 1) else wins_within(state, 3)
            if 0 < len(winning) < len(CONNECT_FOUR.legal_actions(state)):
                yield state, winning


def test_every_win_in_three_plies_of_connect_four_is_found() -> None:
    """With this many simulations, the search finds 57 of 60 without its solver."""
    variant = Variant(solver=True).with_settings(exploration=1.4)
    for state, winning in islice(positions_won_in_three(), 30):
        result = MCTS(CONNECT_FOUR, 2_000, variant=variant, seed=1).search(state)
        assert result.best_action in winning, CONNECT_FOUR.text(state)
