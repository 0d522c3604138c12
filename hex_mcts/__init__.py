"""The program as a library: games, nets, searches, matches and training for Python.

``docs/api.md`` shows each by example. Everything is imported on first use.
"""

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.agent import Agent as Agent
    from agents.match import Arena as Arena
    from agents.options import AgentOptions as AgentOptions
    from anet import ANET as ANET
    from hex_mcts.face import load_net as load_net
    from hex_mcts.face import register_agent as register_agent
    from hex_mcts.face import register_game as register_game
    from hex_mcts.face import register_network as register_network
    from hex_mcts.face import register_tree_policy as register_tree_policy
    from hex_mcts.face import search as search
    from hex_mcts.face import train as train
    from mcts import MCTS as MCTS
    from mcts import Variant as Variant
    from state_manager import StateManager as StateManager
    from state_manager import make_game as make_game

__version__ = "0.3.0"
_HERE = Path(__file__).resolve().parent
_PREFIX = "hex_mcts.rooms." if (_HERE / "rooms").is_dir() else ""  # a wheel's, see hatch_build.py
_FACE = "load_net search train register_agent register_game register_network register_tree_policy"
_MODULES = {
    "ANET": f"{_PREFIX}anet",
    "Agent": f"{_PREFIX}agents.agent",
    "AgentOptions": f"{_PREFIX}agents.options",
    "Arena": f"{_PREFIX}agents.match",
    "MCTS": f"{_PREFIX}mcts",
    "StateManager": f"{_PREFIX}state_manager",
    "Variant": f"{_PREFIX}mcts",
    "main": f"{_PREFIX}main",
    "make_game": f"{_PREFIX}state_manager",
    **dict.fromkeys(_FACE.split(), "hex_mcts.face"),
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    """Import a name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _check_are_found(*rooms: str) -> None:
    """Raise an ``ImportError`` if another file is found before one of these of the clone."""
    clone = _HERE.parent
    for folder in (Path(entry).resolve() for entry in sys.path):
        if folder == clone:
            return
        for room in rooms:
            for file in (folder / f"{room}.py", *folder.glob(f"{room}/*.py")):
                if file.is_file():
                    raise ImportError(
                        f"{file} is in the way of {clone / room}, which hex_mcts imports by the "
                        f"same name {room}: rename yours, or install the wheel (make wheel)",
                        name=__name__,  # so that ``python -m hex_mcts`` shows this line alone
                    )


if not _PREFIX:
    _check_are_found(*(init.parent.name for init in _HERE.parent.glob("*/__init__.py")))
