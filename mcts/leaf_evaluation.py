"""Process 3, leaf evaluation: a rollout by the default policy, or the value of the critic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.settings import CONTEXT, ROLLOUT_PROBABILITY, SearchContext
from mcts.tree import PATH, PLAYED, SearchPath
from state_manager.rules import GOES_ON, RNG, STATE, State

EVALUATION = types.float64(CONTEXT, STATE, types.int64, PATH, RNG)
"""``evaluate(context, state, outcome, path, rng) -> value``: the value of a leaf, in [-1, 1], seen
from player 1. It may change the state."""
Evaluation = Callable[[SearchContext, State, int, SearchPath, np.random.Generator], float]
EVALUATION_FUNCTION = function_type(EVALUATION)


@kernel(types.float64(types.int64))
def outcome_value(outcome: int) -> float:
    """Return +1 if player 1 has won, -1 if player 2 has, 0 for a draw."""
    if outcome == 1:
        return 1.0
    return -1.0 if outcome == 2 else 0.0


@kernel(types.int64(CONTEXT, STATE, types.int64, PATH, RNG), inner=True)
def rollout(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> int:
    """Play from the leaf by the default policy; return the outcome, 1, 2 or 3 for a draw."""
    if outcome != GOES_ON:
        return outcome
    rules, policy, legal, actions = context.rules, context.policy, path.legal, path.actions
    return policy.rollout(
        policy.choose, rules, policy.net, state, legal, actions, path.numbers[PLAYED:], rng
    )


@kernel(EVALUATION, inner=True)
def evaluate_by_uniform_rollout(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by the game's own fast kernel for a uniformly random rollout."""
    if outcome == GOES_ON:
        outcome = context.rules.uniform_rollout(state, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout, move by move, with probability sigma, else by the critic."""
    if outcome == GOES_ON:
        sigma, policy = context.settings[ROLLOUT_PROBABILITY], context.policy
        # In batches each leaf draws a number, so that results stay those of earlier versions.
        if (sigma < 1.0 or context.is_batched) and rng.random() >= sigma:
            return policy.critic(context.rules.active_features, policy.net, state)
        outcome = rollout(context, state, outcome, path, rng)
    return outcome_value(outcome)
