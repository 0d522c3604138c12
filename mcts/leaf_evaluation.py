"""Process 3, leaf evaluation: a rollout by the default policy, or the value of the critic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.settings import ROLLOUT_PROBABILITY, SETTINGS, Settings
from mcts.tree import PLAYED, TRACE, Trace
from state_manager.policy import POLICY, Policy
from state_manager.rules import GOES_ON, RNG, RULES, STATE, Rules, State

EVALUATION = types.float64(RULES, POLICY, STATE, types.int64, TRACE, SETTINGS, RNG)
"""``evaluate(rules, policy, state, outcome, trace, settings, rng) -> value``: the value of a leaf,
in [-1, 1], seen from player 1. The state may be changed."""
Evaluation = Callable[[Rules, Policy, State, int, Trace, Settings, np.random.Generator], float]
EVALUATION_FUNCTION = function_type(EVALUATION)


@kernel(types.float64(types.int64))
def outcome_value(outcome: int) -> float:
    """Return +1 if player 1 has won, -1 if player 2 has, 0 for a draw."""
    if outcome == 1:
        return 1.0
    return -1.0 if outcome == 2 else 0.0


@kernel(types.int64(RULES, POLICY, STATE, types.int64, TRACE, RNG), inner=True)
def rollout(
    rules: Rules,
    policy: Policy,
    state: State,
    outcome: int,
    trace: Trace,
    rng: np.random.Generator,
) -> int:
    """Play from the leaf to a final state, both players by the default policy.

    Returns:
        The outcome: 1 or 2 if that player has won, 3 for a draw.
    """
    legal, actions = trace.legal, trace.actions
    played = trace.length[PLAYED]
    while outcome == GOES_ON:
        count = rules.legal_actions(state, legal)
        action = policy.choose(rules.active_features, policy.net, state, legal, count, rng)
        outcome = rules.play(state, action)
        actions[played] = action
        played += 1
    trace.length[PLAYED] = played
    return outcome


@kernel(EVALUATION, inner=True)
def evaluate_by_uniform_rollout(
    rules: Rules,
    policy: Policy,
    state: State,
    outcome: int,
    trace: Trace,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by the game's own fast way of playing uniformly at random."""
    if outcome == GOES_ON:
        outcome = rules.uniform_rollout(state, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout(
    rules: Rules,
    policy: Policy,
    state: State,
    outcome: int,
    trace: Trace,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by one rollout, move by move."""
    return outcome_value(rollout(rules, policy, state, outcome, trace, rng))


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout_or_critic(
    rules: Rules,
    policy: Policy,
    state: State,
    outcome: int,
    trace: Trace,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by a rollout with probability sigma, else by the critic; a final leaf is known."""
    if outcome == GOES_ON:
        if rng.random() >= settings[ROLLOUT_PROBABILITY]:
            return policy.critic(rules.active_features, policy.net, state)
        outcome = rollout(rules, policy, state, outcome, trace, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout_or_answer(
    rules: Rules,
    policy: Policy,
    state: State,
    outcome: int,
    trace: Trace,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by a rollout with probability sigma, else by the value from outside the search."""
    if outcome == GOES_ON:
        if rng.random() >= settings[ROLLOUT_PROBABILITY]:
            return trace.scores[len(trace.scores) - 1]
        outcome = rollout(rules, policy, state, outcome, trace, rng)
    return outcome_value(outcome)
