"""Hooks: work that a run does after each update of the net, beside the assignment's algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from anet import TrainingMetrics
from rl.episode import Episode
from rl.schedule import Progress

if TYPE_CHECKING:
    from rl.rl_system import RLSystem


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


Hook = Callable[["RLSystem", Update], dict[str, Any]]
"""``hook(system, update)``: called with the new net; return fields for ``metrics.jsonl``.

Ctrl-C can end it. Then the update is undone: what a hook changes, it adds to ``RLSystem.undo``.
"""
