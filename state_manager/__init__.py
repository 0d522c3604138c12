"""All game logic: states, legal actions, winners.

The rest of the system uses a game only through its ``StateManager``. A game is imported and
compiled when it is created, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from state_manager.errors import (
    GameError,
    IllegalActionError,
    NodeLimitError,
    StateError,
    TwoWinnersError,
    UnknownGameError,
)
from state_manager.games import game_class, game_names, game_schema, make_game

if TYPE_CHECKING:
    from state_manager.exhaustive import ExactPlay
    from state_manager.judge.judge import Judge, shared_judge
    from state_manager.rules import DRAW, GOES_ON, Indices, Rules, State, Symmetry
    from state_manager.state_manager import StateManager

_HEAVY = {
    **dict.fromkeys(("Judge", "shared_judge"), "judge.judge"),
    **dict.fromkeys(("DRAW", "GOES_ON", "Indices", "Rules", "State", "Symmetry"), "rules"),
    **{"ExactPlay": "exhaustive", "StateManager": "state_manager"},
}


def __getattr__(name: str) -> object:
    """Import on first use the names that need Numba."""
    if name in _HEAVY:
        return getattr(importlib.import_module(f"state_manager.{_HEAVY[name]}"), name)
    raise AttributeError(f"module 'state_manager' has no attribute {name!r}")
