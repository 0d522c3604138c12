"""Openings: legal, different, from both sides, the same for the same seed."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.match.openings import Opening, iterate_openings, varied_openings
from state_manager import State, StateManager, make_game

GAMES = {
    "hex": make_game("hex", size=3),
    "nim": make_game("nim", stones=9, max_take=3),
    "ledge": make_game("ledge", board=[0, 1, 0, 0, 2, 0, 1]),
}


def state_after(game: StateManager, opening: Opening, starting_player: int = 1) -> State:
    state = game.initial_state(starting_player)
    for action in opening:
        state = game.child_state(state, action)
    return state


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("starting_player", [1, 2])
def test_openings_lead_to_different_positions_in_which_the_game_goes_on(
    name: str, starting_player: int
) -> None:
    openings = list(iterate_openings(GAMES[name], starting_player))
    states = [state_after(GAMES[name], opening, starting_player) for opening in openings]
    assert not any(GAMES[name].is_final(state) for state in states)
    assert len({state.tobytes() for state in states}) == len(openings) == len(set(openings)) > 0


def test_hex_has_each_first_stone_then_each_with_every_reply() -> None:
    openings = list(iterate_openings(GAMES["hex"], seed=7))
    assert Counter(map(len, openings)) == {1: 9, 2: 72, 3: 252, 4: 756}
    assert [len(opening) for opening in openings] == sorted(map(len, openings))
    assert {opening[0] for opening in openings[:9]} == set(range(9))
    assert set(Counter(opening[0] for opening in openings[9 : 9 + 3 * 9]).values()) == {3}


@pytest.mark.parametrize("games", [1, 2, 17, 18])
def test_each_first_stone_is_played_from_both_sides_before_any_comes_again(games: int) -> None:
    starters = [1 + number % 2 for number in range(games)]
    openings = varied_openings(GAMES["hex"], starters, seed=1)
    assert len(openings) == games
    assert openings[0::2][: games // 2] == openings[1::2]
    assert len(set(openings)) == (games + 1) // 2
    assert {len(opening) for opening in openings} == {1}


def test_after_the_first_stones_come_openings_of_two_moves() -> None:
    openings = varied_openings(GAMES["hex"], [1, 2] * 15, seed=1)
    assert [len(opening) for opening in openings] == [1] * 18 + [2] * 12
    assert set(Counter(openings).values()) == {2}
    assert set(Counter(varied_openings(GAMES["hex"], [2] * 80)).values()) == {2}


def test_openings_repeat_after_the_last_one() -> None:
    nim = make_game("nim", stones=3, max_take=2)
    openings = varied_openings(nim, [1] * 12)
    assert set(openings) == {(0,), (1,), (0, 0)}
    assert openings[:6] == openings[6:]


def test_a_game_that_ends_with_the_first_move_has_no_openings() -> None:
    nim = make_game("nim", stones=1, max_take=1)
    assert list(iterate_openings(nim)) == []
    assert varied_openings(nim, [1, 2]) == ((), ())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), games=st.integers(0, 30))
def test_the_seed_fixes_the_openings(seed: int, games: int) -> None:
    starters = [1, 2] * games
    once = varied_openings(GAMES["hex"], starters, seed)
    again = varied_openings(GAMES["hex"], starters, np.random.SeedSequence(seed))
    assert once == again
    assert len({varied_openings(GAMES["hex"], [1] * 18, seed) for seed in range(5)}) == 5


def test_players_with_different_first_moves_get_their_own() -> None:
    game, starters = make_game("hexapawn"), [1, 2] * 4
    openings = varied_openings(game, starters)
    for starter, opening in zip(starters, openings, strict=True):
        state_after(game, opening, starter)
    assert not {opening[0] for opening in openings[0::2]} & {each[0] for each in openings[1::2]}
