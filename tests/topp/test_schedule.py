"""The schedule: every pair once, colours and starts shared out evenly."""

from itertools import combinations

import pytest

from agents.match.arena import round_robin, seats


def test_a_pair_of_games_changes_places_and_the_next_pair_the_starting_colour() -> None:
    assert [seats(number) for number in range(5)] == [
        (True, 1),
        (False, 1),
        (True, 2),
        (False, 2),
        (True, 1),
    ]


@pytest.mark.parametrize("entrants", range(2, 12))
def test_each_pair_meets_once(entrants: int) -> None:
    pairs = round_robin(entrants)
    assert sorted(map(sorted, pairs)) == sorted(map(list, combinations(range(entrants), 2)))


@pytest.mark.parametrize("entrants", range(2, 12))
def test_each_entrant_is_the_first_side_as_often_as_the_second(entrants: int) -> None:
    pairs = round_robin(entrants)
    for entrant in range(entrants):
        first = sum(pair[0] == entrant for pair in pairs)
        second = sum(pair[1] == entrant for pair in pairs)
        assert abs(first - second) <= 1


@pytest.mark.parametrize("entrants", range(2, 12))
def test_after_any_series_all_players_so_far_are_connected_to_the_first(entrants: int) -> None:
    joined = {0}
    for pair in round_robin(entrants):
        assert joined & set(pair)
        joined |= set(pair)
