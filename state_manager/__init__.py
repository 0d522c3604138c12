"""All game logic: states, legal actions, winners.

The rest of the system uses a game only through its ``StateManager``. A game is imported and
compiled when it is created, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.lazy import on_first_use
from state_manager.errors import GameError as GameError
from state_manager.errors import IllegalActionError as IllegalActionError
from state_manager.errors import NodeLimitError as NodeLimitError
from state_manager.errors import StateError as StateError
from state_manager.errors import TwoWinnersError as TwoWinnersError
from state_manager.errors import UnknownGameError as UnknownGameError
from state_manager.games import game_class as game_class
from state_manager.games import game_names as game_names
from state_manager.games import game_schema as game_schema
from state_manager.games import make_game as make_game

if TYPE_CHECKING:
    from state_manager.exhaustive import ExactPlay as ExactPlay
    from state_manager.judge.judge import Judge as Judge
    from state_manager.judge.judge import shared_judge as shared_judge
    from state_manager.rules import DRAW as DRAW
    from state_manager.rules import GOES_ON as GOES_ON
    from state_manager.rules import Indices as Indices
    from state_manager.rules import Rules as Rules
    from state_manager.rules import State as State
    from state_manager.rules import Symmetry as Symmetry
    from state_manager.state_manager import StateManager as StateManager

__getattr__ = on_first_use(
    __name__,
    exhaustive="ExactPlay",
    rules="DRAW GOES_ON Indices Rules State Symmetry",
    state_manager="StateManager",
    **{"judge.judge": "Judge shared_judge"},
)
