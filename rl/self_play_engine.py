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
from agents.searching import search_of
from anet import ANET
from anet.runtimes.forward import choose_device
from base.cluster import Workers
from base.params import Params
from mcts import MCTS
from mcts.tree_memory import memory_share
from rl.episode import SEARCH_PLAYER, Episode
from rl.hard_cases import HardCases
from rl.schemes import scheme
from rl.self_play import SelfPlay, draws_together, kept_episodes
from state_manager import StateManager, make_game

Weights = dict[str, Tensor]
"""The result of ``ANET.weights``."""

_MOST_GAMES_AT_ONCE, _OF_PLANES, _ON_GPU = 128, 64, 512
"""States per batch, per batch of a net with convolutions, and per batch on a GPU: larger batches
make an evaluation hardly cheaper, and leave more slots without a game at the end of an update."""

_SMALL_BOARD, _CELLS_AT_ONCE = 64, 2048
"""Cells of a small board, and cells per batch of larger ones on a CPU: larger batches take longer
for a position of 13x13, and leave slots of long games empty."""

_MOST_SIZES = 17  # Hex has no more


def games_at_once(game: StateManager, params: Params) -> int:
    """Return the number of games in a search that evaluates a net in batches."""
    cells, most = game.num_actions, _MOST_GAMES_AT_ONCE
    if choose_device(params.anet).type != "cpu":
        most = _ON_GPU
    elif params.anet.sees_planes:
        most = _OF_PLANES
        if cells > _SMALL_BOARD:
            # Batches of a power of two are faster in OpenVINO.
            most = 2 ** int(math.log2(max(1, _CELLS_AT_ONCE // cells)))
    return min(params.rl.episodes_per_update, most)


def new_search(anet: ANET, params: Params, searches: int) -> MCTS:
    """Return a search for all games that advance together; ``searches`` share the memory."""
    mcts, memory = params.mcts, memory_share(params.mcts.memory, searches)
    games = 1 if anet.facts.plays_rollouts else games_at_once(anet.game, params)
    return search_of(
        anet.game,
        mcts.model_copy(update={"tree_policy": params.tree_policy.name, "memory": memory}),
        anet,
        mcts.simulations,
        games=games,
        time_limit=mcts.time_limit,
        exploration=mcts.exploration,
        rollout_epsilon=mcts.rollout_epsilon,
        leaves=1 if games < params.rl.episodes_per_update else None,  # the games fill the batches
    )


@dataclass(eq=False)
class Engine:
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
        is_here = self.cluster is None and self.params.rl.lag == 0
        return is_alone and is_here and self.params.not_in_slots is not None

    def play(
        self,
        numbers: Sequence[int],
        finished: dict[int, Episode],
        observers: Sequence[Observer] = (),
        meanwhile: Callable[[], object] = lambda: None,
        weights: Weights | None = None,
        until: float = math.inf,
    ) -> None:
        """Play the episodes with these numbers, from 1, ascending.

        ``finished`` holds earlier episodes, by number; each episode is added as soon as it is over,
        and stays if Ctrl-C, for instance, ends the rest. Observers receive the moves of a single
        episode as they are made; ``meanwhile`` is called regularly, in this thread. The weights are
        the current ones by default. At ``until``, by ``time.time``, unfinished games are dropped,
        and none begins.
        """
        groups, starts = self._groups(numbers, finished), self.hard_cases.starts
        if self.cluster:

            def take(place: int, played: list[list[Episode]]) -> None:
                finished.update({episode.number: episode for episode in chain(*played)})

            weights = weights or self.anet.weights()
            job = partial(play_elsewhere, self.params, weights, starts, until)
            self.cluster.share_out(job, groups, take, meanwhile)
            return
        if weights is not None:
            self.anet.restore(weights, 0)
        play = scheme(self.params).play

        def play_group(
            group: int, worker: int, stop: Event, handed_in: Callable[[], object] = lambda: None
        ) -> None:
            def should_stop() -> bool:
                return stop.is_set() or time.time() >= until

            tools = self.anet, self.searches[worker], self.params, should_stop, observers, starts
            for episodes in kept_episodes(play, groups[group], SelfPlay(*tools)):
                # One step, which Ctrl-C cannot divide.
                finished.update({episode.number: episode for episode in episodes})
                handed_in()

        workers = len(self.searches)
        if self.params.rl.lag == 0 and (workers == 1 or len(groups) == 1):
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
    weights: Weights,
    starts: Sequence[tuple[int, ...]],
    until: float,
    numbers: Sequence[int],
) -> list[Episode]:
    """Play episodes in a worker process; see ``Engine.play``."""
    player = player_for(params)
    player.take(weights)
    tools = player.anet, player.search, params, lambda: time.time() >= until
    self_play = SelfPlay(*tools, starts=starts)
    return [*chain(*kept_episodes(scheme(params).play, numbers, self_play))]


@dataclass
class Player:
    """A net, and a search with it, in a worker process."""

    anet: ANET
    search: MCTS
    weights: Weights | None = None

    def take(self, weights: Weights) -> None:
        """Set the weights of the net, once for all games of a task, which pass the same object."""
        if weights is not self.weights:
            self.anet.restore(weights, 0)
            self.weights = weights


@lru_cache(maxsize=_MOST_SIZES)
def player_for(params: Params) -> Player:
    """Return this process's net and search for a run."""
    if not torch.cuda.is_available():  # the first machine of a cluster may have a GPU
        words = {"device": "cpu"}
        if params.anet.runtime == "torch":
            words["precision"] = "float32"
        params = params.model_copy(update={"anet": params.anet.model_copy(update=words)})
    anet = ANET(make_game(params.game.name, **params.game.options.model_dump()), params.anet)
    search = new_search(anet, params, max(1, len(params.rl.sizes)) * (os.cpu_count() or 1))
    return Player(anet, search)


def _parts(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    return [numbers[start : start + most] for start in range(0, len(numbers), most)]
