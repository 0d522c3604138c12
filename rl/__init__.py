"""Training by self-play: episodes, replay buffer, cached nets, run directory."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rl.changes import check_resumable
    from rl.mending import newest_checkpoint
    from rl.rl_system import RLSystem
    from rl.run_directory import RunDirectory, RunError, cached_nets, holds_run

_HOME = {
    "RLSystem": "rl.rl_system",
    "RunDirectory": "rl.run_directory",
    "RunError": "rl.run_directory",
    "cached_nets": "rl.run_directory",
    "check_resumable": "rl.changes",
    "holds_run": "rl.run_directory",
    "newest_checkpoint": "rl.mending",
}

__all__ = [
    "RLSystem",
    "RunDirectory",
    "RunError",
    "cached_nets",
    "check_resumable",
    "holds_run",
    "newest_checkpoint",
]


def __getattr__(name: str) -> object:
    """Import torch and the kernels on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'rl' has no attribute {name!r}")
