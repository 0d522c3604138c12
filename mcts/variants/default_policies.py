"""Process 3 with other rollouts: several, with good replies, or worth more if they end soon.

- Several rollouts: their mean has less variance than one.
- A discount for length: the value of a rollout of n moves is multiplied by ``discount ** n``;
  hexgamemctc (github.com/amtellezfernandez/hexgamemctc) uses 0.9.
- Last good reply with forgetting (Drake 2009; Baier & Drake 2010, LGRF-1): a player replies to a
  move as in the last simulation that it won, if that reply is legal; else by the default policy.
  After a loss, the replies that it played are forgotten.
- Quality-based rewards (Pepels, Tak, Lanctot & Winands 2014, the relative bonus). With d the plies
  of a simulation from the root to its end, and m and s the mean and the deviation of d among the
  simulations that the same player has won so far,

      reward = r + sgn(r) * a * b((m - d) / s),   b(x) = -1 + 2 / (1 + exp(-k x)),

  here divided by 1 + a, so that it stays in [-1, 1]. By default, a = 0.25.
"""

import math

import numpy as np
from numba import types

from base.jit import kernel
from mcts.leaf_evaluation import LEAF_EVALUATION, outcome_value, rollout
from mcts.settings import SearchContext
from mcts.tree import NO_REPLY, PATH, SearchPath
from state_manager.rules import DRAW, GOES_ON, INDICES, Indices, State, copy_state


@kernel(LEAF_EVALUATION, allocates=True, inner=True)
def evaluate_by_several_rollouts(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by the mean of several rollouts, each discounted by its length."""
    if outcome != GOES_ON:
        return outcome_value(outcome)
    leaf, total = state.copy(), 0.0
    for _ in range(context.settings.rollouts):
        copy_state(leaf, state)
        path.end.played = path.end.depth
        result = rollout(context, state, GOES_ON, path, rng)
        # With a float exponent, compiled code and Python are bit-identical.
        length = float(path.end.played - path.end.depth)
        total += outcome_value(result) * math.pow(context.settings.length_discount, length)
    return total / context.settings.rollouts


@kernel(types.int64(PATH, types.int64, types.int64, INDICES, types.int64), inner=True)
def good_reply(path: SearchPath, player: int, played: int, legal: Indices, count: int) -> int:
    """Return the player's last good reply to the last action, or ``NO_REPLY`` if it is illegal."""
    if played == 0:
        return NO_REPLY
    reply = int(path.replies[player - 1, path.actions[played - 1]])
    for i in range(count):
        if legal[i] == reply:
            return reply
    return NO_REPLY


@kernel(types.void(PATH, types.int64, types.int64), inner=True)
def learn_replies(path: SearchPath, first_player: int, winner: int) -> None:
    """Store every reply of the winner; forget the replies that the loser has just played."""
    if winner not in (1, 2):
        return
    for ply in range(1, path.end.played):
        player = first_player if ply % 2 == 0 else 3 - first_player
        before, reply = path.actions[ply - 1], path.actions[ply]
        if player == winner:
            path.replies[player - 1, before] = reply
        elif path.replies[player - 1, before] == reply:
            path.replies[player - 1, before] = NO_REPLY


@kernel(LEAF_EVALUATION, inner=True)
def evaluate_by_good_replies(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout of good replies, and learn from the whole simulation."""
    rules, policy = context.rules, context.policy
    played = path.end.played
    player = int(state[0])
    first_player = player if played % 2 == 0 else 3 - player
    while outcome == GOES_ON:
        count = rules.legal_actions(state, path.legal)
        action = good_reply(path, player, played, path.legal, count)
        if action == NO_REPLY:
            action = policy.choose(rules.active_features, policy.net, state, path.legal, count, rng)
        outcome = rules.play(state, action)
        path.actions[played] = action
        played += 1
        player = 3 - player
    path.end.played = played
    learn_replies(path, first_player, outcome)
    return outcome_value(outcome)


COUNT, MEAN, SQUARES = 0, 1, 2
"""Columns of ``SearchPath.lengths``."""


@kernel(LEAF_EVALUATION, inner=True)
def evaluate_by_quality(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: np.random.Generator
) -> float:
    """Evaluate by one rollout, with more weight for a shorter simulation; final leaves likewise."""
    outcome = rollout(context, state, outcome, path, rng)
    if outcome == DRAW:
        return 0.0
    row, length = path.lengths[outcome - 1], float(path.end.played)
    deviation, bonus = length - row[MEAN], 0.0
    if row[SQUARES] > 0.0:  # not all lengths are equal
        steepness = context.settings.bonus_steepness
        standard_deviation = math.sqrt(row[SQUARES] / row[COUNT])
        bonus = 2.0 / (1.0 + math.exp(steepness * deviation / standard_deviation)) - 1.0
    row[COUNT] += 1.0
    row[MEAN] += deviation / row[COUNT]
    row[SQUARES] += deviation * (length - row[MEAN])
    weight = context.settings.bonus_weight
    return outcome_value(outcome) * (1.0 + weight * bonus) / (1.0 + weight)
