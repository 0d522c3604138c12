"""Process 3, leaf evaluation: a rollout by the default policy, or the critic's opinion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types

from base.jit import function_type, kernel
from mcts.settings import ROLLOUT_PROBABILITY, SETTINGS, Settings
from mcts.tree import PLAYED, TRACE, Trace
from state_manager.policy import (
    CRITIC_FUNCTION,
    NET,
    POLICY_FUNCTION,
    ActiveFeatures,
    CriticKernel,
    Net,
    PolicyKernel,
)
from state_manager.rules import (
    ACTIVE_FEATURES_FUNCTION,
    GOES_ON,
    LEGAL_ACTIONS_FUNCTION,
    PLAY_FUNCTION,
    RNG,
    STATE,
    UNIFORM_ROLLOUT_FUNCTION,
    Indices,
    State,
)

Play = Callable[[State, int], int]
LegalActions = Callable[[State, Indices], int]
UniformRollout = Callable[[State, np.random.Generator], int]

EVALUATION = types.float64(
    PLAY_FUNCTION,
    LEGAL_ACTIONS_FUNCTION,
    ACTIVE_FEATURES_FUNCTION,
    UNIFORM_ROLLOUT_FUNCTION,
    POLICY_FUNCTION,
    CRITIC_FUNCTION,
    STATE,
    types.int64,
    TRACE,
    NET,
    SETTINGS,
    RNG,
)
"""``evaluate(rules..., policy, critic, state, outcome, trace, net, settings, rng) -> value``: the
value of a leaf, in [-1, 1], seen from player 1. The state may be changed."""
EVALUATION_FUNCTION = function_type(EVALUATION)


@kernel(types.float64(types.int64))
def outcome_value(outcome: int) -> float:
    """Return +1 if player 1 has won, -1 if player 2 has, 0 for a draw."""
    if outcome == 1:
        return 1.0
    return -1.0 if outcome == 2 else 0.0


@kernel(
    types.int64(
        PLAY_FUNCTION,
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        POLICY_FUNCTION,
        STATE,
        types.int64,
        TRACE,
        NET,
        RNG,
    ),
    inner=True,
)
def rollout(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    policy: PolicyKernel,
    state: State,
    outcome: int,
    trace: Trace,
    net: Net,
    rng: np.random.Generator,
) -> int:
    """Play from the leaf to a final state, both players by the default policy; return who won."""
    weights, layout, epsilon, values, rows = net
    legal, actions = trace.legal, trace.actions
    played = trace.length[PLAYED]
    while outcome == GOES_ON:
        count = legal_actions(state, legal)
        action = policy(
            active_features, state, legal, count, weights, layout, epsilon, values, rows, rng
        )
        outcome = play(state, action)
        actions[played] = action
        played += 1
    trace.length[PLAYED] = played
    return outcome


@kernel(EVALUATION, inner=True)
def evaluate_by_uniform_rollout(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    uniform_rollout: UniformRollout,
    policy: PolicyKernel,
    critic: CriticKernel,
    state: State,
    outcome: int,
    trace: Trace,
    net: Net,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by the game's own fast way of playing uniformly at random."""
    if outcome == GOES_ON:
        outcome = uniform_rollout(state, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    uniform_rollout: UniformRollout,
    policy: PolicyKernel,
    critic: CriticKernel,
    state: State,
    outcome: int,
    trace: Trace,
    net: Net,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by one rollout, move by move."""
    outcome = rollout(play, legal_actions, active_features, policy, state, outcome, trace, net, rng)
    return outcome_value(outcome)


@kernel(EVALUATION, inner=True)
def evaluate_by_rollout_or_critic(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    uniform_rollout: UniformRollout,
    policy: PolicyKernel,
    critic: CriticKernel,
    state: State,
    outcome: int,
    trace: Trace,
    net: Net,
    settings: Settings,
    rng: np.random.Generator,
) -> float:
    """Evaluate by a rollout with probability sigma, else by the critic; a final leaf is known."""
    if outcome == GOES_ON:
        if rng.random() >= settings[ROLLOUT_PROBABILITY]:
            return critic(active_features, state, net.weights, net.layout, net.values, net.rows)
        outcome = rollout(
            play, legal_actions, active_features, policy, state, outcome, trace, net, rng
        )
    return outcome_value(outcome)
