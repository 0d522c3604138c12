"""The arena: its pairs, its results, and that threads change nothing."""

import json
import math
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from agents import foreign
from agents.match import Arena, Contestant, Results, WonStarts, wilson_interval
from agents.match.scores import results_of
from judge import shared_judge
from state_manager import StateManager, make_game
from state_manager.sides import sides_of
from tests.project import ROOT
from tests.series import Pick, Picker, anything, lowest


def contestants(game: StateManager, *picks: Pick) -> list[Contestant]:
    return [
        Contestant(f"player {place}", partial(Picker, game, pick), f"word {place}")
        for place, pick in enumerate(picks)
    ]


@pytest.fixture
def game() -> StateManager:
    return make_game("hex", size=3)


def played(arena: Arena, workers: int = 1) -> Results:
    arena.play(workers)
    return arena.results()


def without_times(results: Results) -> dict[str, Any]:
    data = results.to_json()
    for row in data["agents"]:
        row["effort"].pop("seconds")
        row["effort"].pop("seconds_per_move")
    return data


def test_each_pair_plays_each_first_move_from_both_sides(game: StateManager) -> None:
    arena = Arena(game, contestants(game, anything, anything, anything))
    results = played(arena)
    assert (arena.games_per_pair, arena.total_games, results.total) == (18, 54, 54)
    for pair in combinations(range(3), 2):
        own = [each for each in arena.records if set(each.places) == set(pair)]
        assert [each.number for each in own] == list(range(1, 19))
        starts = Counter(
            (each.places[each.record.starting_player - 1], each.record.opening) for each in own
        )
        assert starts == Counter((first, (cell,)) for first in pair for cell in range(9))
        assert Counter(each.places[0] for each in own) == dict.fromkeys(pair, 9)
        assert {each.record.players for each in own} == {
            tuple(f"player {place}" for place in order) for order in (pair, pair[::-1])
        }


def test_the_seed_alone_fixes_the_games(game: StateManager) -> None:
    def play(workers: int, seed: int = 3) -> tuple[Any, ...]:
        arena = Arena(game, contestants(game, anything, anything, lowest), games=10, seed=seed)
        results = played(arena, workers)
        return [each.record for each in arena.records], without_times(results)

    assert play(1) == play(2) == play(7) != play(1, seed=4)


def test_all_games_and_results_are_counted() -> None:
    game = make_game("tic_tac_toe")
    arena = Arena(game, contestants(game, anything, lowest, anything), games=24)
    results = played(arena)
    assert sum(row.draws for row in results.rows) > 0
    for place, row in enumerate(results.rows):
        own = Counter(each.winner for each in arena.records if place in each.places)
        wins, draws, games = own[place], own[None], own.total()
        assert (row.games, row.wins, row.draws, row.losses) == (
            games, wins, draws, games - wins - draws,
        )  # fmt: skip
        assert row.win_rate == (wins + draws / 2) / games
        assert (row.low, row.high) == wilson_interval(wins + draws / 2, games)
    for pair, two in zip(results.pairs, combinations(range(3), 2), strict=True):
        own = Counter(each.winner for each in arena.records if set(each.places) == set(two))
        assert [pair.wins, pair.losses, pair.draws] == [own[each] for each in (*two, None)]
        assert pair.games == own.total() == 24


def test_ratings_are_relative_to_the_first_and_lie_in_their_intervals(game: StateManager) -> None:
    results = played(Arena(game, contestants(game, anything, lowest, anything), games=30))
    first, *others = results.rows
    assert (first.elo, first.elo_low, first.elo_high) == (0, 0, 0)
    for row in others:
        assert row.elo_low < row.elo < row.elo_high
        assert (row.elo > 0) == (row.win_rate > first.win_rate)


def test_games_that_repeat_others_are_counted(game: StateManager) -> None:
    results = played(Arena(game, contestants(game, lowest, lowest, anything), games=18))
    same, *others = (pair.distinct for pair in results.pairs)
    assert same == 9, "the two sides of an opening are one game where both play alike"
    assert min(others) > 9
    assert results.distinct_games == same + sum(others)


