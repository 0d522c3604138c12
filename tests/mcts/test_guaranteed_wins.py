"""Games with a known winner: the search must find it (IT-3105, section 4.3)."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from mcts import MCTS
from state_manager import State, StateManager, make_game

STARTS: list[tuple[str, dict[str, Any]]] = [
    ("nim", {"stones": 9, "max_take": 2}),
    ("nim", {"stones": 10, "max_take": 3}),
    ("nim", {"stones": 12, "max_take": 3}),
    ("nim", {"stones": 14, "max_take": 4}),
    ("nim", {"stones": 15, "max_take": 4}),
    ("ledge", {"board": [0, 0, 2]}),
    ("ledge", {"board": [0, 1, 0, 2]}),
    ("ledge", {"board": [1, 1, 2, 0]}),
    ("ledge", {"board": [0, 1, 0, 0, 2, 1]}),
    ("ledge", {"board": [0, 0, 1, 1, 0, 2]}),
    ("ledge", {"board": [0, 1, 0, 1, 2]}),
]
SIMULATIONS = 6000
"""Enough for these small starts; NIM with 21 stones would still make occasional mistakes."""


class Solver:
    """The winner under perfect play, by a search of every reachable position."""

    def __init__(self, game: StateManager) -> None:
        self.game = game
        self._winner = cache(self._solve)

    def winner(self, state: State) -> int:
        return self._winner(state.tobytes())

    def winning_actions(self, state: State) -> set[int]:
        mover = self.game.to_play(state)
        return {
            action for action, child in self.game.children(state) if self.winner(child) == mover
        }

    def _solve(self, packed: bytes) -> int:
        state = np.frombuffer(packed, np.int8)
        if self.game.is_final(state):
            return self.game.winner(state)
        mover = self.game.to_play(state)
        children = [child for _, child in self.game.children(state)]
        return mover if any(self.winner(child) == mover for child in children) else 3 - mover


def test_the_solver_agrees_with_the_theory_of_nim() -> None:
    """The mover loses if and only if the stones are a multiple of K + 1."""
    for max_take in (1, 2, 3, 4):
        for stones in range(max_take, 13):
            game = make_game("nim", stones=stones, max_take=max_take)
            loses = stones % (max_take + 1) == 0
            assert Solver(game).winner(game.initial_state(2)) == (1 if loses else 2)


def test_both_players_have_starts_that_they_win() -> None:
    for name in ("nim", "ledge"):
        games = [make_game(each, **params) for each, params in STARTS if each == name]
        assert {Solver(game).winner(game.initial_state()) for game in games} == {1, 2}


@pytest.mark.parametrize("starting_player", [1, 2])
@pytest.mark.parametrize(("name", "params"), STARTS, ids=str)
def test_the_player_who_can_win_wins_every_game(
    name: str, params: dict[str, object], starting_player: int
) -> None:
    """Search against search, with trees of their own: the guaranteed winner makes no mistake."""
    game = make_game(name, **params)
    expected = Solver(game).winner(game.initial_state(starting_player))
    for seed in range(2):
        players = {player: MCTS(game, SIMULATIONS, seed=10 * seed + player) for player in (1, 2)}
        state = game.initial_state(starting_player)
        while not game.is_final(state):
            action = players[game.to_play(state)].search(state).best_action
            state = game.child_state(state, action)
        assert game.winner(state) == expected


@pytest.mark.parametrize("mover", [1, 2])
@pytest.mark.parametrize(("name", "params"), STARTS, ids=str)
def test_the_search_finds_a_winning_move_wherever_there_is_one(
    name: str, params: dict[str, object], mover: int
) -> None:
    """Along random games; where all moves win, or none does, there is nothing to find."""
    game = make_game(name, **params)
    solver, rng, found = Solver(game), np.random.default_rng(1), 0
    for _ in range(3):
        state = game.initial_state(mover)
        while not game.is_final(state):
            winning = solver.winning_actions(state)
            if 0 < len(winning) < len(game.legal_actions(state)):
                assert MCTS(game, SIMULATIONS, seed=1).search(state).best_action in winning
                found += 1
            state = game.child_state(state, int(rng.choice(game.legal_actions(state))))
    assert found >= 1


def test_the_tree_that_is_kept_plays_on_to_the_win() -> None:
    game = make_game("nim", stones=14, max_take=4)
    state, search = game.initial_state(2), MCTS(game, SIMULATIONS, seed=1)
    assert Solver(game).winner(state) == 2
    rng = np.random.default_rng(1)
    while not game.is_final(state):
        if game.to_play(state) == 2:
            action = search.search(state).best_action
        else:
            action = int(rng.choice(game.legal_actions(state)))
        state = game.child_state(state, action)
    assert game.winner(state) == 2
