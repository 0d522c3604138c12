"""The assignment's scheme: a search before every move, and each of its distributions D a case.

IT3105, section 6.1: the net that learns from the searches plays their rollouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from agents.match import Observer
from anet import ANET
from base.params import Params
from mcts import MCTS
from rl import schedule
from rl.episode import Episode, play_episode
from rl.schemes.scheme import Scheme


def play_by_search(
    anet: ANET,
    search: MCTS,
    params: Params,
    number: int,
    generator: np.random.Generator,
    observers: Sequence[Observer] = (),
    should_stop: Callable[[], bool] = lambda: False,
) -> Episode:
    """Play an episode, the ANET being the default policy of its searches; see ``PlayEpisode``."""
    search.set_rollout_policy(
        anet.rollout_policy(schedule.rollout_epsilon(params, number)),
        schedule.sigma(params, number),
    )
    return play_episode(anet.game, search, params, number, generator, observers, should_stop)


ON_POLICY = Scheme(play_by_search)
