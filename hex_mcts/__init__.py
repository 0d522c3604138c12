"""The program as a library: games, nets, searches, matches and training for Python.

``docs/api.md`` shows each by example. Everything is imported on first use.
"""

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.match import Arena as Arena
    from anet import ANET as ANET
    from hex_mcts.face import load_net as load_net
    from hex_mcts.face import register_agent as register_agent
    from hex_mcts.face import register_game as register_game
    from hex_mcts.face import register_network as register_network
    from hex_mcts.face import register_tree_policy as register_tree_policy
    from hex_mcts.face import search as search
    from hex_mcts.face import train as train
    from mcts import MCTS as MCTS
    from state_manager import make_game as make_game

_FACE = "load_net search train register_agent register_game register_network register_tree_policy"
_MODULES = {
    "ANET": "anet",
    "Arena": "agents.match",
    "MCTS": "mcts",
    "main": "main",
    "make_game": "state_manager",
    **dict.fromkeys(_FACE.split(), "hex_mcts.face"),
}
__all__ = sorted(_MODULES)

_ROOMS = Path(__file__).resolve().parent / "rooms"
_ROOT = str(_ROOMS if _ROOMS.is_dir() else _ROOMS.parent.parent)
if sys.path[:1] != [_ROOT]:  # an editable install has it last
    sys.path.insert(0, _ROOT)  # first: other packages are called ``mcts`` or ``agents``, too


def __getattr__(name: str) -> object:
    """Import a name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
