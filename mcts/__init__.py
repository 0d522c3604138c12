"""Monte Carlo tree search, generic over games and policies: four processes in four files.

``tree_search.py``, ``node_expansion.py``, ``leaf_evaluation.py`` and ``backpropagation.py`` are one
simulation; ``search.py`` names them in that order; ``mcts.py`` is what others use. ``nrpa.py`` is
another search, which grows no tree.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcts.make import make_variant
    from mcts.mcts import MCTS
    from mcts.nrpa import NRPA, NRPAResult
    from mcts.result import SearchResult
    from mcts.thought import Thought, thought_of
    from mcts.variant import Variant
    from mcts.variants import search_variant, tree_policy

_HOME = {
    "MCTS": "mcts",
    "NRPA": "nrpa",
    "NRPAResult": "nrpa",
    "SearchResult": "result",
    "Thought": "thought",
    "Variant": "variant",
    "make_variant": "make",
    "search_variant": "variants",
    "thought_of": "thought",
    "tree_policy": "variants",
}

__all__ = [
    "MCTS",
    "NRPA",
    "NRPAResult",
    "SearchResult",
    "Thought",
    "Variant",
    "make_variant",
    "search_variant",
    "thought_of",
    "tree_policy",
]


def __getattr__(name: str) -> object:
    """Import the kernels on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"mcts.{_HOME[name]}"), name)
    raise AttributeError(f"module 'mcts' has no attribute {name!r}")
