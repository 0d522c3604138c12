"""Games that are played several at a time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from agents.match.game import GameRecord, play_game

if TYPE_CHECKING:
    from agents import Agent
    from agents.match.observer import Observer
    from state_manager import State, StateManager

Result = TypeVar("Result")

TICK_SECONDS = 1.0


class StoppedError(Exception):
    """A game was ended before it was over."""


def play_side_by_side(
    play_one: Callable[[int, int, Event], Result],
    numbers: Iterable[int],
    workers: int,
    finished: dict[int, Result],
    on_result: Callable[[Result], object] = lambda result: None,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    """Play games several at a time; what ends them early loses none that is finished.

    Args:
        play_one: ``play_one(number, worker, stop)`` plays the game of a number in the thread of a
            worker, from 0; once ``stop`` is set, it had better raise an exception than go on.
        numbers: The games.
        workers: How many threads there are at most.
        finished: Gets the result of each game by its number, as soon as the game is over.
        on_result: Called with each result, in the order of the numbers, in this thread.
        meanwhile: Called about once a second, in this thread.
    """
    stop = Event()
    free: SimpleQueue[int] = SimpleQueue()
    for worker in range(workers):
        free.put(worker)

    def play(number: int) -> None:
        worker = free.get()
        try:
            finished[number] = play_one(number, worker, stop)
        finally:
            free.put(worker)

    with ThreadPoolExecutor(workers) as pool:
        games = {number: pool.submit(play, number) for number in numbers}
        try:
            for number, game in games.items():
                while not wait([game], TICK_SECONDS).done:
                    meanwhile()
                game.result()
                on_result(finished[number])
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


class Held:
    """An agent whose game can be stopped from another thread.

    Attributes:
        name: The agent's name.
        agent: Who is held.
    """

    def __init__(self, agent: Agent, stop: Event) -> None:
        """Play as ``agent`` does, until ``stop`` is set; one that can stop in mid-search does."""
        if hasattr(agent, "stopped"):
            agent.stopped = stop.is_set
        self.name = agent.name
        self.agent = agent
        self._stop = stop

    def choose_action(self, state: State) -> int:
        """Ask the agent, unless the game has been stopped."""
        if self._stop.is_set():
            raise StoppedError
        return self.agent.choose_action(state)


def announce(
    game: StateManager, record: GameRecord, observers: Sequence[Observer], title: str
) -> None:
    """Let observers see a game that was played out of their sight."""
    first, second = record.players
    play_game(
        game,
        (_Absent(first), _Absent(second)),
        record.starting_player,
        opening=record.actions,
        observers=observers,
        title=title,
    )


class _Absent:
    """Stands for the agent of a game that is over: the opening holds all of its moves."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose_action(self, state: State) -> int:
        """Never asked."""
        raise AssertionError("a finished game asks for no move")
