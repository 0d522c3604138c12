"""Standings: rows, verdicts, JSON."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from agents.match import Contestant, GameRecord, ScoredGame
from agents.match.scores import results_of
from agents.random import RandomAgent
from state_manager import DRAW, make_game
from topp import Setup, Standings

SETUP = Setup(
    game="hex",
    game_params={"size": 5},
    seed=1,
    games_per_pair=50,
    action_choice="greedy",
    epsilon=0.1,
    openings=25,
)


def standings_of(
    wins: Sequence[Sequence[int]], games: int = 10, episodes: Sequence[int | None] | None = None
) -> Standings:
    """Return the standings of a round robin of ``games`` games a pair."""
    count = len(wins)
    if episodes is None:
        episodes = [50 * number for number in range(count)]
    contestants = [
        Contestant(f"net_{number}", partial(RandomAgent, make_game("hex")), episode=episode)
        for number, episode in enumerate(episodes)
    ]
    played = []
    for one, other in combinations(range(count), 2):
        won, lost = wins[one][other], wins[other][one]
        winners = [1] * won + [2] * lost + [DRAW] * (games - won - lost)
        for number, winner in enumerate(winners):
            record = GameRecord(("one", "other"), 1, (), (number,), winner)
            played.append(ScoredGame(number + 1, (one, other), record))
    return Standings(**vars(results_of(played, contestants, len(played))), setup=SETUP)


def beaten(order: Sequence[int]) -> list[list[int]]:
    place = {net: number for number, net in enumerate(order)}
    nets = range(len(order))
    return [[0 if a == b else 8 if place[a] > place[b] else 2 for b in nets] for a in nets]


def test_the_ranking_is_by_win_rate_and_then_by_training() -> None:
    standings = standings_of([[0, 5, 1], [5, 0, 1], [9, 9, 0]])
    assert standings.to_json()["ranking"] == ["net_2", "net_0", "net_1"]
    assert [row.name for row in standings.rows] == ["net_0", "net_1", "net_2"]


DRAWN = [[0, 2, 2, 1], [8, 0, 5, 1], [8, 5, 0, 1], [9, 9, 9, 0]]


def test_the_verdict_says_where_orders_disagree() -> None:
    orders = "net_1 did better than net_2, net_2 did better than net_3."
    for wins, words in (
        (beaten([0, 1, 2, 3, 4]), ("strength agree", "tau 1.00")),
        (beaten([0, 1, 2, 4, 3]), ("mostly agree", "0.80): net_3 did better than net_4.")),
        (beaten([3, 4, 2, 0, 1]), ("not agree", f"-0.60): {orders}")),
        (beaten([5, 4, 3, 2, 1, 0]), ("net_2 did better than net_3, and 2 more.",)),
        (DRAWN, ("mostly agree", "0.91): net_2 did no better than net_1.")),
        ([[0, 5], [5, 0]], ("cannot be compared",)),
    ):
        verdict = standings_of(wins).verdict
        assert all(each in verdict for each in words), verdict


def test_trained_nets_that_games_cannot_tell_apart_have_no_order() -> None:
    wins = [[0, 1, 0, 1], [9, 0, 6, 5], [10, 4, 0, 5], [9, 5, 5, 0]]
    words = (
        "The 3 trained nets are equally good, as far as 60 games show: their intervals overlap "
        "(Kendall's tau 0.18)."
    )
    standings = standings_of(wins)
    assert standings.verdict == words
    regrets = {"net_0": 0.54, "net_1": 0.07, "net_2": 0.141, "net_3": 0.1}
    assert replace(standings, regrets=regrets).verdict == (
        f"{words} They throw away 7% to 14% of won positions, the untrained net 54%."
    )


def test_nets_have_the_order_that_is_known() -> None:
    for order, episodes, tau in (
        ([0, 2, 1], [0, 50, 50], 0.816),  # those of one episode have no order among themselves
        ([0, 1, 2], [900, None, 0], 1.0),  # places replace episodes where one is unknown
    ):
        standings = standings_of(beaten(order), episodes=episodes)
        assert standings.rank_correlation == pytest.approx(tau, abs=1e-3)
        assert "did" not in standings.verdict


def test_standings_in_json_include_their_verdict() -> None:
    standings = standings_of(beaten([0, 2, 1]), episodes=[0, None, 100])
    data = json.loads(json.dumps(standings.to_json(), allow_nan=False))
    assert data["rows"][1].keys() == {
        *("name", "episode", "games", "wins", "losses", "draws", "win_rate", "low", "high", "elo")
    }
    assert [tuple(row) for row in data["wins"]] == list(standings.wins)
    assert (data["distinct"], data["total"], data["planned"]) == (30, 30, 30)
    assert data["ranking"] == ["net_1", "net_2", "net_0"]
    assert data["verdict"] == standings.verdict
    assert data["rank_correlation"] == standings.rank_correlation
    assert data["setup"]["variation"] == SETUP.variation


def test_the_setup_names_the_source_of_different_games() -> None:
    def variation(**changes: Any) -> str:
        return replace(SETUP, **changes).variation

    assert variation().endswith("from 25 different openings, both sides in turn.")
    last = variation(openings=3, games_per_pair=5)
    assert last.endswith("in turn, the last from one side only.")
    for choice, words in (
        ("greedy", "always from the initial position."),
        ("epsilon_greedy", "with probability 0.1."),
        ("probabilistic", "the nets' probabilities."),
    ):
        assert variation(openings=0, action_choice=choice).endswith(words)
