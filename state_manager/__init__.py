"""All game logic: states, legal actions, winners.

The rest of the system uses a game only through its ``StateManager``. A game is imported and
compiled when it is created, not before.
"""

from typing import TYPE_CHECKING

from base.lazy import on_first_use
from state_manager.errors import (
    GameError,
    IllegalActionError,
    NodeLimitError,
    StateError,
    TwoWinnersError,
    UnknownGameError,
)
from state_manager.games import game_class, game_names, game_schema, make_game, resized
from state_manager.outcomes import DRAW, GOES_ON

if TYPE_CHECKING:
    from state_manager.rules import Indices, Rules, State, Symmetry
    from state_manager.state_manager import StateManager

__getattr__ = on_first_use(
    __name__,
    rules="Indices Rules State Symmetry",
    state_manager="StateManager",
)
