"""The Online Hex Tournament: clients for both generations of the server, and a server at home."""

from __future__ import annotations

import importlib

from oht_client.errors import OHTError

_HOME: dict[str, str] = {}

__all__ = ["OHTError"]


def __getattr__(name: str) -> object:
    """Import on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'oht_client' has no attribute {name!r}")
