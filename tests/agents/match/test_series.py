"""A series: starting players, observers, and the games kept after an interrupt."""

from collections.abc import Sequence
from threading import Event
from typing import Any

import pytest

from agents.match import (
    GameRecord,
    PlannedGame,
    count_distinct,
    game_title,
    play_series,
    play_side_by_side,
    starting_players,
)
from state_manager import State, StateManager, make_game
from tests.project import wait_until
from tests.series import Picker, Titles, highest, lowest

Opening = tuple[int, ...]


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
    """Play a series; return its games."""
    finished: dict[int, GameRecord] = {}
    play_series(game, plan, finished, **options)
    return [finished[number] for number in sorted(finished)]


def test_two_deterministic_agents_repeat_two_games(game: StateManager, agents: Agents) -> None:
    records = played(game, plan_of(agents, 20))
    assert [record.starting_player for record in records] == [1, 2] * 10
    assert {record.players for record in records} == {("lowest", "highest")}
    assert count_distinct(records) == 2


def test_each_game_plays_one_opening(game: StateManager, agents: Agents) -> None:
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

    finished: dict[int, GameRecord] = {}
    with pytest.raises(KeyboardInterrupt):
        play_series(
            game, plan_of(agents, 10), finished, watched=range(watched), on_result=interrupted
        )
    assert {0, 1, 2} <= finished.keys()
    if watched:
        assert finished.keys() == {0, 1, 2}


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
def test_the_main_thread_works_while_games_are_played(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
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
