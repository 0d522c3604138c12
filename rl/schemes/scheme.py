"""What a learning scheme is: a record of what it does where schemes differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from agents.match import Observer
from anet import ANET
from base.params import Params
from mcts import MCTS, BatchedMCTS
from rl.episode import Episode
from rl.gating import GatingResult


class PlayEpisode(Protocol):
    """How an episode is played."""

    def __call__(
        self,
        anet: ANET,
        search: MCTS,
        params: Params,
        number: int,
        generator: np.random.Generator,
        observers: Sequence[Observer] = (),
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Episode:
        """Play an episode.

        Args:
            anet: The net; it does not learn meanwhile, and other threads use it too.
            search: A Monte Carlo tree search for this thread.
            params: The pivotal parameters.
            number: The episode's number, from 1.
            generator: Where all its random numbers come from.
            observers: They see the moves as they are made.
            should_stop: Asked now and then.

        Raises:
            EpisodeAborted: If ``should_stop`` said so.
        """


class PlayTogether(Protocol):
    """How episodes are played by a net that plays no rollouts and is asked in batches."""

    def __call__(
        self,
        anet: ANET,
        search: BatchedMCTS,
        params: Params,
        numbers: Sequence[int],
        finished: dict[int, Episode],
        on_finished: Callable[[], None] = lambda: None,
    ) -> None:
        """Play episodes.

        Args:
            anet: The net.
            search: The searches of several games at once.
            params: The pivotal parameters.
            numbers: Of the episodes, from 1, ascending.
            finished: Gets each episode as soon as it is over.
            on_finished: Called each time when some are.
        """


Judge = Callable[[ANET, ANET, Sequence[MCTS], Params, int], GatingResult]
"""``judge(new, old, searches, params, episode)``: see ``rl.gating.play_gating_games``."""


@dataclass(frozen=True)
class Scheme:
    """A learning scheme. What it does not say is common to all: see ``rl.rl_system``.

    Which tree policy it has, and which parameters it settles itself, is in ``base/params/rl.py``.

    Attributes:
        play_episode: How an episode is played, and which of its positions become cases.
        play_together: The same for nets that are asked in batches; ``None`` if the scheme lets the
            net play rollouts.
        player: Who makes the actual moves, as observers are told.
        judge: Decides after each update whether the new net replaces the old one; ``None`` if it
            always does.
    """

    play_episode: PlayEpisode
    play_together: PlayTogether | None = None
    player: str = "MCTS"
    judge: Judge | None = None
