"""The tournament: its schedule, openings and counts; nets from files as participants."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import Agent, AgentError
from agents.match import Contestant, ScoredGame
from agents.match.arena import round_robin
from anet import ANET
from base.params import TOPPParams
from judge import Judge
from proofs.regret import Regret, measure_regret
from state_manager import NodeLimitError, StateManager, make_game
from tests.agents.fake_net import FakeNet, net_files
from tests.project import Patch
from tests.series import Pick, Picker, Titles, anything, highest, lowest
from topp import TOPP, Standings, load_entrants, unique_names

__all__ = ["net_files"]
HEX = make_game("hex", size=3)
greedy = partial(TOPPParams, action_choice="greedy")
probabilistic = partial(TOPPParams, action_choice="probabilistic")


def make_entrants(*picks: Pick, game: StateManager = HEX) -> list[Contestant]:
    """Return participants of episodes 0, 10, 20, ... from their choosers."""
    return [
        Contestant(f"net_{episode:02d}", partial(Picker, game, pick), episode=episode)
        for episode, pick in zip(range(0, 100, 10), picks, strict=False)
    ]


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


AddNet = Callable[..., Path]


def rising(game: StateManager, episode: int) -> Any:
    return FakeNet(game, list(range(1, game.num_actions + 1)), episode)


def falling(game: StateManager, episode: int) -> Any:
    return FakeNet(game, list(range(game.num_actions, 0, -1)), episode)


@pytest.fixture
def paths(net_files: AddNet) -> list[Path]:
    return [net_files("b.pt", rising(HEX, 50)), net_files("a.pt", falling(HEX, 0))]


def test_the_game_comes_from_the_nets_and_they_choose_by_the_parameters(paths: list[Path]) -> None:
    game, entrants = load_entrants(paths)
    assert game == HEX
    assert [(entrant.name, entrant.episode) for entrant in entrants] == [("b", 50), ("a", 0)]
    agent = entrants[0].agent(np.random.SeedSequence(0))
    assert agent.name == "b"
    assert agent.choose_action(game.initial_state()) == 8
    _, entrants = load_entrants(paths, choice="probabilistic", game=game)
    drawing = entrants[0].agent(np.random.SeedSequence(0))
    assert len({drawing.choose_action(HEX.initial_state()) for _ in range(50)}) > 1
    with pytest.raises(AgentError, match="expected the files of at least two nets, got none"):
        load_entrants([])


def test_a_random_player_takes_part_outside_the_order_of_training(net_files: AddNet) -> None:
    paths = [net_files(f"{name}.pt", rising(HEX, n)) for n, name in enumerate(("a", "random"))]
    topp = TOPP(*load_entrants(paths, with_random=True), TOPPParams(games=20), seed=1)
    topp.play()
    standings = topp.results()
    assert standings.setup.game_params == {"size": 3}
    (word, games), *_ = [(row.word, row.games) for row in standings.rows]
    assert (word, games, standings.total) == ("random", 40, 60)
    assert [row.episode for row in standings.rows] == [None, 0, 1]
    assert len({row.name for row in standings.rows}) == 3
    first, second = (row.win_rate for row in standings.rows[1:])
    assert standings.rank_correlation == {True: 1.0, False: -1.0}.get(first < second)
    topp = TOPP(*load_entrants(paths[:1], with_random=True), TOPPParams(games=2))
    topp.play()
    assert "need at least two nets" in topp.results().verdict


def test_names_distinguish_nets() -> None:
    for paths, names in (
        ("a/x.pt a/y.pt", ("x", "y")),
        ("a/x.pt b/x.pt", ("a/x", "b/x")),
        ("c/a/x.pt d/a/x.pt", ("c/a/x", "d/a/x")),
        ("a/x.pt a/x.pth", ("a/x.pt", "a/x.pth")),
        ("a/x.pt a/x.pt", ("a/x.pt", "a/x.pt (2)")),
    ):
        assert unique_names([*map(Path, paths.split())]) == names


def test_the_regret_of_the_nets_is_in_the_standings(tmp_path: Path) -> None:
    paths = [tmp_path / f"anet_{episode:05}.pt" for episode in (0, 1)]
    for path in paths:
        net = ANET(HEX, seed=int(path.stem[-1]))
        net.episode = int(path.stem[-1])
        net.save(path)
    regret = Regret(HEX, 25)
    shares = {path.stem: regret.share(ANET.load(path).exact) for path in paths}
    for positions, expected in ((25, shares), (0, {})):
        params = TOPPParams(games=2, regret_positions=positions)
        topp = TOPP(*load_entrants(paths), params)
        measure_regret(topp)
        topp.play()
        standings = topp.results()
        assert standings.regrets == expected
        data = standings.to_json()
        assert {row["name"]: row["regret"] for row in data["rows"] if "regret" in row} == expected
        assert data.get("regret_positions") == (25 if positions else None)


def test_the_regret_is_left_out_in_a_game_that_is_too_large_unless_requested(
    net_files: AddNet, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("proofs.regret.Judge", lambda game, limit: Judge(game, min(limit, 20_000)))
    game = make_game("connect_four")
    nets = [net_files(f"{name}.pt", rising(game, 0)) for name in "ab"]
    topp = TOPP(*load_entrants(nets), TOPPParams(games=2))
    measure_regret(topp)
    topp.play()
    assert topp.results().regrets == {}
    with pytest.raises(NodeLimitError, match="got connect_four"):
        measure_regret(TOPP(*load_entrants(nets), TOPPParams(games=2, regret_positions=5)))
