"""The search of a game, a method, a net and an effort: of agents, self-play, analysis, practice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import mcts

if TYPE_CHECKING:
    from agents.agent import Seed
    from anet.evaluator import Evaluator
    from base.params.search_section import VariantParams
    from state_manager import StateManager


def search_of(
    game: StateManager,
    method: VariantParams,
    net: Evaluator | None,
    simulations: int,
    *,
    games: int = 1,
    time_limit: float | None = None,
    exploration: float | None = None,
    sigma: float | None = None,
    rollout_epsilon: float = 0.1,
    leaves: int | None = None,
    seed: Seed = 0,
) -> mcts.MCTS:
    """Return a search; see ``MCTS`` for its effort: ``simulations``, ``games``, ``time_limit``.

    A net plays the rollouts, if it can, and is evaluated in batches otherwise. Without one,
    rollouts are uniformly random; with one, a move is with probability ``rollout_epsilon``.
    ``None`` is the method's own ``exploration`` and number of ``leaves`` that wait together; as
    ``sigma`` it is 0 for a net that is evaluated in batches and has a critic, else 1.

    Raises:
        ValueError: If the method does not fit the net, or a number is out of range.
    """
    variant = mcts.make_variant(method, exploration=exploration, rollout_probability=sigma)
    evaluation: dict[str, Any] = {}
    if net is not None and net.facts.plays_rollouts:
        evaluation = {"rollout_policy": net.rollout_policy(rollout_epsilon)}
    elif net is not None:
        evaluation = {"evaluate": net.evaluate_batch}
    return mcts.MCTS(
        game,
        simulations,
        variant=variant if leaves is None else replace(variant, leaves=leaves),
        games=games,
        time_limit=time_limit,
        seed=seed,
        **evaluation,
    )
