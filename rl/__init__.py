"""Training by self-play: episodes, replay buffer, cached nets, run directory."""

from typing import TYPE_CHECKING

from base.lazy import on_first_use

if TYPE_CHECKING:
    from rl.resume import check_resumable
    from rl.rl_system import RLSystem
    from rl.run_directory import RunDirectory, RunError, cached_nets, holds_run, newest_checkpoint

__getattr__ = on_first_use(
    __name__,
    resume="check_resumable",
    rl_system="RLSystem",
    run_directory="newest_checkpoint RunDirectory RunError cached_nets holds_run",
)
