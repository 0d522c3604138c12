"""The search variants by name. A new one is one file, and one line here."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mcts.variant import Variant

TREE_POLICIES = {
    "uct": "mcts.variants.uct:UCT",
    "ucb1_tuned": "mcts.variants.ucb1_tuned:UCB1_TUNED",
    "uct_rave": "mcts.variants.rave:UCT_RAVE",
    "uct_rave_ratio": "mcts.variants.rave:UCT_RAVE_RATIO",
    "puct": "mcts.variants.puct:PUCT",
    "gumbel": "mcts.variants.gumbel:GUMBEL",
    "n_mcts": "mcts.variants.n_mcts:N_MCTS",
    "n_mcts_paper": "mcts.variants.n_mcts:N_MCTS_PAPER",
    "n_mcts_proportional": "mcts.variants.n_mcts:N_MCTS_PROPORTIONAL",
}


ROLLOUTS = {
    "default": "",
    "several": "mcts.variants.default_policies:evaluate_by_several_rollouts",
    "last_good_reply": "mcts.variants.default_policies:evaluate_by_good_replies",
    "quality": "mcts.variants.quality:evaluate_by_quality",
}
"""How leaves are evaluated; ``default`` is what fits the default policy."""


def tree_policy(name: str) -> Variant:
    """Return the variant of a tree policy; only this one's kernels are imported and compiled.

    Raises:
        ValueError: If there is none of that name.
    """
    return cast("Variant", _found("a tree policy", name, TREE_POLICIES))


def search_variant(tree_policy_name: str, rollout: str = "default") -> Variant:
    """Return a tree policy's variant with other rollouts.

    Raises:
        ValueError: If there is none of these names.
    """
    chosen = tree_policy(tree_policy_name)
    if rollout == "default":
        return chosen
    evaluate = _found("a kind of rollouts", rollout, ROLLOUTS)
    return replace(chosen, evaluate=evaluate, replies=rollout == "last_good_reply")


def _found(what: str, name: str, registry: Mapping[str, str]) -> Any:
    """Return what a name stands for; its module is imported."""
    if name not in registry:
        near = difflib.get_close_matches(name, registry, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ValueError(f"expected {what} ({', '.join(registry)}), got {name!r}{hint}")
    module, _, attribute = registry[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
