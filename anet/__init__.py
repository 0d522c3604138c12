"""The actor network: torch for training, kernels for rollouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anet.errors import DivergedError as DivergedError
from anet.errors import NetError as NetError
from anet.free_memory import give_back_freed_memory as give_back_freed_memory
from base.lazy import on_first_use

if TYPE_CHECKING:
    from anet.anet import ANET as ANET
    from anet.training import Minibatch as Minibatch
    from anet.training import TrainingMetrics as TrainingMetrics

__getattr__ = on_first_use(__name__, anet="ANET", training="Minibatch TrainingMetrics")
