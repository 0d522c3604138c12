"""Process 3, leaf evaluation: a rollout by the default policy, or the value of the critic.

If leaves are evaluated outside, in batches, the evaluation is written into the ``Net`` of
``outside_policy`` before a simulation ends, as float32: ``weights`` hold the probabilities, `[A]`,
and ``values`` the value, `[1]`. So variants read it like any other policy's.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel
from mcts.settings import CONTEXT, ROLLOUT_PROBABILITY, SearchContext
from mcts.tree import PATH, PLAYED, SearchPath
from state_manager.policy import CRITIC, NO_NET, PRIOR, ActiveFeatures, Net, Policy
from state_manager.rules import GOES_ON, RNG, STATE, Indices, State

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


Evaluate = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64] | None]
]
"""``evaluate(states, legal) -> policies, values``: for states `[B, S]` with legal actions `[B, A]`
the policies `[B, A]`, 0 on illegal actions, and the values `[B]` in [-1, 1], seen from player 1.
A search of several games always calls it with the same number of states."""


@kernel(PRIOR, inner=True)
def evaluated_prior(
    active_features: ActiveFeatures,
    net: Net,
    state: State,
    legal: Indices,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Share out the evaluation's probabilities of these actions."""
    total = 0.0
    for i in range(count):
        total += np.float64(net.weights[legal[i]])
    for i in range(count):
        # A forced action may have probability 0.
        out[i] = np.float64(net.weights[legal[i]]) / total if total > 0.0 else 1.0 / count


@kernel(CRITIC, inner=True)
def evaluated_value(active_features: ActiveFeatures, net: Net, state: State) -> float:
    """Return the evaluation's value."""
    return np.float64(net.values[0])


def outside_policy(num_actions: int) -> Policy:
    """Return the policy; its rollouts are uniformly random."""
    net = NO_NET._replace(weights=np.zeros(num_actions, np.float32), values=np.zeros(1, np.float32))
    return Policy(prior=evaluated_prior, critic=evaluated_value, net=net)
