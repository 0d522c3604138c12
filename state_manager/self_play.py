"""A whole game that a policy plays against itself, without a search, in one call.

Letters: S length of a state, A actions, P plies of the longest game.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, kernel
from state_manager.policy import (
    NET,
    PRIOR_FUNCTION,
    ActiveFeatures,
    Net,
    Policy,
    PriorKernel,
)
from state_manager.rules import (
    ACTIVE_FEATURES_FUNCTION,
    GOES_ON,
    INDICES,
    LEGAL_ACTIONS_FUNCTION,
    PLAY_FUNCTION,
    RNG,
    Indices,
    State,
    copy_state,
)
from state_manager.state_manager import StateManager

WEIGHTS = types.float64[::1]
Weights = NDArray[np.float64]


@kernel(types.int64(WEIGHTS, types.int64, types.float64, RNG))
def draw(weights: Weights, count: int, temperature: float, rng: np.random.Generator) -> int:
    """Draw one of the first `count` places in proportion to weight ** (1 / temperature).

    Temperature 0 takes the highest weight, the first where several are highest. ``weights`` is
    changed in place.
    """
    best = 0
    for i in range(1, count):
        if weights[i] > weights[best]:
            best = i
    if temperature == 0.0:
        return best
    highest = weights[best]
    total = 0.0
    for i in range(count):
        share = weights[i] / highest
        weights[i] = math.exp(math.log(share) / temperature) if share > 0.0 else 0.0
        total += weights[i]
    left = rng.random() * total
    for i in range(count):
        left -= weights[i]
        if left < 0.0:
            return i
    return best  # rounding has left a little of the total


@kernel(
    types.int64(
        PLAY_FUNCTION,
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        PRIOR_FUNCTION,
        NET,
        types.float64,
        types.int64,
        types.float64,
        types.int8[:, ::1],
        INDICES,
        INDICES,
        WEIGHTS,
        RNG,
    ),
    allocates=True,
)
def play_to_the_end(
    play: Callable[[State, int], int],
    legal_actions: Callable[[State, Indices], int],
    active_features: ActiveFeatures,
    prior: PriorKernel,
    net: Net,
    temperature: float,
    drawn_moves: int,
    epsilon: float,
    states: State,
    actions: Indices,
    legal: Indices,
    probabilities: Weights,
    rng: np.random.Generator,
) -> int:
    """Play from ``states[0]``; write down actions and states, and return how many actions."""
    weights, layout, _, values, rows = net
    outcome = GOES_ON
    ply = 0
    while outcome == GOES_ON:
        state = states[ply + 1]
        copy_state(states[ply], state)
        count = legal_actions(state, legal)
        if rng.random() < epsilon:
            place = int(rng.random() * count)
        else:
            prior(
                active_features, state, legal, count, weights, layout, values, rows, probabilities
            )
            place = draw(probabilities, count, temperature if ply < drawn_moves else 0.0, rng)
        actions[ply] = legal[place]
        outcome = play(state, legal[place])
        ply += 1
    return ply


@deferred_interrupts()
def play_against_itself(
    game: StateManager,
    policy: Policy,
    state: State,
    rng: np.random.Generator,
    *,
    temperature: float = 1.0,
    drawn_moves: int | None = None,
    epsilon: float = 0.0,
) -> tuple[Indices, State]:
    """Play a game to its end, both players by the prior of one policy.

    Args:
        game: The rules.
        policy: Its prior gives the probabilities, its net is used by this thread alone meanwhile.
        state: `[S]`, not final.
        rng: Where the random numbers come from.
        temperature: Moves are drawn in proportion to probability ** (1 / temperature); 0 takes the
            most probable one.
        drawn_moves: After so many moves the most probable one is played; ``None`` for never.
        epsilon: The probability of any legal move instead, each equally likely.

    Returns:
        The actions, int64, and the states before each of them and after the last.
    """
    rules = game.rules
    states = np.empty((game.max_plies + 1, game.state_length), np.int8)
    actions = np.empty(game.max_plies, np.int64)
    states[0] = game.checked(state)
    plies = play_to_the_end(
        rules.play,
        rules.legal_actions,
        rules.active_features,
        policy.prior,
        policy.net,
        temperature,
        game.max_plies if drawn_moves is None else drawn_moves,
        epsilon,
        states,
        actions,
        np.empty(game.num_actions, np.int64),
        np.empty(game.num_actions),
        rng,
    )
    return actions[:plies], states[: plies + 1]
