"""Process 3, leaf evaluation: a rollout by the default policy, or the value of the critic."""

from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.settings import CONTEXT, SearchContext
from mcts.tree import PATH, SearchPath
from state_manager.rules import GOES_ON, RNG, STATE, State

LEAF_EVALUATION = types.float64(CONTEXT, STATE, types.int64, PATH, RNG)
"""``evaluate_leaf(context, state, outcome, path, rng) -> value``: the value of a leaf, in [-1, 1],
seen from player 1. It may change the state."""
LeafEvaluation = Callable[[SearchContext, State, int, SearchPath, np.random.Generator], float]


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
    policy, played = context.policy, path.end.played
    outcome, path.end.played = policy.rollout(
        policy.choose, context.rules, policy.net, state, path.legal, path.actions, played, rng
    )
    return int(outcome)


@kernel(LEAF_EVALUATION, inner=True)
def evaluate_leaf_uniformly(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by the game's own fast kernel for a uniformly random rollout."""
    if outcome == GOES_ON:
        outcome = context.rules.uniform_rollout(state, rng)
    return outcome_value(outcome)


@kernel(types.float64(CONTEXT, STATE), inlined=True, inner=True)
def critic_value(context: SearchContext, state: State) -> float:
    """Return the value of a state, from outside or by the policy's critic."""
    if context.is_batched:
        return np.float64(context.evaluation.value[0])
    return context.policy.critic(context.rules.active_features, context.policy.net, state)


@kernel(LEAF_EVALUATION, inner=True)
def evaluate_leaf(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout, move by move, with probability sigma, else by the critic."""
    if outcome == GOES_ON:
        sigma = context.settings.rollout_probability
        if sigma < 1.0 and rng.random() >= sigma:
            return critic_value(context, state)
        outcome = rollout(context, state, outcome, path, rng)
    return outcome_value(outcome)


Evaluate = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64] | None]
]
"""``evaluate(states, legal) -> policies, values``: for states `[B, S]` with legal actions `[B, A]`
the policies `[B, A]`, 0 on illegal actions, and the values `[B]` in [-1, 1], seen from player 1.
A search of several games always calls it with the same number of states."""
