"""The folder of the program, and which errors are its own."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of all rooms, ``params.yaml`` and ``nets``: the clone's, or one in a package."""
PREFIX = __name__.removesuffix("base.project")
"""Begins the names of all modules here: nothing in a clone, ``hex_mcts.rooms.`` in a wheel."""
IMPORTED_FROM = Path(__file__).resolve().parents[1 + PREFIX.count(".")]
"""The folder on ``sys.path`` where these names are found: ``ROOT`` in a clone."""


def room_of(module: str) -> str:
    """Return the room of a module by its name; an empty text if it is not of this program."""
    room = module.removeprefix(PREFIX).partition(".")[0]
    return room if module.startswith(PREFIX) and (ROOT / room).is_dir() else ""


def is_own_error(error: Exception) -> bool:
    """Return whether an error is a ``ValueError`` of this program, which says all in one line."""
    return isinstance(error, ValueError) and room_of(type(error).__module__) != ""
