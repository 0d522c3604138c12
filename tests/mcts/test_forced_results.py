"""Games with a known winner: the search must find it (IT-3105, section 4.3)."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from judge import ExactPlay
from mcts import MCTS, Variant
from state_manager import State, StateManager, make_game
from tests.mcts.trees import after

CONNECT_FOUR = make_game("connect_four")
STARTS: list[tuple[str, dict[str, Any], int]] = [
    ("nim", {"stones": 9, "max_take": 2}, 6_000),
    ("nim", {"stones": 12, "max_take": 3}, 6_000),
    ("nim", {"stones": 14, "max_take": 4}, 6_000),
    ("ledge", {"board": [0, 1, 0, 2]}, 6_000),
    ("ledge", {"board": [0, 1, 0, 0, 2, 1]}, 6_000),
    ("ledge", {"board": [0, 0, 1, 1, 0, 2]}, 6_000),
    ("ledge", {"board": [0, 1, 0, 1, 2]}, 6_000),
    ("tic_tac_toe", {}, 2_000),
    ("hexapawn", {}, 500),
    ("connect_four", {"rows": 4, "columns": 4}, 20_000),
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


def wins_within(game: StateManager, state: State, plies: int) -> set[int]:
    """Return the actions with which the mover wins by force in at most these plies."""
    mover, winning = game.to_play(state), set()
    for action, child in game.children(state):
        if game.is_final(child):
            if game.winner(child) == mover:
                winning.add(action)
        elif plies >= 3 and all(
            not game.is_final(reply) and wins_within(game, reply, plies - 2)
            for _, reply in game.children(child)
        ):
            winning.add(action)
    return winning


@cache
def positions_won_in_three(count: int) -> list[tuple[State, set[int]]]:
    """Return positions of random play where some moves force a win in three plies, none in one."""
    rng, found = np.random.default_rng(1), dict[bytes, tuple[State, set[int]]]()
    while len(found) < count:
        state = CONNECT_FOUR.initial_state(int(rng.integers(1, 3)))
        while not CONNECT_FOUR.is_final(state):
            if not wins_within(CONNECT_FOUR, state, 1):
                winning = wins_within(CONNECT_FOUR, state, 3)
                if 0 < len(winning) < len(CONNECT_FOUR.legal_actions(state)):
                    found[state.tobytes()] = (state, winning)
            state = CONNECT_FOUR.child_state(
                state, int(rng.choice(CONNECT_FOUR.legal_actions(state)))
            )
    return list(found.values())[:count]


@pytest.mark.parametrize(
    ("simulations", "solver", "count"), [(20_000, False, 10), (2_000, True, 30)]
)
def test_every_win_in_three_plies_of_connect_four_is_found(
    simulations: int, solver: bool, count: int
) -> None:
    """With c = 1 a slower forced win is chosen in 3 positions of 60, with c = 1.4 in none.

    The solver needs a tenth of the simulations, with which the search alone finds 57 of 60.
    """
    variant = Variant(solver=solver).with_settings(exploration=1.4)
    for state, winning in positions_won_in_three(30)[:count]:
        result = MCTS(CONNECT_FOUR, simulations, variant=variant, seed=1).search(state)
        assert result.best_action in winning, CONNECT_FOUR.text(state)


@pytest.mark.parametrize(
    ("size", "simulations", "winning"),
    [(3, 5_000, {2, 3, 4, 5, 6}), (4, 20_000, {3, 6, 9, 12})],  # 4x4: the short diagonal
)
def test_the_search_evaluates_every_opening_of_hex_correctly(
    size: int, simulations: int, winning: set[int]
) -> None:
    game, found = make_game("hex", size=size), set()
    for opening in range(size**2):
        result = MCTS(game, simulations, seed=1).search(after(game, [opening]))
        if np.average(result.q_values, weights=result.visit_counts) > 0:
            found.add(opening)
    assert found == winning
