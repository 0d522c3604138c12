"""The kernels of nested rollout policy adaptation; ``nrpa.py`` explains the method.

Letters: L levels, D length of the longest game, R rows of a policy, A actions, S length of a state.

An odometer of iterations replaces the recursion, so that Python can check the clock after any
rollout and continue later.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import function_type, kernel
from mcts.leaf_evaluation import outcome_value
from state_manager.rules import GOES_ON, RNG, RULES, Indices, Rules, State, copy_state

LEARNING_RATE = 1.0
"""alpha of the softmax form; the additive form's increment for the first move."""
LEARNING_RATE_DECAY = 0.9
"""Factor on the additive form's increment, from move to move."""
_BETWEEN_LOSS_AND_DRAW = -0.5


class Nest(NamedTuple):
    """The nested searches in progress, one a level. Level 0 is a rollout.

    Side 0 is the player to move at the root, with the moves of even plies; side 1 is the other.

    Attributes:
        strengths: `[L + 1, R, A]` float64, the policy of each level: at ply t, an action is drawn
            in proportion to row t mod R. With R = 2 an action has one weight for each side, with
            R = D one for each ply. Level 0 is unused: a rollout follows level 1.
        scores: `[L + 1, 2]` float64, the score of each side's best sequence, in [-1, 1], seen from
            that side; before there is one, the side's threshold.
        actions: `[L + 1, 2, D]` int32, that sequence, the moves of both sides.
        lengths: `[L + 1, 2]` int64, its length; 0 before there is one.
        iterations: `[L + 1]` int64, the finished iterations of each level's search.
        wanted: N, the iterations of each search.
        teachers: The number of best sequences to adapt to: 2, each side's moves to its own; or 1,
            if the opponent's moves are part of the plan of side 0.
        threshold: The score that a side's first sequence must exceed.
        root_state: `[S]` int8, the searched state.
        steps: `[R, A]` float64, scratch memory for a change of a policy; zero between uses.
        legal: `[A]` int64, scratch memory for legal actions.
        state: `[S]` int8, scratch memory for a state.
    """

    strengths: NDArray[np.float64]
    scores: NDArray[np.float64]
    actions: NDArray[np.int32]
    lengths: NDArray[np.int64]
    iterations: NDArray[np.int64]
    wanted: int
    teachers: int
    threshold: float
    root_state: State
    steps: NDArray[np.float64]
    legal: Indices
    state: State


def new_nest(
    sizes: tuple[int, int, int], levels: int, wanted: int, rows: int, is_cooperative: bool
) -> Nest:
    """Return the arrays of a new nested search; the sizes are S, D and A."""
    state_length, max_plies, num_actions = sizes
    return Nest(
        strengths=np.ones((levels + 1, rows, num_actions)),
        scores=np.zeros((levels + 1, 2)),
        actions=np.zeros((levels + 1, 2, max_plies), np.int32),
        lengths=np.zeros((levels + 1, 2), np.int64),
        iterations=np.zeros(levels + 1, np.int64),
        wanted=wanted,
        teachers=1 if is_cooperative else 2,
        threshold=-np.inf if is_cooperative else _BETWEEN_LOSS_AND_DRAW,
        root_state=np.zeros(state_length, np.int8),
        steps=np.zeros((rows, num_actions)),
        legal=np.zeros(num_actions, np.int64),
        state=np.zeros(state_length, np.int8),
    )


NEST = numba.typeof(new_nest((1, 1, 1), 1, 1, 1, False))

LEARNING = types.void(RULES, NEST, types.int64)
"""``learn(rules, nest, level)``: end an iteration of a level: take over the best sequence of the
level below and adapt the policy."""
LEARNING_FUNCTION = function_type(LEARNING)
Learning = Callable[[Rules, Nest, int], None]


