"""The folder of the program, and which errors are its own."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of all rooms, ``params.yaml`` and ``nets``: the clone's, or one in a package."""


def is_own_error(error: Exception) -> bool:
    """Return whether an error is a ``ValueError`` of this program, which says all in one line."""
    room = type(error).__module__.partition(".")[0]
    return isinstance(error, ValueError) and (ROOT / room).is_dir()
