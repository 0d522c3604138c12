"""Hex on small boards: the search must find the known winning moves."""

from functools import cache

import numpy as np
import pytest

from mcts import MCTS
from mcts.tree import ROOT
from state_manager import StateManager, make_game

SHORT_DIAGONAL = {(0, 3), (1, 2), (2, 1), (3, 0)}


def root_value(search: MCTS) -> float:
    """Return the mean value of all simulations, seen from player 1."""
    edges = slice(0, int(search.tree.nodes[ROOT].edge_count))
    return float(
        np.average(search.tree.edges[edges].q_value, weights=search.tree.edges[edges].visit_count)
    )


def test_the_winning_openings_on_4x4_are_the_short_diagonal() -> None:
    """Each opening is searched; its value's sign is the winner. Seed and simulations are fixed."""
    game = make_game("hex", size=4)
    winning = set()
    for opening in range(16):
        search = MCTS(game, simulations=50_000, seed=1)
        search.search(game.child_state(game.initial_state(), opening))
        if root_value(search) > 0:
            winning.add(divmod(opening, 4))
    assert winning == SHORT_DIAGONAL


@pytest.mark.parametrize("player", [1, 2])
def test_the_search_opens_4x4_on_the_short_diagonal(player: int) -> None:
    game = make_game("hex", size=4)
    result = MCTS(game, simulations=20_000, seed=1).search(game.initial_state(player))
    assert divmod(result.best_action, 4) in SHORT_DIAGONAL


def solved_openings(game: StateManager) -> set[int]:
    """Return player 1's winning openings on 3x3, by a search of every position."""

    @cache
    def winner(flat: tuple[int, ...]) -> int:
        state = game.from_flat(flat)
        if game.is_final(state):
            return game.winner(state)
        mover = game.to_play(state)
        results = (winner(tuple(game.to_flat(child))) for _, child in game.children(state))
        return mover if mover in results else 3 - mover

    children = game.children(game.initial_state())
    return {action for action, child in children if winner(tuple(game.to_flat(child))) == 1}


def test_the_search_evaluates_every_opening_on_3x3_correctly() -> None:
    game = make_game("hex", size=3)
    expected = solved_openings(game)
    assert 0 < len(expected) < 9
    found = set()
    for opening in range(9):
        search = MCTS(game, simulations=5_000, seed=1)
        search.search(game.child_state(game.initial_state(), opening))
        if root_value(search) > 0:
            found.add(opening)
    assert found == expected


@pytest.mark.parametrize(
    ("flat", "winning"),
    [
        ([1, 0, 1, 0, 0, 1, 0, 0, 0, 2], {6, 7}),
        ([2, 0, 0, 0, 2, 2, 0, 1, 1, 0], {2, 5}),
    ],
)
def test_a_move_that_wins_at_once_is_found_and_no_other_is_searched(
    flat: list[int], winning: set[int]
) -> None:
    game = make_game("hex", size=3)
    state = game.from_flat(flat)
    at_once = {action for action, child in game.children(state) if game.is_final(child)}
    assert at_once == winning
    result = MCTS(game, simulations=1_000, seed=1).search(state)
    assert result.best_action in winning
    assert np.abs(result.q_values[sorted(winning)]).min() == 1.0
