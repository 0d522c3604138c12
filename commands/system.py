"""What ``main`` builds and commands drive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from base.params import Params
    from rl import RLSystem
    from state_manager import StateManager
    from topp import TOPP


class System(Protocol):
    """The parts of the program, wired from one file of parameters, each built on first use.

    Attributes:
        params: The pivotal parameters.
        overrides: The ``section.key=value`` words of the command line.
    """

    params: Params
    overrides: Sequence[str]

    @property
    def game(self) -> StateManager:
        """The state manager."""

    def rl_system(self, run: Path) -> RLSystem:
        """The RL system with its searches and an untrained net, over a run directory."""

    def topp(self, nets: Sequence[Path]) -> TOPP:
        """The tournament of these nets; an override of the game must agree with them."""

    def with_overrides(self, overrides: Sequence[str]) -> System:
        """The system with some parameters replaced."""
