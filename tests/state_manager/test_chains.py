"""Positions of Hex that chains of bridges decide: examples, the twin, and the exact judge."""

import numpy as np
import pytest

from judge import Judge
from state_manager import State, StateManager, make_game
from tests.state_manager import naive_hex as naive
from tests.state_manager.naive_chains import winner_by_chains


def positions(game: StateManager, count: int, seed: int, least: float = 0.0) -> list[State]:
    """Return positions of random games, filled to a share of ``least`` or more."""
    rng = np.random.default_rng(seed)
    found: list[State] = []
    while len(found) < count:
        state = game.initial_state(1 + int(rng.integers(2)))
        for _ in range(int(game.max_plies * rng.uniform(least, 1))):
            child = game.child_state(state, int(rng.choice(game.legal_actions(state))))
            if game.is_final(child):
                break
            state = child
        found.append(state)
    return found


BRIDGES = """
. . . . .
. . . 1 .
. . . . .
. . 1 . .
. . . . ."""
TEMPLATE = """
. . . . . .
. . . . . .
. . . 1 . .
. . . 1 . .
. . . . . .
. . . . . ."""
NEEDED = """
. . . . .
. . 1 . .
. . . . .
. . . . .
. . 1 . ."""


INTRUDED = BRIDGES.replace(". . . . .\n. . 1 . .", ". . 2 . .\n. . 1 . .", 1)
"""A stone is in two links at once."""


@pytest.mark.parametrize(
    ("drawing", "to_play", "winner"),
    [
        *((drawing, to_play, 1) for drawing in (BRIDGES, TEMPLATE) for to_play in (1, 2)),
        (NEEDED, 1, 1),
        (NEEDED, 2, 0),
        (INTRUDED, 2, 2),
    ],
)
def test_a_chain_wins_for_any_mover_a_key_for_one(drawing: str, to_play: int, winner: int) -> None:
    board = naive.drawn(drawing)
    game = make_game("hex", size=len(board))
    assert game.rules.proven_winner(game.from_flat(naive.flat(board, to_play))) == winner


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 9, 19])
def test_the_winner_is_the_twins(size: int) -> None:
    game, known = make_game("hex", size=size), 0
    for state in positions(game, max(24, 240 // size), size):
        expected = winner_by_chains(naive.board_of(state, size), int(state[0]))
        assert game.rules.proven_winner(state) == expected, game.text(state)
        known += expected != 0
    assert known > 10


@pytest.mark.parametrize(("size", "count", "least"), [(4, 300, 0), (5, 200, 0), (6, 100, 0.2)])
def test_no_proof_is_wrong(size: int, count: int, least: float) -> None:
    game, known = make_game("hex", size=size), 0
    judge = Judge(game)
    for state in positions(game, count, size, least):
        before = state.tobytes()
        if found := game.rules.proven_winner(state):
            assert found == judge.winner(state), game.text(state)
            known += 1
        assert state.tobytes() == before
    assert known > count / 3


def test_nothing_is_proven_before_the_swap_is_over() -> None:
    game = make_game("hex", size=3, swap=True)
    state = game.initial_state()
    assert game.rules.proven_winner(state) == 0
    state = game.child_state(state, 4)
    assert game.rules.proven_winner(state) == 0  # the mover may take the stone over
    assert game.rules.proven_winner(game.child_state(state, 9)) == state[0]
