"""Games that are played several at a time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from agents.match.game import GameRecord, play_game

if TYPE_CHECKING:
    from agents import Agent
    from agents.match.observer import Observer
    from state_manager import State, StateManager

Result = TypeVar("Result")


def play_side_by_side(
    play_one: Callable[[int, Event], Result],
    numbers: Iterable[int],
    workers: int,
    results: list[Result],
    on_result: Callable[[Result], None],
) -> None:
    """Play games several at a time; what ends them early loses none that is finished.

    Args:
        play_one: Plays the game of a number; once the event is set, it had better raise an
            exception than go on (see ``Held``).
        numbers: The games, in the order of their results.
        workers: How many threads there are.
        results: Gets the result of each game.
        on_result: Called with each result after that, unless the games have been ended early.
    """
    kept_before = len(results)
    stop = Event()
    with ThreadPoolExecutor(workers) as pool:
        games = [pool.submit(play_one, number, stop) for number in numbers]
        try:
            for game in games:
                results.append(game.result())
                on_result(results[-1])
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            kept = len(results) - kept_before
            results += [game.result() for game in games[kept:] if _is_finished(game)]
            raise


def _is_finished(game: Future[Any]) -> bool:
    """Tell whether a game was played to its end."""
    return game.done() and not game.cancelled() and game.exception() is None


class StoppedError(Exception):
    """A game was ended before it was over."""


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
