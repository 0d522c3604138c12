"""The search variants by name. A new one is one file, and one line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from base.words import nearest

if TYPE_CHECKING:
    from base.params.search import VariantParams
    from mcts.priors import RootNoise
    from mcts.variant import Variant
    from mcts.variants.gumbel import GumbelNoise

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


def search_variant(tree_policy: str, rollout: str = "default") -> Variant:
    """Return a tree policy's variant; only what is chosen is imported and compiled.

    Raises:
        ValueError: If there is none of these names.
    """
    chosen = cast("Variant", _found("a tree policy", tree_policy, TREE_POLICIES))
    if rollout == "default":
        return chosen
    evaluate = _found("a kind of rollouts", rollout, ROLLOUTS)
    return replace(chosen, evaluate=evaluate, replies=rollout == "last_good_reply")


def make_variant(
    params: VariantParams, tree_policy: str = "uct", **settings: float | None
) -> Variant:
    """Return the variant that parameters describe.

    Args:
        params: The parameters.
        tree_policy: The tree policy, unless the parameters name one.
        settings: More numbers of ``mcts/settings.py``; ``None`` for the variant's own.
    """
    name = params.tree_policy or tree_policy
    variant = search_variant(name, params.rollout)
    root_noise: RootNoise | GumbelNoise | None = None
    if params.root_noise > 0.0 and name == "gumbel":
        from mcts.variants.gumbel import GumbelNoise

        root_noise = GumbelNoise(params.root_noise)
    elif params.root_noise > 0.0:
        from mcts.priors import RootNoise

        root_noise = RootNoise(params.root_noise, params.root_noise_alpha)
    return replace(
        variant.with_settings(**params.settings, **settings),
        solver=params.solver,
        root_noise=root_noise,
        memory=params.memory,
    )


def _found(what: str, name: str, registry: Mapping[str, str]) -> Any:
    """Return what a name stands for; its module is imported."""
    if name not in registry:
        near = nearest(name, list(registry))
        hint = f" (did you mean {near}?)" if near else ""
        raise ValueError(f"expected {what} ({', '.join(registry)}), got {name!r}{hint}")
    module, _, attribute = registry[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
