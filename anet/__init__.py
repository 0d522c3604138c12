"""The actor network: torch for training, kernels for rollouts."""

from typing import TYPE_CHECKING

from anet.errors import DivergedError, NetError
from anet.free_memory import give_back_freed_memory
from base.lazy import on_first_use

if TYPE_CHECKING:
    from anet.anet import ANET
    from anet.training import Minibatch, TrainingMetrics

__getattr__ = on_first_use(__name__, anet="ANET", training="Minibatch TrainingMetrics")