def test_the_effort_leaves_out_the_opening(game: StateManager) -> None:
    arena = Arena(game, contestants(game, anything, lowest), games=10)
    results = played(arena)
    chosen = sum(len(each.record.actions) - len(each.record.opening) for each in arena.records)
    assert sum(row.effort.moves for row in results.rows) == chosen
    for effort in (row.effort for row in results.rows):
        assert effort.simulations == 10 * effort.moves
        assert (effort.simulations_per_move, effort.simulations_per_second) == (10, 40)
        assert effort.seconds > 0


def test_an_interrupted_arena_keeps_games_spread_evenly_over_pairs(game: StateManager) -> None:
    everyone = contestants(game, anything, anything, anything)
    arena, made = Arena(game, everyone, games=20), list[int]()

    def interrupted(seed: np.random.SeedSequence) -> Picker:
        made.append(1)
        if len(made) > 8:  # it plays two of each three games
            raise KeyboardInterrupt
        return Picker(game, anything, seed)

    arena.contestants = (replace(everyone[0], agent=interrupted), *everyone[1:])
    with pytest.raises(KeyboardInterrupt):
        arena.play()
    assert 11 <= len(arena.records) < arena.total_games
    pairs = Counter(frozenset(each.places) for each in arena.records)
    assert max(pairs.values()) - min(pairs.values()) <= 1
    results = arena.results()
    assert (results.total, results.planned) == (len(arena.records), 60)


def test_an_agent_that_no_games_connect_to_the_first_has_no_rating(game: StateManager) -> None:
    everyone = contestants(game, *[anything] * 4)
    arena = Arena(game, everyone, games=2)
    assert arena.results().rows == (), "before the first game"
    arena.play()
    games = [each for each in arena.records if set(each.places) in ({0, 1}, {2, 3})]
    results = results_of(games, everyone, planned=12)
    assert [math.isnan(row.elo) for row in results.rows] == [False, False, True, True]
    data = json.loads(json.dumps(results.to_json(), allow_nan=False))
    assert [row["elo"] for row in data["agents"]][2:] == [None, None]
    assert len(data["pairs"]) == 2


def test_one_agent_and_equal_names_are_refused(game: StateManager) -> None:
    one = contestants(game, anything)
    for given in (one, one * 2):
        with pytest.raises(ValueError, match=r"at least two contestants of different names"):
            Arena(game, given)


def test_won_starts_are_played_once_by_the_first_agent_against_each(game: StateManager) -> None:
    sides = sides_of(game, shared_judge(game).winner)
    assert len(sides) == 10
    arena = WonStarts(game, contestants(game, anything, lowest, anything), sides)
    results = played(arena)
    assert (arena.total_games, results.total) == (20, 20)
    for opponent in (1, 2):
        own = [each for each in arena.records if opponent in each.places]
        assert [each.record.opening for each in own] == [side.opening for side in sides]
        for each, side in zip(own, sides, strict=True):
            assert (each.places[side.player - 1], each.record.starting_player) == (0, 1)
        lost = [side for each, side in zip(own, sides, strict=True) if each.winner != 0]
        assert arena.lost(opponent) == lost


@pytest.mark.parametrize("game", [make_game("hex", size=3), make_game("tic_tac_toe")], ids=repr)
def test_a_perfect_agent_holds_all_won_starts_and_draws(game: StateManager) -> None:
    judge = shared_judge(game)
    sides = sides_of(game, judge.winner)
    best = Contestant("best", lambda seed: foreign(judge.best_action))
    arena = WonStarts(game, [best, *contestants(game, anything)], sides)
    arena.play()
    assert len(arena.records) == len(sides)
    assert arena.lost(1) == []


NET = ROOT / "nets" / "hex-5" / "anet_00200.pt"
RISING = [  # the later one is the better one
    "mcts:simulations=500,exploration=1.4",
    "mcts:simulations=500,tree_policy=uct_rave",
    f"mcts:{NET},simulations=500,tree_policy=n_mcts_paper,rollout_epsilon=1",
]


def test_rave_beats_uct_and_n_mcts_with_a_trained_apprentice_beats_both() -> None:
    """A lower end above one half, of 80 games a pair; the README's command plays 400."""
    arena = Arena(make_game("hex", size=5), RISING, games=80, seed=1)
    arena.play()
    assert {pair.high < 0.5 for pair in arena.results().pairs} == {True}
