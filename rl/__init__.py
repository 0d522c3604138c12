"""Training by self-play: episodes, replay buffer, cached nets, run directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.lazy import on_first_use

if TYPE_CHECKING:
    from rl.repair import newest_checkpoint
    from rl.resume import check_resumable
    from rl.rl_system import RLSystem
    from rl.run_directory import RunDirectory, RunError, cached_nets, holds_run

__getattr__ = on_first_use(
    __name__,
    repair="newest_checkpoint",
    resume="check_resumable",
    rl_system="RLSystem",
    run_directory="RunDirectory RunError cached_nets holds_run",
)
