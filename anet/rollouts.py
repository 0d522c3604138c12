"""Incremental rollouts by a net in games that only add pieces.

A move adds one feature and removes one legal action. So a rollout keeps the first layer's sums for
either player to move, and adds the weights of one feature after each move; and it keeps a number
for each action, 0 or minus infinity, to add to the net's output. Neither features nor legal actions
are listed again, and the best action is found in whole panels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from anet.inference import epsilon_greedy, legal_softmax, pass_on, value_head
from anet.layers import (
    ACTIVATION,
    ALLOWED,
    LAYERS,
    OUTPUTS,
    RELU,
    ROW,
    SUMS,
    begin_of,
    sum_features,
    width_of,
)
from anet.panels import PANEL, first_of, larger, largest, panel_at, plus, write_panel
from base.jit import kernel
from state_manager.policy import NET, ROLLOUT, Net, Policy, move_by_move, no_critic
from state_manager.rules import GOES_ON, INDICES, RULES, STATE, Indices, Rules, State

BLOCKED = -math.inf
"""The number added to the output of an illegal action."""


@kernel(types.void(RULES, NET, STATE, INDICES), inlined=True, inner=True)
def begin(rules: Rules, net: Net, state: State, legal: Indices) -> None:
    """Initialise the numbers that a rollout keeps, from its first state."""
    row, mover = net.layout[ROW], state[0]
    for player in range(2):
        state[0] = 1 + player
        count = rules.active_features(state, net.rows)
        sum_features(net, player, count, (SUMS + player) * row)
    state[0] = mover
    for place in range(ALLOWED * row, (ALLOWED + 1) * row):
        net.values[place] = BLOCKED
    for i in range(rules.legal_actions(state, legal)):
        net.values[ALLOWED * row + legal[i]] = 0.0


@kernel(types.void(NET, types.int64, types.int64, types.int64), inlined=True, inner=True)
def keep_up(net: Net, player: int, one: int, other: int) -> None:
    """Add two features to the first layer's sums in the view of a player, 0 or 1."""
    values, weights, size = net.values, net.weights, (1 + width_of(net, 0)) * PANEL
    sums, place = (SUMS + player) * net.layout[ROW], begin_of(net, 0, player) + PANEL
    for left in range(sums, sums + width_of(net, 1), PANEL):
        added = plus(
            panel_at(weights, place + one * PANEL), panel_at(weights, place + other * PANEL)
        )
        write_panel(values, left, plus(panel_at(values, left), added))
        place += size


@kernel(types.int64(NET, types.int64), inlined=True, inner=True)
def best_action(net: Net, mover: int) -> int:
    """Return the first legal action with the highest output; -1 if none is above minus infinity."""
    values, row, last = net.values, net.layout[ROW], net.layout[LAYERS] - 1
    source = (SUMS + mover) * row
    if net.layout[ACTIVATION] != RELU:  # others activate in place: copy the sums
        for left in range(0, width_of(net, 1), PANEL):
            write_panel(values, (OUTPUTS + 1) * row + left, panel_at(values, source + left))
        source = (OUTPUTS + 1) * row
    outputs = pass_on(net, mover, source, last)
    allowed, width = ALLOWED * row, width_of(net, last + 1)
    peaks = plus(panel_at(values, outputs), panel_at(values, allowed))
    for left in range(PANEL, width, PANEL):
        rest = plus(panel_at(values, outputs + left), panel_at(values, allowed + left))
        peaks = larger(peaks, rest)
    peak = largest(peaks)
    for left in range(0, width, PANEL):
        rest = plus(panel_at(values, outputs + left), panel_at(values, allowed + left))
        place = first_of(rest, peak)
        if place < PANEL and peak > BLOCKED:
            return left + place
    return -1


@kernel(ROLLOUT)
def rollout_that_adds(
    choose: Callable[..., int],
    rules: Rules,
    net: Net,
    state: State,
    legal: Indices,
    actions: NDArray[np.int32],
    played: Indices,
    rng: np.random.Generator,
) -> int:
    """Play as ``epsilon_greedy`` chooses, in a game that ``only_adds`` pieces."""
    begin(rules, net, state, legal)
    actions_in_all, blocked = width_of(net, net.layout[LAYERS]), ALLOWED * net.layout[ROW]
    outcome, count = GOES_ON, played[0]
    last = last_but_one = width_of(net, 0) - 1  # a feature whose weights are zeros
    while outcome == GOES_ON:
        mover = int(state[0]) - 1
        # The mover's sums are two moves old.
        keep_up(net, mover, last_but_one, last)
        if rng.random() < net.epsilon:
            action = legal[int(rng.random() * rules.legal_actions(state, legal))]
        else:
            action = best_action(net, mover)
            if action < 0:
                rules.legal_actions(state, legal)
                action = legal[0]
        outcome = rules.play(state, action)
        actions[count] = action
        count += 1
        net.values[blocked + action] = BLOCKED
        last_but_one, last = last, 2 + mover * actions_in_all + action
    played[0] = count
    return outcome


def policy_of(net: Net, only_adds: bool, critic: bool) -> Policy:
    """Return a net as a default policy; ``only_adds`` with hidden layers and such a game."""
    return Policy(
        choose=epsilon_greedy,
        prior=legal_softmax,
        critic=value_head if critic else no_critic,
        net=net,
        rollout=rollout_that_adds if only_adds else move_by_move,
    )
