"""The engine of self-play: numbers of episodes in, finished episodes out.

An episode depends on the seed, its number and the net, never on the engine.
"""

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from threading import Event

import torch
from torch import Tensor

from agents.match import Observer, play_side_by_side
from agents.nets import search_of
from anet import ANET
from anet.evaluator import NetEvaluator
from anet.runtimes.torch_runtime import on_cpu
from base.cluster import Workers
from base.params import Params
from mcts import MCTS
from mcts.tree_memory import memory_share
from rl.episode import SEARCH_PLAYER, Episode
from rl.hard_cases import HardCases
from rl.schemes import scheme
from rl.self_play import SelfPlay, draws_together, kept_episodes
from state_manager import make_game

NetWeights = dict[str, Tensor]
"""The result of ``ANET.weights``."""

_MOST_SIZES = 17  # Hex has no more


def new_search(evaluator: NetEvaluator, params: Params, searches: int) -> MCTS:
    """Return a search for all games that advance together; ``searches`` share the memory."""
    rl, memory = params.rl, memory_share(params.mcts.memory, searches)
    in_turn = evaluator.facts.plays_rollouts
    games = 1 if in_turn else min(rl.episodes_per_update, evaluator.batch_size)
    return search_of(
        evaluator.game,
        params.search.model_copy(update={"memory": memory}),
        evaluator,
        games=games,
        leaves=1 if games < rl.episodes_per_update else None,  # the games fill the batches
    )


@dataclass(eq=False)
class SelfPlayEngine:
    """Plays in one or several threads, each with its own search; or on a cluster."""

    anet: ANET
    searches: Sequence[MCTS]  # one for each thread, all with ``anet``
    params: Params
    hard_cases: HardCases  # some games begin there
    cluster: Workers | None = None

    def shows_moves(self, numbers: Sequence[int], finished: Mapping[int, Episode]) -> bool:
        """Return whether observers can receive the moves of episodes as they are made."""
        searches_all = scheme(self.params).player == SEARCH_PLAYER
        is_alone = len(numbers) == 1 and not finished and searches_all
        return is_alone and self.cluster is None and self.params.not_in_slots is not None

    def play(
        self,
        numbers: Sequence[int],
        finished: dict[int, Episode],
        observers: Sequence[Observer] = (),
        meanwhile: Callable[[], object] = lambda: None,
        until: float = math.inf,
    ) -> None:
        """Play the episodes with these numbers, from 1, ascending.

        ``finished`` holds earlier episodes, by number; each episode is added as soon as it is over,
        and stays if Ctrl-C, for instance, ends the rest. Observers receive the moves of a single
        episode as they are made; ``meanwhile`` is called regularly, in this thread. At ``until``,
        by ``time.time``, unfinished games are dropped, and none begins.
        """
        groups, starts = self._groups(numbers, finished), self.hard_cases.starts
        if self.cluster:

            def take(place: int, played: list[list[Episode]]) -> None:
                finished.update({episode.number: episode for episode in chain(*played)})

            job = partial(play_elsewhere, self.params, self.anet.weights(), starts, until)
            self.cluster.share_out(job, groups, take, meanwhile)
            return
        play = scheme(self.params).play

        def play_group(
            group: int, worker: int, stop: Event, handed_in: Callable[[], object] = lambda: None
        ) -> None:
            def should_stop() -> bool:
                return stop.is_set() or time.time() >= until

            tools = self.searches[worker], self.params, should_stop, observers, starts
            self_play = SelfPlay(self.anet.evaluator(), *tools)
            for episodes in kept_episodes(play, groups[group], self_play):
                # One step, which Ctrl-C cannot divide.
                finished.update({episode.number: episode for episode in episodes})
                handed_in()

        workers = len(self.searches)
        if workers == 1 or len(groups) == 1:
            for group in range(len(groups)):
                play_group(group, 0, Event(), meanwhile)
        else:
            play_side_by_side(play_group, range(len(groups)), workers, meanwhile=meanwhile)

    def _groups(self, numbers: Sequence[int], finished: dict[int, Episode]) -> list[Sequence[int]]:
        """Return the unfinished episodes, in groups that one search plays."""
        most = self.searches[0].games
        if draws_together(self.searches[0], self.params):
            # In a run that ended within this batch, a smaller group drew other random numbers.
            for part in _parts(numbers, most):
                for number in part if not finished.keys() >= set(part) else ():
                    finished.pop(number, None)
        left = [number for number in numbers if number not in finished]
        groups = _parts(left, most)
        if self.params.not_in_slots is not None:
            return groups
        # Empty slots cost as much as full ones, so only threads get fewer games.
        cluster = self.cluster
        shares = min(cluster.cores, len(groups)) if cluster else len(self.searches)
        shares = min(shares, len(left))
        return [left[share::shares] for share in range(shares)]


def play_elsewhere(
    params: Params,
    weights: NetWeights,
    starts: Sequence[tuple[int, ...]],
    until: float,
    numbers: Sequence[int],
) -> list[Episode]:
    """Play episodes in a worker process; see ``SelfPlayEngine.play``."""
    player = player_for(params)
    player.take(weights)
    tools = player.anet.evaluator(), player.search, params, lambda: time.time() >= until
    self_play = SelfPlay(*tools, starts=starts)
    return [*chain(*kept_episodes(scheme(params).play, numbers, self_play))]


@dataclass
class WorkerPlayer:
    """A net, and a search with it, in a worker process."""

    anet: ANET
    search: MCTS
    weights: NetWeights | None = None

    def take(self, weights: NetWeights) -> None:
        """Set the weights of the net, once for all games of a task, which pass the same object."""
        if weights is not self.weights:
            self.anet.restore(weights, 0)
            self.weights = weights


@lru_cache(maxsize=_MOST_SIZES)
def player_for(params: Params) -> WorkerPlayer:
    """Return this process's net and search for a run."""
    if not torch.cuda.is_available():  # the first machine of a cluster may have a GPU
        params = params.model_copy(update={"anet": on_cpu(params.anet)})
    anet = ANET(make_game(params.game.name, **params.game.options.model_dump()), params.anet)
    searches = max(1, len(params.rl.sizes)) * (os.cpu_count() or 1)
    return WorkerPlayer(anet, new_search(anet.evaluator(), params, searches))


def _parts(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    return [numbers[start : start + most] for start in range(0, len(numbers), most)]
