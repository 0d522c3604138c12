"""Exact play against a slow twin, and against known results."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import ExactPlay
from state_manager import DRAW, NodeLimitError, State, StateManager, make_game

GAMES = (
    make_game("hex", size=3),
    make_game("tic_tac_toe"),
    make_game("hexapawn"),
    make_game("nim", stones=12, max_take=4),
    make_game("ledge", board=[0, 1, 1, 0, 2, 0, 1]),
)
VALUES = {1: 1, 2: -1, DRAW: 0}
SOLVED = {game: ExactPlay(game) for game in GAMES}


@cache
def twin(game: StateManager, flat: tuple[int, ...]) -> int:
    """Return the value for player 1 (see ``VALUES``), by the definition."""
    state = game.from_flat(flat)
    if game.is_final(state):
        return VALUES[game.winner(state)]
    values = [twin(game, tuple(game.to_flat(child))) for _, child in game.children(state)]
    return max(values) if game.to_play(state) == 1 else min(values)


@st.composite
def positions(draw: st.DrawFn) -> tuple[StateManager, State]:
    """Draw a position of random play, which may be final."""
    game = draw(st.sampled_from(GAMES))
    state = game.initial_state(draw(st.sampled_from([1, 2])))
    for _ in range(draw(st.integers(3, 9))):
        if not game.is_final(state):
            state = game.child_state(state, draw(st.sampled_from(list(game.legal_actions(state)))))
    return game, state


@given(positions())
def test_values_and_best_actions_are_as_defined(position: tuple[StateManager, State]) -> None:
    game, state = position
    value = twin(game, tuple(game.to_flat(state)))
    assert VALUES[SOLVED[game].outcome(state)] == value
    assert SOLVED[game].best_actions(state) == {
        action
        for action, child in game.children(state)
        if twin(game, tuple(game.to_flat(child))) == value
    }


@pytest.mark.parametrize(
    ("game", "outcome"),
    [
        (make_game("hex", size=3), 1),
        (make_game("tic_tac_toe"), DRAW),
        (make_game("hexapawn"), 2),
        (make_game("nim", stones=21, max_take=4), 1),
        (make_game("nim", stones=20, max_take=4), 2),
        (make_game("connect_four", rows=4, columns=4), DRAW),
    ],
    ids=repr,
)
def test_the_starting_player_gets_the_known_outcome(game: StateManager, outcome: int) -> None:
    assert ExactPlay(game).outcome(game.initial_state(1)) == outcome
    other = DRAW if outcome == DRAW else 3 - outcome
    assert ExactPlay(game).outcome(game.initial_state(2)) == other


def test_a_game_with_too_many_positions_or_moves_is_refused_with_its_name() -> None:
    game = make_game("hex", size=5)
    exact = ExactPlay(game, limit=1_000)
    message = r"exact play: expected a game of 1,000 positions at most, got hex\(size=5\)"
    for _ in range(2):
        with pytest.raises(NodeLimitError, match=message):
            exact.outcome(game.initial_state())
    game = make_game("ledge", board=[0] * 30 + [1] * 29 + [2])
    with pytest.raises(NodeLimitError, match="exact play: expected games that are shorter, got l"):
        ExactPlay(game).outcome(game.initial_state())


def test_the_limit_holds_for_each_call_alone() -> None:
    game = make_game("tic_tac_toe")
    exact = ExactPlay(game, limit=900)
    assert exact.outcome(game.initial_state()) == DRAW
    assert all(exact.outcome(child) == DRAW for _, child in game.children(game.initial_state()))
