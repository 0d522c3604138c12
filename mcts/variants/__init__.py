"""The search variants by name. A new one is one file, and one line in ``base/methods.py``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from base.methods import DEFAULT_ROLLOUT, ROLLOUTS, TREE_POLICIES
from base.registry import loaded

if TYPE_CHECKING:
    from base.params.search_section import VariantParams
    from mcts.variant import Variant


def search_variant(tree_policy: str, rollout: str = "default") -> Variant:
    """Return a tree policy's variant, importing only its modules; a ``ValueError`` if unknown."""
    method, how = TREE_POLICIES.entry(tree_policy), ROLLOUTS.entry(rollout)
    chosen = replace(cast("Variant", loaded(method.entry)), method=method)  # a registered one, too
    if how == DEFAULT_ROLLOUT:
        return chosen
    evaluate: Any = loaded(how.entry)
    has_replies = rollout == "last_good_reply"
    return replace(chosen, rollout=how, evaluate_leaf=evaluate, replies=has_replies)


def make_variant(params: VariantParams, **settings: float | None) -> Variant:
    """Return the variant of parameters, UCT by default; ``settings`` are more of them."""
    name = params.tree_policy or "uct"
    variant = search_variant(name, params.rollout)
    from mcts.priors import GumbelNoise, RootNoise

    amount, noise = params.root_noise, None
    if amount > 0.0:
        is_gumbel = name == "gumbel"
        noise = GumbelNoise(amount) if is_gumbel else RootNoise(amount, params.root_noise_alpha)
    variant = variant.with_settings(**params.settings, **settings)
    return replace(variant, solver=params.solver, root_noise=noise, memory=params.memory)
