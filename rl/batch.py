"""Games that are played side by side, each worker with a search of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

Game = TypeVar("Game")

TICK_SECONDS = 1.0


def play_side_by_side(
    play_one: Callable[[int, int, Callable[[], bool]], Game],
    numbers: Sequence[int],
    workers: int,
    finished: dict[int, Game],
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Play games several at a time.

    Args:
        play_one: ``play_one(number, worker, should_stop)`` plays the game of a number with the
            search of a worker, from 0.
        numbers: The games that are to be played, at least one.
        workers: How many threads there are at most.
        finished: Gets each game as soon as it is over, by its number: what ends the others early,
            Ctrl-C for instance, takes away none of these.
        meanwhile: Called about once a second, in this thread.
    """
    aborted = Event()
    workers = min(workers, len(numbers))

    def play_share(worker: int) -> None:
        for number in numbers[worker::workers]:
            finished[number] = play_one(number, worker, aborted.is_set)

    with ThreadPoolExecutor(workers) as pool:
        shares = [pool.submit(play_share, worker) for worker in range(workers)]
        try:
            for share in shares:
                while not wait([share], TICK_SECONDS).done:
                    meanwhile()
                share.result()
        except BaseException:
            aborted.set()
            raise
