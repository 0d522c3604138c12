"""A series: starting players, openings, observers, and the games kept after an interrupt."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.match import GameRecord, PlannedGame, count_distinct, play_series, starting_players
from agents.match.openings import Opening, iterate_openings, varied_openings
from agents.match.series import game_title, play_side_by_side
from state_manager import State, StateManager, make_game
from tests.project import wait_until
from tests.series import Picker, Titles, highest, lowest

Agents = tuple[Picker, Picker]


@pytest.fixture
def game() -> StateManager:
    return make_game("hex", size=3)


@pytest.fixture
def agents(game: StateManager) -> Agents:
    return Picker(game, lowest), Picker(game, highest)


def plan_of(agents: Agents, games: int, openings: Sequence[Opening] = ()) -> list[PlannedGame]:
    """Return a series of the same two agents, in which the starting player alternates."""
    return [
        PlannedGame(
            lambda: agents,
            1 + number % 2,
            openings[number] if openings else (),
            game_title([agent.name for agent in agents], number + 1, games),
        )
        for number in range(games)
    ]


def played(game: StateManager, plan: list[PlannedGame], **options: Any) -> list[GameRecord]:
    finished: dict[int, GameRecord] = {}
    play_series(game, plan, finished, **options)
    return [finished[number] for number in sorted(finished)]


def test_two_deterministic_agents_repeat_two_games_and_begin_with_given_openings(
    game: StateManager, agents: Agents
) -> None:
    records = played(game, plan_of(agents, 20))
    assert [record.starting_player for record in records] == [1, 2] * 10
    assert {record.players for record in records} == {("lowest", "highest")}
    assert count_distinct(records) == 2
    openings = [(4,), (4,), (8, 7)]
    records = played(game, plan_of(agents, 3, openings))
    assert [record.opening for record in records] == openings
    assert all(record.actions[: len(record.opening)] == record.opening for record in records)
    assert count_distinct(records) == 3


@pytest.mark.parametrize(("watched", "workers"), [(0, 1), (0, 3), (2, 2), (5, 1)])
def test_observers_receive_all_games_in_order_for_any_number_of_workers(
    game: StateManager, agents: Agents, watched: int, workers: int
) -> None:
    observer, heard = Titles(), list[int]()
    options = {"watched": range(watched), "workers": workers, "on_result": heard.append}
    records = played(game, plan_of(agents, 5), observers=[observer], **options)
    assert observer.titles == [f"lowest against highest, game {n} of 5" for n in range(1, 6)]
    assert heard == list(range(5))
    assert records == played(game, plan_of(agents, 5))


@pytest.mark.parametrize("watched", [0, 10])
def test_ctrl_c_loses_no_finished_game(game: StateManager, agents: Agents, watched: int) -> None:
    def interrupted(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    kept: dict[int, GameRecord] = {}
    with pytest.raises(KeyboardInterrupt):
        play_series(game, plan_of(agents, 10), kept, watched=range(watched), on_result=interrupted)
    assert {0, 1, 2} <= kept.keys()
    if watched:
        assert kept.keys() == {0, 1, 2}


def test_ctrl_c_ends_games_that_are_not_finished(game: StateManager, agents: Agents) -> None:
    calls: list[int] = []

    class Waits(Picker):
        def choose_action(self, state: State) -> int:
            calls.append(1)
            wait_until(self.stopped)
            return super().choose_action(state)

    def press(number: int) -> None:
        wait_until(lambda: bool(calls))
        raise KeyboardInterrupt

    slow = Waits(game, lowest), Waits(game, highest)
    plan = [*plan_of(agents, 1), *plan_of(slow, 3)]
    finished: dict[int, GameRecord] = {}
    with pytest.raises(KeyboardInterrupt):
        play_series(game, plan, finished, on_result=press)
    assert (set(finished), len(calls)) == ({0}, 1)


def test_starting_players_begin_with_player_1() -> None:
    assert starting_players(3, "alternate") == (1, 2, 1)
    assert starting_players(2, 2) == (2, 2)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_main_thread_works_meanwhile(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr("agents.match.series.TICK_SECONDS", 0.001)
    called, finished = Event(), set[int]()
    seen: list[set[int]] = []

    def play_one(number: int, worker: int, stop: Event) -> None:
        assert number < 3 or called.wait(60)
        finished.add(number)

    def meanwhile() -> None:
        seen.append(set(finished))
        if seen[-1] == {0, 1, 2}:
            called.set()

    play_side_by_side(play_one, range(5), workers, meanwhile=meanwhile)
    assert finished == set(range(5))
    assert {0, 1, 2} in seen


GAMES = {
    "hex": make_game("hex", size=3),
    "nim": make_game("nim", stones=9, max_take=3),
    "ledge": make_game("ledge", board=[0, 1, 0, 0, 2, 0, 1]),
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("starting_player", [1, 2])
def test_openings_lead_to_different_open_positions(name: str, starting_player: int) -> None:
    game, start = GAMES[name], GAMES[name].initial_state(starting_player)
    openings = list(iterate_openings(game, starting_player))
    states = [reduce(game.child_state, opening, start) for opening in openings]
    assert not any(game.is_final(state) for state in states)
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


def test_openings_repeat_after_the_last_one_and_are_empty_where_there_are_none() -> None:
    openings = varied_openings(make_game("nim", stones=3, max_take=2), [1] * 12)
    assert set(openings) == {(0,), (1,), (0, 0)}
    assert openings[:6] == openings[6:]
    over_at_once = make_game("nim", stones=1, max_take=1)
    assert list(iterate_openings(over_at_once)) == []
    assert varied_openings(over_at_once, [1, 2]) == ((), ())


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
        reduce(game.child_state, opening, game.initial_state(starter))  # it is legal
    assert not {opening[0] for opening in openings[0::2]} & {each[0] for each in openings[1::2]}
