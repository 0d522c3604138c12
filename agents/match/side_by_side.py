"""The one pool of threads: games, or searches, that run several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")

TICK_SECONDS = 1.0


def play_side_by_side(
    play_one: Callable[[int, int, Event], Result],
    numbers: Iterable[int],
    workers: int,
    finished: dict[int, Result],
    on_result: Callable[[int], object] = lambda number: None,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    """Play games several at a time; what ends them early loses none that is finished.

    Args:
        play_one: ``play_one(number, worker, stop)`` plays the game of a number in the thread of a
            worker, from 0; once ``stop`` is set, it should raise an exception and not play on.
        numbers: The games.
        workers: How many threads there are at most.
        finished: Gets the result of each game by its number, as soon as the game is over.
        on_result: Called with each number once its game is over, in their order, in this thread.
        meanwhile: Called after each game and at least about once a second, in this thread.
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
                on_result(number)
                meanwhile()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
