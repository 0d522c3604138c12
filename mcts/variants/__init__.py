"""The search variants by name. A new one is one file, and one line here."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mcts.variant import Variant

TREE_POLICIES = {
    "uct": "mcts.variants.uct:UCT",
    "ucb1_tuned": "mcts.variants.ucb1_tuned:UCB1_TUNED",
    "uct_rave": "mcts.variants.rave:UCT_RAVE",
    "uct_rave_ratio": "mcts.variants.rave:UCT_RAVE_RATIO",
    "puct": "mcts.variants.puct:PUCT",
    "n_mcts": "mcts.variants.n_mcts:N_MCTS",
    "n_mcts_paper": "mcts.variants.n_mcts:N_MCTS_PAPER",
    "n_mcts_proportional": "mcts.variants.n_mcts:N_MCTS_PROPORTIONAL",
}


def tree_policy(name: str) -> Variant:
    """Return the variant of a tree policy; only this one's kernels are imported and compiled.

    Raises:
        ValueError: If there is none of that name.
    """
    if name not in TREE_POLICIES:
        near = difflib.get_close_matches(name, TREE_POLICIES, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ValueError(f"expected a tree policy ({', '.join(TREE_POLICIES)}), got {name!r}{hint}")
    module, _, attribute = TREE_POLICIES[name].partition(":")
    return cast("Variant", getattr(importlib.import_module(module), attribute))
