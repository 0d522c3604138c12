"""Packages that import their public names on first use: a command loads only what it needs."""

import importlib
from collections.abc import Callable


def on_first_use(room: str, **modules: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a room; ``modules`` has the public names of each module."""

    def look_up(name: str) -> object:
        for module, names in modules.items():
            if name in names.split():
                return getattr(importlib.import_module(f"{room}.{module}"), name)
        raise AttributeError(f"module {room!r} has no attribute {name!r}")

    return look_up
