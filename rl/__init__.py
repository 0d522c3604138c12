"""Training by self-play: episodes, replay buffer, cached nets, run directory."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rl.rl_system import RLSystem
    from rl.run_directory import RunDirectory, RunError, cached_nets

_HOME = {
    "RLSystem": "rl.rl_system",
    "RunDirectory": "rl.run_directory",
    "RunError": "rl.run_directory",
    "cached_nets": "rl.run_directory",
}

__all__ = ["RLSystem", "RunDirectory", "RunError", "cached_nets"]


def __getattr__(name: str) -> object:
    """Import torch and the kernels on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'rl' has no attribute {name!r}")
