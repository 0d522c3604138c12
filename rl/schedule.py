"""Schedules: settings and random numbers that change in the course of a game or a run.

Each use of random numbers has its own stream, and each episode or game its own part of it. So the
random numbers of an episode depend only on the seed and its number.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

import numpy as np

from base.params import Params

MAX_SIMULATIONS = 100_000_000
EPISODE_STREAM, MINIBATCH_STREAM, GATING_STREAM, ROLLOUT_STREAM, EXPLOITER_STREAM = range(1, 6)
SIZE_STREAM = 6
_PROBABLY = 0.5
"""Share of the updates that would follow at the speed so far."""
_GOLDEN_RATIO = (math.sqrt(5.0) - 1.0) / 2.0


def generator(params: Params, stream: int, *numbers: int) -> np.random.Generator:
    """Return the generator of one part of a stream, such as one episode."""
    return np.random.default_rng(np.random.SeedSequence(params.seed, spawn_key=(stream, *numbers)))


class Progress(NamedTuple):
    """Progress of a run; schedules that scale with the run's length use it."""

    done: float  # episodes so far; or seconds, if ``rl.minutes`` is the budget
    whole: float  # those of the whole run

    @property
    def is_over(self) -> bool:
        """Whether the run is over."""
        return self.done >= self.whole


def progress(params: Params, episode: int, seconds: float) -> Progress:
    """Return the progress after an episode and this many seconds of training."""
    if params.rl.minutes is None:
        return Progress(episode, params.rl.episodes)
    return Progress(seconds, 60.0 * params.rl.minutes)


def nets_due(params: Params, progress: Progress) -> int:
    """Return how many cached nets are due so far."""
    return sum(mark <= progress.done for mark in params.rl.net_marks(progress.whole))


def is_net_due(params: Params, progress: Progress, saved: int, updates: int) -> bool:
    """Return whether to save a net after this number of updates, ``saved`` after earlier ones.

    In a run by time, whose updates may become slow, also if each of those that probably follow
    must save one.
    """
    if nets_due(params, progress) > saved or params.rl.minutes is None:
        return nets_due(params, progress) > saved
    following = int(_PROBABLY * (progress.whole - progress.done) * updates / progress.done)
    return params.rl.cached_nets - 1 - saved >= max(1, following)  # the last is saved at the end


def rounds_due(params: Params, progress: Progress) -> int:
    """Return how many rounds of the exploiter are due so far."""
    return sum(share * progress.whole <= progress.done for share in params.rl.exploiter)


def simulations(params: Params, ply: int) -> int:
    """Return M for the move after ``ply`` plies: M * growth ** ply, at least 1."""
    wanted = params.mcts.simulations * params.mcts.simulations_growth**ply
    return max(1, round(min(wanted, MAX_SIMULATIONS)))


def rollout_epsilon(params: Params, episode: int) -> float:
    """Return the share of random moves in the rollouts of an episode, counted from 1."""
    return params.mcts.rollout_epsilon * params.mcts.rollout_epsilon_decay ** (episode - 1)


def sigma(params: Params, episode: int) -> float:
    """Return the probability of a rollout at a leaf in an episode, counted from 1."""
    return params.rl.sigma * params.rl.sigma_decay ** (episode - 1)


def temperature(params: Params, ply: int) -> float:
    """Return the temperature at which the move after ``ply`` plies is drawn; 0 draws none."""
    rl, drawn_moves = params.rl, params.rl.temperature_moves
    is_drawn = rl.action_choice == "probabilistic" and (drawn_moves is None or ply < drawn_moves)
    return rl.temperature if is_drawn else 0.0


def apprentice_choice(params: Params, ply: int = 0) -> tuple[float, float]:
    """Return the temperature and the share of random moves for a net without search."""
    epsilon = 0.0 if params.rl.action_choice == "greedy" else params.rl.epsilon
    return temperature(params, ply), epsilon


def learning_rate(params: Params, progress: Progress) -> float:
    """Return the current share of ``anet.learning_rate``, which falls linearly to its end."""
    end, falls_until = params.anet.learning_rate_end, params.anet.learning_rate_end_at
    return 1.0 - (1.0 - end) * min(1.0, progress.done / (falls_until * progress.whole))


def size_weights(params: Params, progress: Progress) -> dict[int | None, float]:
    """Return the current weight of each board size in the games; see ``RLParams``."""
    return params.rl.size_weights(min(1.0, progress.done / progress.whole))


def sizes(
    weights: Mapping[int | None, float], rng: np.random.Generator, number: int = 0
) -> Iterator[int | None]:
    """Yield board sizes, endless, each as evenly as possible by its weight.

    ``rng`` draws where the sequence begins; it is yielded from place ``number`` on.
    """
    known, ends = list(weights), np.cumsum(list(weights.values()))
    start = rng.random()
    for place in count(number):
        share = (start + place * _GOLDEN_RATIO) % 1.0  # the most even sequence in [0, 1)
        yield known[np.searchsorted(ends / ends[-1], share, side="right")]


def starting_player(params: Params, episode: int) -> int:
    """Return the starting player of an episode, counted from 1; player 1 starts the first."""
    fixed = params.game.starting_player
    return 2 - episode % 2 if fixed == "alternate" else fixed


def batch(params: Params, episode: int) -> range:
    """Return the episodes after ``episode`` up to the end of its batch, or of the run."""
    size = params.rl.episodes_per_update
    end = (episode // size + 1) * size
    return range(episode + 1, 1 + (end if params.rl.minutes else min(end, params.rl.episodes)))


def ends_early(params: Params, episode: int) -> bool:
    """Return whether a batch ends here only because the run does."""
    rl = params.rl
    return rl.minutes is None and episode == rl.episodes and episode % rl.episodes_per_update != 0
