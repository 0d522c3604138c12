"""A series: games planned first, then played in sequence or in parallel."""

import math
from collections import ChainMap, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import groupby
from threading import Event, Lock
from typing import Literal, NamedTuple

from agents.agent import Agent
from agents.match.game import GameInPlay, GameStoppedError, play_together
from agents.match.game_record import GameRecord, Observer, show_game
from base.cluster import Workers
from base.jit import deferred_interrupts
from state_manager import StateManager

StartingPlayer = Literal["alternate", 1, 2]

TICK_SECONDS = 1.0
TOGETHER = 32
"""Most games in one group; never more than half of all. Larger groups would be cheaper, but keep
fewer workers busy."""


class PlannedGame(NamedTuple):
    """The plan of a game; see ``play_game``."""

    agents: Callable[[], tuple[Agent, Agent]]  # players 1 and 2; games in parallel share none
    starting_player: int = 1
    opening: Sequence[int] = ()
    title: str = ""
    places: tuple[int, int] = (0, 1)  # of player 1 and 2 among the contestants, from 0
    number: int = 1  # of the game within the pair, from 1


def play_series(
    game: StateManager,
    plan: Sequence[PlannedGame],
    finished: dict[int, GameRecord],
    workers: int | Workers = 1,
    observers: Sequence[Observer] = (),
    watched: Container[int] = (),
    on_result: Callable[[int], object] = lambda number: None,
) -> None:
    """Play games; an exception that ends them early (Ctrl-C, an illegal action) passes through.

    A game's number is its place in ``plan``; ``finished`` receives its record as soon as it is
    over. ``workers`` are threads for unwatched games, or groups of games that advance together; or
    a cluster. Observers receive the ``watched`` games move by move, one after the other; others
    after their end; all in the order of the plan. Then ``on_result`` is called, in this thread.
    """

    def play_unwatched(numbers: list[int]) -> None:
        groups, taking, left = _groups(game, plan, numbers), Lock(), deque(numbers)

        def play_next(number: int, worker: int, stop: Event) -> None:
            with taking:  # in order, so that groups do not depend on the workers
                group = next(groups, {})
            for each, record in play_together(group, stop):
                finished[each] = record  # as soon as it is over

        def hand_on() -> None:
            while left and left[0] in finished:
                number = left.popleft()
                show_game(game, finished[number], observers, plan[number].title)
                on_result(number)

        if isinstance(workers, int):
            return play_side_by_side(play_next, numbers, workers, meanwhile=hand_on)

        def job(group: Sequence[int]) -> dict[int, GameRecord]:  # in another process
            return dict(play_together({number: _begun(game, plan[number]) for number in group}))

        units = [tuple(group) for group in groups]
        workers.share_out(job, units, lambda _, done: finished.update(ChainMap(*done)), hand_on)

    for is_watched, run in groupby(range(len(plan)), lambda number: number in watched):
        if not is_watched:
            play_unwatched(list(run))
            continue
        for number in run:
            finished.update(play_together({number: _begun(game, plan[number], observers)}))
            on_result(number)


def _begun(
    game: StateManager, planned: PlannedGame, observers: Sequence[Observer] = ()
) -> GameInPlay:
    agents, starting_player, opening, title, *_ = planned
    return GameInPlay(game, agents(), starting_player, opening, observers, title)


def _groups(
    game: StateManager, plan: Sequence[PlannedGame], numbers: Sequence[int]
) -> Iterator[dict[int, GameInPlay]]:
    """Yield groups of games to play together: several if batches help, else one."""
    most = math.ceil(len(numbers) / max(2, math.ceil(len(numbers) / TOGETHER)))
    group: dict[int, GameInPlay] = {}
    for number in numbers:
        each = _begun(game, plan[number])
        waits = all(agent.batch_key is not None for agent in each.agents)
        gains = waits and any(agent.batches for agent in each.agents)
        if group and not gains:
            yield group
            group = {}
        group[number] = each
        if not gains or len(group) == most:
            yield group
            group = {}
    if group:
        yield group


def starting_players(games: int, starting_player: StartingPlayer) -> tuple[int, ...]:
    """Return the starting player of each game of a series; "alternate" begins with player 1."""
    if starting_player == "alternate":
        return tuple(1 + number % 2 for number in range(games))
    return (starting_player,) * games


def count_distinct(records: Iterable[GameRecord]) -> int:
    """Return how many games differ in starting player or actions."""
    return len({(record.starting_player, record.actions) for record in records})


def game_title(players: Sequence[str], number: int, games: int) -> str:
    """Return the title of game ``number`` (from 1) of a series of ``games``."""
    return f"{players[0]} against {players[1]}, game {number} of {games}"


def play_side_by_side(
    play_one: Callable[[int, int, Event], object],
    numbers: Iterable[int],
    workers: int,
    on_result: Callable[[int], object] = lambda number: None,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    """Play games, or search, in parallel.

    ``play_one(number, worker, stop)`` plays a game in the thread of a worker, from 0, and keeps the
    result; once ``stop`` is set, it should raise an exception. In this thread, ``on_result`` is
    called with the number of each finished game, in order, and ``meanwhile`` after each game and
    about once a second.
    """
    stop, failed = Event(), Event()
    free = list(range(workers))

    def play(number: int) -> None:
        if failed.is_set():
            raise GameStoppedError  # an earlier game failed
        worker = free.pop()  # one worker for each thread
        try:
            play_one(number, worker, stop)
        except BaseException:
            failed.set()
            raise
        finally:
            free.append(worker)

    with ThreadPoolExecutor(workers) as pool:
        try:
            with deferred_interrupts():  # which could leave a lock of the pool taken
                games = {number: pool.submit(play, number) for number in numbers}
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
