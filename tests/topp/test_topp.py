"""The tournament: schedule, openings, counts, and the results after an interrupt."""

from collections import Counter
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from agents import Agent
from agents.match import Contestant, ScoredGame
from agents.match.arena import round_robin
from base.params import TOPPParams
from tests.series import Titles, anything, highest, lowest
from tests.topp.conftest import HEX, make_entrants
from topp import TOPP, Standings

greedy = partial(TOPPParams, action_choice="greedy")
probabilistic = partial(TOPPParams, action_choice="probabilistic")


def played(topp: TOPP) -> Standings:
    topp.play()
    return topp.results()


@pytest.mark.parametrize("entrants", range(2, 12))
def test_each_pair_meets_once_as_first_and_second_side_in_turn(entrants: int) -> None:
    pairs, joined = round_robin(entrants), {0}
    assert sorted(map(sorted, pairs)) == sorted(map(list, combinations(range(entrants), 2)))
    for entrant in range(entrants):
        places = [pair.index(entrant) for pair in pairs if entrant in pair]
        assert abs(places.count(0) - places.count(1)) <= 1
    for pair in pairs:  # after any series, all players so far are connected to the first
        assert joined & set(pair)
        joined |= set(pair)


@pytest.mark.parametrize("games", [1, 2, 3, 4, 7, 10])
def test_every_pair_plays_one_series_with_colours_and_starts_balanced(games: int) -> None:
    topp = TOPP(HEX, make_entrants(*[anything] * 4), probabilistic(games=games), seed=1)
    standings = played(topp)
    assert len(topp.pairs) == 6
    assert topp.total_games == len(topp.records) == standings.total == 6 * games
    assert standings.planned == 6 * games
    for low, high in combinations(range(4), 2):
        series = [game for game in topp.records if set(game.places) == {low, high}]
        assert len(series) == games
        reds = Counter(game.places[0] for game in series)
        starts = Counter(game.places[game.record.starting_player - 1] for game in series)
        assert abs(reds[low] - reds[high]) <= 1
        assert abs(starts[low] - starts[high]) <= 1
        assert standings.games[low][high] == standings.games[high][low] == games


def test_greedy_play_starts_each_pair_of_games_from_another_opening_with_both_sides_in_turn() -> (
    None
):
    topp = TOPP(HEX, make_entrants(lowest, highest, lowest), greedy(games=18), seed=3)
    standings = played(topp)
    for pair in ({0, 1}, {0, 2}, {1, 2}):
        series = [game for game in topp.records if set(game.places) == pair]
        for one, other in zip(series[0::2], series[1::2], strict=True):
            assert one.record.starting_player == other.record.starting_player
            assert one.places == other.places[::-1]
        openings = [game.record.opening for game in series]
        assert openings[0::2] == openings[1::2]
        assert {opening[0] for opening in openings} == set(range(9))
    assert standings.setup.openings == 9


def test_epsilon_greedy_without_chance_gets_openings_too() -> None:
    entrants = make_entrants(lowest, highest)
    without = TOPPParams(games=4, action_choice="epsilon_greedy", epsilon=0.0)
    with_chance = TOPPParams(games=4, action_choice="epsilon_greedy", epsilon=0.2)
    assert played(TOPP(HEX, entrants, without)).setup.openings == 2
    assert played(TOPP(HEX, entrants, with_chance)).setup.openings == 0


def test_every_side_of_every_series_has_random_numbers_of_its_own() -> None:
    seeds: list[tuple[int, ...]] = []

    def noting(entrant: Contestant) -> Contestant:
        def agent(seed: np.random.SeedSequence) -> Agent:
            seeds.append(tuple(seed.generate_state(4).tolist()))
            return entrant.agent(seed)

        return Contestant(entrant.name, agent)

    TOPP(HEX, [noting(each) for each in make_entrants(*[lowest] * 4)], greedy(games=1)).play()
    assert len(seeds) == len(set(seeds)) == 12


def test_the_seed_fixes_the_games_and_a_series_does_not_depend_on_those_before_it() -> None:
    def records(games: int, seed: int) -> list[ScoredGame]:
        topp = TOPP(HEX, make_entrants(*[anything] * 3), probabilistic(games=games), seed=seed)
        topp.play()
        return topp.records

    short, long = records(2, 8), records(6, 8)
    assert records(6, 8) == long != records(6, 9)
    for pair in ({0, 1}, {0, 2}, {1, 2}):
        of_short, of_long = (
            [game for game in games if set(game.places) == pair] for games in (short, long)
        )
        assert of_long[:2] == of_short


def test_entrants_are_put_in_order_of_training() -> None:
    entrants = make_entrants(lowest, highest, anything)
    topp = TOPP(HEX, entrants[::-1], greedy(games=2))
    assert [entrant.episode for entrant in topp.contestants] == [0, 10, 20]
    unknown = [*entrants[::-1], Contestant("guest", entrants[0].agent)]
    topp = TOPP(HEX, unknown, greedy(games=2))
    assert [entrant.name for entrant in topp.contestants] == ["net_20", "net_10", "net_00", "guest"]


def test_callers_receive_each_game_and_those_without_an_observer_are_the_same() -> None:
    def play(first: int) -> tuple[list[ScoredGame], list[str]]:
        topp, listener = TOPP(HEX, make_entrants(*[anything] * 3), drawn, seed=4), Titles()
        results = list[ScoredGame]()
        topp.watch_first(first)
        assert sum(place in topp.watched for place in range(topp.total_games)) == 3 * min(first, 5)
        topp.play(observers=[listener], on_result=results.append)
        assert results == topp.records
        return topp.records, listener.titles

    drawn = probabilistic(games=5)
    assert play(0) == play(1) == play(9)
    assert play(9)[1][5:7] == [
        "net_20 against net_00, game 1 of 5",
        "net_20 against net_00, game 2 of 5",
    ]
