"""Process 3, leaf evaluation: a rollout by the default policy, or the value of the critic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.settings import GIVEN, ROLLOUT_PROBABILITY, Given
from mcts.tree import PLAYED, TRACE, Trace
from state_manager.rules import GOES_ON, RNG, STATE, State

EVALUATION = types.float64(GIVEN, STATE, types.int64, TRACE, RNG)
"""``evaluate(given, state, outcome, trace, rng) -> value``: the value of a leaf, in [-1, 1], seen
from player 1. It may change the state."""
Evaluation = Callable[[Given, State, int, Trace, np.random.Generator], float]
EVALUATION_FUNCTION = function_type(EVALUATION)


@kernel(types.float64(types.int64))
def outcome_value(outcome: int) -> float:
    """Return +1 if player 1 has won, -1 if player 2 has, 0 for a draw."""
    if outcome == 1:
        return 1.0
    return -1.0 if outcome == 2 else 0.0


@kernel(types.int64(GIVEN, STATE, types.int64, TRACE, RNG), inner=True)
def rollout(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> int:
    """Play from the leaf to a final state, both players by the default policy.

    Returns:
        The outcome: 1 or 2 if that player has won, 3 for a draw.
    """
    if outcome != GOES_ON:
        return outcome
    rules, policy = given.rules, given.policy
    legal, actions, played = trace.legal, trace.actions, trace.length[PLAYED:]
    return policy.rollout(policy.choose, rules, policy.net, state, legal, actions, played, rng)


@kernel(EVALUATION, inner=True)
def evaluate_by_uniform_rollout(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> float:
    """Evaluate by the game's own fast kernel for a uniformly random rollout."""
    if outcome == GOES_ON:
        outcome = given.rules.uniform_rollout(state, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout, move by move, with probability sigma, else by the critic.

    A final leaf has its result.
    """
    if outcome == GOES_ON:
        sigma, policy = given.settings[ROLLOUT_PROBABILITY], given.policy
        if sigma < 1.0 and rng.random() >= sigma:
            return policy.critic(given.rules.active_features, policy.net, state)
        outcome = rollout(given, state, outcome, trace, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inlined=True, inner=True)
def evaluate_by_rollout_or_answer(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout with probability sigma, else by the value in ``Trace.scores``."""
    if outcome == GOES_ON:
        if rng.random() >= given.settings[ROLLOUT_PROBABILITY]:
            return trace.scores[len(trace.scores) - 1]
        outcome = rollout(given, state, outcome, trace, rng)
    return outcome_value(outcome)
