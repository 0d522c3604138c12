"""From parameters to a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mcts.mcts import MCTS
from mcts.memory import memory_share
from mcts.variants import search_variant

if TYPE_CHECKING:
    from base.params.search import VariantParams
    from mcts.batched_mcts import BatchedMCTS, Evaluate
    from mcts.root_noise import RootNoise
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
    search = MCTS(
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
        root_noise=_root_noise(params),
    )
    search.memory = memory_share(params.memory)
    return search


def make_batched_search(
    game: StateManager,
    params: VariantParams,
    simulations: int,
    evaluate: Evaluate,
    *,
    games: int = 1,
    exploration: float | None = None,
    time_limit: float | None = None,
    rollout_probability: float = 0.0,
    tree_policy: str = "puct",
) -> BatchedMCTS:
    """Return the search that parameters describe, for a net that is asked in batches.

    Args:
        game: The rules.
        params: The variant.
        simulations: See ``BatchedMCTS``, as for what is not described here.
        evaluate: See ``BatchedMCTS``.
        games: See ``BatchedMCTS``.
        exploration: See ``BatchedMCTS``.
        time_limit: See ``BatchedMCTS``.
        rollout_probability: See ``BatchedMCTS``.
        tree_policy: The tree policy, unless the parameters name one.

    Raises:
        ValueError: If the parts do not go together.
    """
    from mcts.batched_mcts import BatchedMCTS

    search = BatchedMCTS(
        game,
        evaluate,
        search_variant(params.tree_policy or tree_policy, params.rollout),
        games=games,
        simulations=simulations,
        exploration=exploration,
        time_limit=time_limit,
        settings=params.settings,
        rollout_probability=rollout_probability,
        solver=params.solver,
        root_noise=_root_noise(params),
    )
    search.memory = memory_share(params.memory)
    return search


def _root_noise(params: VariantParams) -> RootNoise | None:
    """Return the noise that the parameters ask for."""
    if params.root_noise == 0.0:
        return None
    from mcts.root_noise import RootNoise

    return RootNoise(params.root_noise, params.root_noise_alpha)
