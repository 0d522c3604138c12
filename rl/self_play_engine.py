"""The engine of self-play: numbers of episodes in, finished episodes out.

An episode depends on the seed, its number and the net, never on the engine.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from itertools import chain
from threading import Event

from torch import Tensor

from agents.match import GameStoppedError, Observer, play_side_by_side
from agents.nets import search_parts
from anet import ANET
from base.cluster import Workers
from base.params import Params
from mcts import MCTS, make_variant
from mcts.tree_memory import memory_share
from rl.episode import SEARCH, Episode
from rl.schemes import Scheme, scheme
from rl.self_play import SelfPlay, draws_together
from state_manager import make_game

Weights = dict[str, Tensor]
"""The result of ``ANET.weights``."""

_MOST_GAMES_AT_ONCE, _OF_PLANES = 128, 64
"""States per batch, and per batch of a net with convolutions: larger batches make an evaluation
hardly cheaper, and leave more rows without a game at the end of an update."""


def games_at_once(params: Params) -> int:
    """Return the number of games in a search that evaluates a net in batches."""
    most = _OF_PLANES if params.anet.sees_planes else _MOST_GAMES_AT_ONCE
    return min(params.rl.episodes_per_update, most)


def new_search(anet: ANET, params: Params, searches: int) -> MCTS:
    """Return a search for all games that advance together; ``searches`` share the memory."""
    memory = memory_share(params.mcts.memory, searches)
    return MCTS(
        anet.game,
        params.mcts.simulations,
        variant=make_variant(
            params.mcts.model_copy(update={"memory": memory}),
            params.rl.tree_policy,
            exploration=params.mcts.exploration,
        ),
        games=1 if anet.plays_rollouts else games_at_once(params),
        time_limit=params.mcts.time_limit,
        **search_parts(anet, params.mcts.rollout_epsilon),
    )


class Engine:
    """Plays in one or several threads, each with its own search; or on a cluster.

    Attributes:
        searches: One for each thread.
        starts: Openings for some of the games; player 1 begins.
    """

    def __init__(
        self,
        scheme: Scheme,
        anet: ANET,
        searches: Sequence[MCTS],
        params: Params,
        cluster: Workers | None = None,
    ) -> None:
        """Prepare to play by a scheme, with a search for each thread, or on a cluster.

        ``anet`` is the net of the searches. It learns between calls of ``play``, unless these pass
        weights.
        """
        self.cluster = cluster
        self._scheme = scheme
        self._anet = anet
        self.searches = searches
        self._params = params
        self.starts: Sequence[tuple[int, ...]] = ()

    @property
    def plays_in_rows(self) -> bool:
        """Whether games need not wait for each other; observers then see them after their end."""
        return self._params.not_in_rows is None

    def shows_moves(self, numbers: Sequence[int], finished: Mapping[int, Episode]) -> bool:
        """Return whether observers can receive the moves of episodes as they are made."""
        is_alone = len(numbers) == 1 and not finished and self._scheme.player == SEARCH
        is_here = self.cluster is None and self._params.rl.lag == 0
        return is_alone and is_here and not self.plays_in_rows

    def play(
        self,
        numbers: Sequence[int],
        finished: dict[int, Episode],
        observers: Sequence[Observer] = (),
        meanwhile: Callable[[], object] = lambda: None,
        weights: Weights | None = None,
        until: float = math.inf,
    ) -> None:
        """Play episodes.

        Args:
            numbers: Numbers of the episodes, from 1, ascending.
            finished: Episodes by number, including earlier ones; each episode is added as soon as
                it is over, and stays if Ctrl-C, for instance, ends the rest.
            observers: Receive the moves of a single episode as they are made.
            meanwhile: Called regularly, in this thread.
            weights: The weights to play with; ``None`` for the current ones.
            until: Deadline by ``time.time``; unfinished games are then dropped, and none begins.
        """
        most, cluster = self.searches[0].games, self.cluster
        if draws_together(self.searches[0], self._params):
            # In a run that ended within this batch, a smaller group drew other random numbers.
            for part in _groups(numbers, most):
                for number in part if not finished.keys() >= set(part) else ():
                    finished.pop(number, None)
        left = [number for number in numbers if number not in finished]
        groups = _groups(left, most)
        if self.plays_in_rows:
            # Unfilled rows cost as much as full ones, so only threads get fewer games.
            shares = min(cluster.cores, len(groups)) if cluster else len(self.searches)
            shares = min(shares, len(left))
            groups = [left[share::shares] for share in range(shares)]
        if cluster:

            def take(place: int, played: list[list[Episode]]) -> None:
                finished.update({episode.number: episode for episode in chain(*played)})

            weights = weights or self._anet.weights()
            job = partial(_play_elsewhere, self._params, weights, self.starts, until)
            cluster.share_out(job, groups, take, meanwhile)
            return
        if weights is not None:
            self._anet.restore(weights, 0)

        def play_group(
            group: int, worker: int, stop: Event, handed_in: Callable[[], object] = lambda: None
        ) -> None:
            def hand_in(episodes: Sequence[Episode]) -> None:
                # One step, which Ctrl-C cannot divide.
                finished.update({episode.number: episode for episode in episodes})
                handed_in()

            def should_stop() -> bool:
                return stop.is_set() or time.time() >= until

            search = self.searches[worker]
            self_play = SelfPlay(
                self._anet, search, self._params, hand_in, should_stop, observers, self.starts
            )
            try:
                if not should_stop():
                    self._scheme.play_games(groups[group], self_play)
            except GameStoppedError:
                if stop.is_set():
                    raise

        if self._params.rl.lag == 0 and (len(self.searches) == 1 or len(groups) == 1):
            for group in range(len(groups)):
                play_group(group, 0, Event(), meanwhile)
        else:
            workers = len(self.searches)
            play_side_by_side(play_group, range(len(groups)), workers, {}, meanwhile=meanwhile)


def _play_elsewhere(
    params: Params,
    weights: Weights,
    starts: Sequence[tuple[int, ...]],
    until: float,
    numbers: Sequence[int],
) -> list[Episode]:
    prepared = _prepared(params)
    prepared.take(weights)
    played: list[Episode] = []

    def should_stop() -> bool:
        return time.time() >= until

    self_play = SelfPlay(
        prepared.anet, prepared.search, params, played.extend, should_stop, starts=starts
    )
    with suppress(GameStoppedError):
        scheme(params).play_games(numbers, self_play)
    names = [field.name for field in fields(Episode)]  # without the fields of ``ActualGame``
    return [Episode(**{name: getattr(each, name) for name in names}) for each in played]


@dataclass
class _Prepared:
    """A net on the CPU, and a search with it."""

    anet: ANET
    search: MCTS
    weights: Weights | None = None

    def take(self, weights: Weights) -> None:
        """Set the weights of the net, once for all games of a task, which pass the same object."""
        if weights is not self.weights:
            self.anet.restore(weights, 0)
            self.weights = weights


@lru_cache(maxsize=1)
def _prepared(params: Params) -> _Prepared:
    on_cpu = params.anet.model_copy(update={"device": "cpu"})
    anet = ANET(make_game(params.game.name, **params.game.options.model_dump()), on_cpu)
    search = new_search(anet, params, os.cpu_count() or 1)
    return _Prepared(anet, search)


def _groups(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    return [numbers[start : start + most] for start in range(0, len(numbers), most)]
