"""The actor network: torch to learn, kernels to play rollouts."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from anet.errors import DivergedError, NetError
from anet.memory import give_back_freed_memory

if TYPE_CHECKING:
    from anet.anet import ANET
    from anet.training import Minibatch, TrainingMetrics

_HOME = {"ANET": "anet.anet", "Minibatch": "anet.training", "TrainingMetrics": "anet.training"}

__all__ = [
    "ANET",
    "DivergedError",
    "Minibatch",
    "NetError",
    "TrainingMetrics",
    "give_back_freed_memory",
]


def __getattr__(name: str) -> object:
    """Import torch on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'anet' has no attribute {name!r}")
