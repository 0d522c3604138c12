"""The tournament server at home: a stand-in for the course's own, speaking both protocols."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oht_client.server.certificate import ensure_certificate
    from oht_client.server.server import OHTServer

__all__ = ["OHTServer", "ensure_certificate"]

_MODULES = {
    "OHTServer": "oht_client.server.server",
    "ensure_certificate": "oht_client.server.certificate",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
