"""Hooks: work that a run does after each update of the net, beside the assignment's algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

from torch import Tensor

from anet import ANET, TrainingMetrics
from base.cluster import Workers
from base.params import Params
from rl import schedule
from rl.clock import RunClock
from rl.episode import Episode
from rl.schedule import Progress


@dataclass
class Update:
    """An update of the net: the games that it learns from, and its results."""

    episodes: Sequence[Episode]
    size: int | None  # of their board, with ``rl.sizes``
    seconds: float  # of training, at the end of the games
    progress: Progress  # of the run, at the end of the games
    is_net_due: bool  # whether the new net is to be saved
    old_net: dict[str, Tensor] = field(default_factory=dict)
    # The metrics of the minibatches, by the size of their boards.
    steps: dict[int | None, list[TrainingMetrics]] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=dict)  # fields for ``metrics.jsonl``

    @property
    def episode(self) -> int:
        """The number of episodes that the new net has learned from."""
        return self.episodes[-1].number

    @property
    def size_field(self) -> dict[str, int]:
        """The size as a field of the logs, if there are several."""
        return {} if self.size is None else {"size": self.size}

    def metrics(self, params: Params) -> dict[str, Any]:
        """Return the fields for ``metrics.jsonl`` on the games and the minibatches."""
        mean = TrainingMetrics.mean([*chain(*self.steps.values())])
        seconds = sum(each.search_seconds for each in self.episodes)
        fields: dict[str, Any] = {
            "episode": self.episode,
            "loss": mean.loss,
            "entropy": mean.entropy,
            "accuracy": mean.accuracy,
            "plies": sum(len(each.actions) for each in self.episodes) / len(self.episodes),
            "rollout_epsilon": schedule.rollout_epsilon(params, self.episode),
            "simulations_per_second": sum(each.simulations for each in self.episodes) / seconds,
        }
        if mean.value_loss is not None:
            fields["value_loss"] = mean.value_loss
            fields["sigma"] = schedule.sigma(params, self.episode)
        if self.size is not None:
            fields["sizes"] = {
                str(size): {"minibatches": len(each), **vars(TrainingMetrics.mean(each))}
                for size, each in self.steps.items()
            }
        return fields | self.size_field


class Run(Protocol):
    """What hooks ask of a run; see ``RLSystem``."""

    anet: ANET
    params: Params
    episode: int
    clock: RunClock
    undo: ExitStack
    parts: Mapping[int | None, Any]  # ``SizeParts``, which import the schemes and so this file

    @property
    def progress(self) -> Progress:
        """That of the run at the last update."""

    @property
    def workers(self) -> int | Workers:
        """Play games between agents."""

    def size_at(self, place: int) -> int | None:
        """Return a board size of the sequence."""


Hook = Callable[[Run, Update], dict[str, Any]]
"""``hook(run, update)``: called with the new net; return fields for ``metrics.jsonl``.

Ctrl-C can end it. Then the update is undone: what a hook changes, it adds to ``Run.undo``.
"""