@kernel(types.void(RULES, NEST, RNG), inner=True)
def play_out(rules: Rules, nest: Nest, rng: np.random.Generator) -> None:
    """Play to the end by the policy of level 1: a search of level 0."""
    strengths, legal, state, actions = nest.strengths, nest.legal, nest.state, nest.actions
    rows = strengths.shape[1]
    copy_state(nest.root_state, state)
    outcome, ply = GOES_ON, 0
    while outcome == GOES_ON:
        row = ply % rows
        count = rules.legal_actions(state, legal)
        total = 0.0
        for i in range(count):
            total += strengths[1, row, legal[i]]
        rest = rng.random() * total - strengths[1, row, legal[0]]
        chosen = 0
        while rest >= 0.0 and chosen < count - 1:
            chosen += 1
            rest -= strengths[1, row, legal[chosen]]
        action = legal[chosen]
        actions[0, 0, ply] = actions[0, 1, ply] = action
        ply += 1
        outcome = rules.play(state, action)
    sign = 1.0 if nest.root_state[0] == 1 else -1.0
    nest.scores[0, 0] = sign * outcome_value(outcome)
    nest.scores[0, 1] = -nest.scores[0, 0]
    nest.lengths[0, 0] = nest.lengths[0, 1] = ply


@kernel(types.void(NEST, types.int64), inner=True)
def begin(nest: Nest, level: int) -> None:
    """Begin the search of a level, with the policy of the level above."""
    nest.iterations[level] = 0
    for side in range(2):
        nest.scores[level, side] = nest.threshold
        nest.lengths[level, side] = 0
    for row in range(nest.strengths.shape[1]):
        for action in range(nest.strengths.shape[2]):
            nest.strengths[level, row, action] = nest.strengths[level + 1, row, action]


@kernel(types.void(NEST, types.int64, types.int64), inner=True)
def take_over(nest: Nest, level: int, side: int) -> None:
    """Copy the side's best sequence from the level below to this level."""
    nest.scores[level, side] = nest.scores[level - 1, side]
    length = nest.lengths[level - 1, side]
    nest.lengths[level, side] = length
    for ply in range(length):
        nest.actions[level, side, ply] = nest.actions[level - 1, side, ply]


@kernel(LEARNING, inner=True)
def learn_by_softmax(rules: Rules, nest: Nest, level: int) -> None:
    """Take over a sequence that is at least as good, then take a gradient step in any case.

    A strength is e to the power of Rosin's weight.
    """
    strengths, legal, steps, state = nest.strengths, nest.legal, nest.steps, nest.state
    rows = strengths.shape[1]
    for teacher in range(nest.teachers):
        if nest.scores[level - 1, teacher] >= nest.scores[level, teacher]:
            take_over(nest, level, teacher)
        copy_state(nest.root_state, state)
        for ply in range(nest.lengths[level, teacher]):
            action = nest.actions[level, teacher, ply]
            if ply % nest.teachers == teacher:
                row = ply % rows
                count = rules.legal_actions(state, legal)
                total = 0.0
                for i in range(count):
                    total += strengths[level, row, legal[i]]
                for i in range(count):
                    steps[row, legal[i]] -= LEARNING_RATE * strengths[level, row, legal[i]] / total
                steps[row, action] += LEARNING_RATE
            rules.play(state, action)
    for row in range(rows):
        for action in range(len(legal)):
            if steps[row, action] != 0.0:
                strengths[level, row, action] *= math.exp(steps[row, action])
                steps[row, action] = 0.0


@kernel(LEARNING, inner=True)
def learn_by_addition(rules: Rules, nest: Nest, level: int) -> None:
    """Take over a better sequence, and add a decaying increment to the strengths of its moves."""
    rows = nest.strengths.shape[1]
    for teacher in range(nest.teachers):
        if nest.scores[level - 1, teacher] > nest.scores[level, teacher]:
            take_over(nest, level, teacher)
            rate = LEARNING_RATE
            for ply in range(nest.lengths[level, teacher]):
                if ply % nest.teachers == teacher:
                    nest.strengths[level, ply % rows, nest.actions[level, teacher, ply]] += rate
                rate *= LEARNING_RATE_DECAY


@kernel(types.void(RULES, LEARNING_FUNCTION, NEST, types.int64, RNG))
def run_rollouts(
    rules: Rules, learn: Learning, nest: Nest, rollouts: int, rng: np.random.Generator
) -> None:
    """Continue a nested search for some rollouts; it must not end before the last of them.

    A rollout is an iteration of level 1. N iterations of a level are one iteration of the level
    above; then the level begins again with the policy of the level above.
    """
    top = len(nest.iterations) - 1
    for _ in range(rollouts):
        play_out(rules, nest, rng)
        level = 0
        while level == 0 or (level < top and nest.iterations[level] == nest.wanted):
            level += 1
            learn(rules, nest, level)
            nest.iterations[level] += 1
        while level > 1:
            level -= 1
            begin(nest, level)
