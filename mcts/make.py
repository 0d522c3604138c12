"""From parameters to a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mcts.mcts import MCTS
from mcts.variants import search_variant

if TYPE_CHECKING:
    from params.search import VariantParams
    from state_manager import StateManager
    from state_manager.policy import Policy


def make_search(
    game: StateManager,
    params: VariantParams,
    simulations: int,
    *,
    exploration: float | None = None,
    time_limit: float | None = None,
    tree_policy: str = "uct",
    rollout_policy: Policy | None = None,
    rollout_probability: float = 1.0,
    seed: int | np.random.SeedSequence | np.random.Generator = 0,
) -> MCTS:
    """Return the search that parameters describe.

    Args:
        game: The rules.
        params: The variant.
        simulations: See ``MCTS``, as for what is not described here.
        exploration: See ``MCTS``.
        time_limit: See ``MCTS``.
        tree_policy: The tree policy, unless the parameters name one.
        rollout_policy: See ``MCTS``.
        rollout_probability: See ``MCTS``.
        seed: See ``MCTS``.

    Raises:
        ValueError: If the parts do not go together.
    """
    root_noise = None
    if params.root_noise > 0.0:
        from mcts.root_noise import RootNoise

        root_noise = RootNoise(params.root_noise, params.root_noise_alpha)
    return MCTS(
        game,
        simulations,
        exploration=exploration,
        time_limit=time_limit,
        rollout_policy=rollout_policy,
        rollout_probability=rollout_probability,
        seed=seed,
        variant=search_variant(params.tree_policy or tree_policy, params.rollout),
        settings=params.settings,
        solver=params.solver,
        root_noise=root_noise,
    )
