"""Rooms that import what they offer on first use, so that no command loads more than it needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable


def on_first_use(room: str, **modules: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a room.

    Args:
        room: Its name.
        modules: What each of its modules offers, names with spaces between them.
    """

    def look_up(name: str) -> object:
        for module, names in modules.items():
            if name in names.split():
                return getattr(importlib.import_module(f"{room}.{module}"), name)
        raise AttributeError(f"module {room!r} has no attribute {name!r}")

    return look_up
