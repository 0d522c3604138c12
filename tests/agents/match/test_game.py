"""One game: its record, its observers, its errors."""

import json
from threading import Event
from typing import Any

import numpy as np
import pytest

from agents.agent import Agent, Resign, TakeBack
from agents.match import GameRecord, GameStoppedError, play_game, show_game
from state_manager import IllegalActionError, State, StateManager, make_game


class Scripted(Agent):
    """Plays given actions, in order."""

    def __init__(self, name: str, actions: list[object]) -> None:
        self.name = name
        self.actions = list(actions)
        self.states: list[State] = []

    def choose_action(self, state: State) -> int:
        self.states.append(state)
        return self.actions.pop(0)  # type: ignore[return-value]


class Recorder:
    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def on_game_start(self, title: str, players: tuple[str, str], state: State) -> None:
        self.heard.append(("start", title, players, state.tolist()))

    def on_move(self, state: State, action: int, thought: object = None) -> None:
        self.heard.append(("move", state.tolist(), action))

    def on_take_back(self, state: State, plies: int) -> None:
        self.heard.append(("back", state.tolist(), plies))

    def on_game_over(self, state: State, winner: int) -> None:
        self.heard.append(("over", state.tolist(), winner))


@pytest.fixture
def nim() -> StateManager:
    return make_game("nim", stones=4, max_take=2)


@pytest.mark.parametrize(
    ("red", "black", "starter", "opening", "actions", "winner"),
    [
        ([1], [1], 1, (), (1, 1), 2),
        ([1], [0, 0], 2, (), (0, 1, 0), 2),
        ([0], [], 1, (1, 0), (1, 0, 0), 1),
    ],
)
def test_the_record_holds_the_whole_game(
    nim: StateManager, red: Any, black: Any, starter: int, opening: Any, actions: Any, winner: int
) -> None:
    record = play_game(nim, (Scripted("red", red), Scripted("black", black)), starter, opening)
    assert record == GameRecord(("red", "black"), starter, opening, actions, winner)


def test_a_player_may_resign_or_take_moves_back(nim: StateManager) -> None:
    heard = Recorder()
    agents = Scripted("red", [1, TakeBack(2), 0, Resign()]), Scripted("black", [0, 0])
    record = play_game(nim, agents, observers=[heard])
    assert (record.actions, record.winner, record.ending) == ((0, 0), 2, "R")
    assert ("back", nim.initial_state(1).tolist(), 2) in heard.heard
    assert heard.heard[-1][0::2] == ("over", 2)


def test_every_observer_receives_every_move_and_the_opening_live_and_later(
    nim: StateManager,
) -> None:
    first, second, later = Recorder(), Recorder(), Recorder()
    agents = Scripted("red", []), Scripted("black", [1])
    record = play_game(nim, agents, opening=(1,), observers=(first, second), title="a game")
    show_game(nim, record, [later], "a game")
    states = [nim.initial_state(1)]
    for action in (1, 1):
        states.append(nim.child_state(states[-1], action))
    assert first.heard == [
        ("start", "a game", ("red", "black"), states[0].tolist()),
        ("move", states[1].tolist(), 1),
        ("move", states[2].tolist(), 1),
        ("over", states[2].tolist(), 2),
    ]
    assert second.heard == later.heard == first.heard


def test_a_numpy_integer_is_an_action_and_is_recorded_as_a_python_one(nim: StateManager) -> None:
    agents = Scripted("red", [np.int64(1)]), Scripted("black", [np.int32(1)])
    record = play_game(nim, agents)
    assert all(type(action) is int for action in record.actions)
    json.dumps(record.to_json())


@pytest.mark.parametrize(
    ("opening", "red", "black", "message"),
    [
        ((), [1.0], [], r"^red \(player 1\): expected an action"),
        ((), ["1"], [], r"^red \(player 1\): expected an action"),
        ((), [0], [None], r"^black \(player 2\): expected an action"),
        ((1,), [], [4], r"^black \(player 2\): expected .*\n.*2 left"),
        ((7,), [], [], "^opening: expected"),
        ((1, 1, 0), [], [], "^opening: expected at most 2 actions"),
    ],
)
def test_the_error_of_an_illegal_action_names_its_agent_or_the_opening(
    nim: StateManager, opening: Any, red: Any, black: Any, message: str
) -> None:
    with pytest.raises(IllegalActionError, match=message):
        play_game(nim, (Scripted("red", red), Scripted("black", black)), opening=opening)


def test_a_stopped_game_requests_no_further_moves(nim: StateManager) -> None:
    stop = Event()

    class Stopper(Scripted):
        def choose_action(self, state: State) -> int:
            stop.set()
            return super().choose_action(state)

    black = Scripted("black", [0])
    with pytest.raises(GameStoppedError):
        play_game(nim, (Stopper("red", [0]), black), stop=stop)
    assert black.states == []


def test_efforts_are_those_of_this_game_without_its_opening(nim: StateManager) -> None:
    class Searcher(Scripted):
        simulations_run, search_seconds = 100, 9.0

        def choose_action(self, state: State) -> int:
            self.simulations_run += 10
            self.search_seconds += 0.25
            return super().choose_action(state)

    record = play_game(nim, (Searcher("red", [0]), Scripted("black", [0, 0])), opening=(0,))
    searcher, other = record.efforts
    assert (searcher.moves, searcher.simulations, searcher.search_seconds) == (1, 10, 0.25)
    assert (other.moves, other.simulations, other.simulations_per_second) == (2, 0, None)
    assert record == play_game(nim, (Scripted("red", [0]), Scripted("black", [0, 0])), 1, (0,))
