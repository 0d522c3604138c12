"""Evaluations from outside that are kept, so that a state that comes again seldom needs one.

In self-play, a quarter to a half of the states were met before: in the search before the last move,
or in another game. Letters: M evaluations, S length of a state, A actions.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.settings import EVALUATION, Evaluation
from state_manager.rules import STATE, State, copy_state

_BYTES = 2**24
"""Memory for the evaluations of a search; with four times as much, hardly fewer are repeated."""
_FACTOR, _LAST_BITS = 5_000_011, 2**40 - 1


class KeptEvaluations(NamedTuple):
    """Evaluations by state. Each state has one place, in which the newest evaluation stays."""

    states: State  # [M, S], the state in each place; zeros in an empty one
    policies: NDArray[np.float32]  # [M, A]
    values: NDArray[np.float32]  # [M], seen from player 1


def new_kept_evaluations(state_length: int, num_actions: int, are_kept: bool) -> KeptEvaluations:
    """Return empty places: a power of two, or none."""
    places = _BYTES // (state_length + 4 * num_actions + 4)
    count = 1 << places.bit_length() - 1 if are_kept else 0
    return KeptEvaluations(
        states=np.zeros((count, state_length), np.int8),
        policies=np.zeros((count, num_actions), np.float32),
        values=np.zeros(count, np.float32),
    )


KEPT = numba.typeof(new_kept_evaluations(1, 1, False))


@kernel(types.int64(KEPT, STATE), inlined=True, inner=True)
def place_of(kept: KeptEvaluations, state: State) -> int:
    """Return the place of a state, by a multiplicative hash of its numbers."""
    one = other = 0
    for cell in range((len(state) + 1) // 2):  # two products at a time: neither waits for the other
        one = (_FACTOR * one + int(state[cell])) & _LAST_BITS  # below 2 ** 63 in between
        other = (_FACTOR * other + int(state[len(state) - 1 - cell])) & _LAST_BITS
    return (((_FACTOR * one + other) & _LAST_BITS) >> 20) & (len(kept.values) - 1)


@kernel(types.void(KEPT, STATE, EVALUATION), inner=True)
def keep(kept: KeptEvaluations, state: State, evaluation: Evaluation) -> None:
    """Keep the evaluation of a state."""
    if len(kept.values) > 0:
        place = place_of(kept, state)
        copy_state(state, kept.states[place])
        kept.values[place] = evaluation.value[0]
        for action in range(len(evaluation.policy)):
            kept.policies[place, action] = evaluation.policy[action]


@kernel(types.boolean(KEPT, STATE, EVALUATION), inner=True)
def recall(kept: KeptEvaluations, state: State, evaluation: Evaluation) -> bool:
    """Write the kept evaluation of a state to ``evaluation``; return whether there is one."""
    if len(kept.values) == 0:
        return False
    place = place_of(kept, state)
    for cell in range(len(state)):
        if kept.states[place, cell] != state[cell]:
            return False
    evaluation.value[0] = kept.values[place]
    for action in range(len(evaluation.policy)):
        evaluation.policy[action] = kept.policies[place, action]
    return True
