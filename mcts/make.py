"""From parameters to a search variant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcts.variants import search_variant

if TYPE_CHECKING:
    from base.params.search import VariantParams
    from mcts.variant import Variant


def make_variant(
    params: VariantParams, tree_policy: str = "uct", **settings: float | None
) -> Variant:
    """Return the variant that parameters describe.

    Args:
        params: The parameters.
        tree_policy: The tree policy, unless the parameters name one.
        settings: More numbers of ``mcts/settings.py``; ``None`` for the variant's own.
    """
    root_noise = None
    if params.root_noise > 0.0:
        from mcts.root_noise import RootNoise

        root_noise = RootNoise(params.root_noise, params.root_noise_alpha)
    variant = search_variant(params.tree_policy or tree_policy, params.rollout)
    return replace(
        variant.with_settings(**params.settings, **settings),
        solver=params.solver,
        root_noise=root_noise,
        memory=params.memory,
    )
