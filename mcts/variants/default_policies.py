"""Process 3 with other rollouts: several, discounted by length, or with good replies.

- Several rollouts (``evaluate_by_several_rollouts``): their mean has less variance than one.
- A discount for length: the value of a rollout of n moves is multiplied by ``discount ** n``, so
  that quick wins are worth more; hexgamemctc (github.com/amtellezfernandez/hexgamemctc) uses 0.9.
- Last good reply with forgetting (Drake 2009; Baier & Drake 2010, LGRF-1): a player replies to a
  move as in the last simulation that it won, if that reply is legal; else by the default policy.
  After a loss, the replies that it played are forgotten.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from base.jit import kernel
from mcts.leaf_evaluation import EVALUATION, outcome_value, rollout
from mcts.settings import LENGTH_DISCOUNT, ROLLOUTS, Given
from mcts.tree import NO_REPLY, PATH, PLAYED, ROLLED, TRACE, Trace
from state_manager.rules import GOES_ON, INDICES, Indices, State, copy_state


@kernel(EVALUATION, allocates=True, inner=True)
def evaluate_by_several_rollouts(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> float:
    """Evaluate by the mean of several rollouts, each discounted by its length, one in each step.

    The trace keeps the moves of the last one; the sum of the values is in ``Trace.scores``.
    """
    if outcome != GOES_ON:
        return outcome_value(outcome)
    done, way = trace.length[ROLLED], trace.length[PATH]
    if done >= 0:
        leaf = state.copy()
        trace.length[PLAYED] = way
        result = rollout(given, state, GOES_ON, trace, rng)
        copy_state(leaf, state)
        # With a float exponent, compiled code and Python are bit-identical.
        length = float(trace.length[PLAYED] - way)
        value = outcome_value(result) * math.pow(given.settings[LENGTH_DISCOUNT], length)
        trace.scores[0] = value + (trace.scores[0] if done > 0 else 0.0)
        done += 1
    is_over = done < 0 or done >= int(given.settings[ROLLOUTS])
    trace.length[ROLLED] = 0 if is_over else done
    return trace.scores[0] / abs(done)


@kernel(types.int64(TRACE, types.int64, types.int64, INDICES, types.int64), inner=True)
def good_reply(trace: Trace, player: int, played: int, legal: Indices, count: int) -> int:
    """Return the player's last good reply to the last action, or ``NO_REPLY`` if it is illegal."""
    if played == 0:
        return NO_REPLY
    reply = int(trace.replies[player - 1, trace.actions[played - 1]])
    for i in range(count):
        if legal[i] == reply:
            return reply
    return NO_REPLY


@kernel(types.void(TRACE, types.int64, types.int64), inner=True)
def learn_replies(trace: Trace, first_player: int, winner: int) -> None:
    """Store every reply of the winner; forget the replies that the loser has just played."""
    if winner not in (1, 2):
        return
    for ply in range(1, trace.length[PLAYED]):
        player = first_player if ply % 2 == 0 else 3 - first_player
        before, reply = trace.actions[ply - 1], trace.actions[ply]
        if player == winner:
            trace.replies[player - 1, before] = reply
        elif trace.replies[player - 1, before] == reply:
            trace.replies[player - 1, before] = NO_REPLY


@kernel(EVALUATION, inner=True)
def evaluate_by_good_replies(
    given: Given, state: State, outcome: int, trace: Trace, rng: np.random.Generator
) -> float:
    """Evaluate by a rollout of good replies, and learn from the whole simulation."""
    rules, policy = given.rules, given.policy
    played = trace.length[PLAYED]
    player = int(state[0])
    first_player = player if played % 2 == 0 else 3 - player
    while outcome == GOES_ON:
        count = rules.legal_actions(state, trace.legal)
        action = good_reply(trace, player, played, trace.legal, count)
        if action == NO_REPLY:
            action = policy.choose(
                rules.active_features, policy.net, state, trace.legal, count, rng
            )
        outcome = rules.play(state, action)
        trace.actions[played] = action
        played += 1
        player = 3 - player
    trace.length[PLAYED] = played
    learn_replies(trace, first_player, outcome)
    return outcome_value(outcome)
