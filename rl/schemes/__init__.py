"""The learning schemes by name, chosen with ``rl.scheme``. A new one is one file, one line here."""

from __future__ import annotations

import importlib
from typing import cast

from base.params import Params
from rl.schemes.scheme import Scheme

SCHEMES = {
    "on_policy": "rl.schemes.on_policy:ON_POLICY",
    "expert_iteration": "rl.schemes.expert_iteration:EXPERT_ITERATION",
    "alphazero": "rl.schemes.alphazero:ALPHAZERO",
}

__all__ = ["SCHEMES", "Scheme", "scheme"]


def scheme(params: Params) -> Scheme:
    """Return the scheme that the parameters choose."""
    module, _, attribute = SCHEMES[params.rl.scheme].partition(":")
    return cast(Scheme, getattr(importlib.import_module(module), attribute))
