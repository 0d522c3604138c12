"""Kernels from states to a net's inputs, and from its outputs to policies, for whole batches.

Letters: B states, S length of a state, F features, I inputs, A actions.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, record_type
from state_manager.policy import ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, Indices, State


class Reading(NamedTuple):
    """A net's view of a game: its inputs and outputs, for each player to move."""

    constants: NDArray[np.float32]  # [2, I], the inputs of a state without any feature
    starts: NDArray[np.int64]  # [2, F + 1], where the inputs of each feature begin in ``inputs``
    inputs: NDArray[np.int64]  # [2, n], the inputs that show each feature, feature by feature
    outputs: NDArray[np.int64]  # [2, A], the output of each action


_TABLE = types.int64[:, ::1]
READING = record_type(Reading, types.float32[:, ::1], _TABLE, _TABLE, _TABLE)
_STATES = types.int8[:, ::1]
_LEGAL = types.boolean[:, ::1]
_OUTPUTS = types.float32[:, ::1]
_VALUES = types.float64[::1]


@kernel(types.void(ACTIVE_FEATURES_FUNCTION, READING, _STATES, INDICES, _OUTPUTS))
def read(
    active_features: ActiveFeatures,
    reading: Reading,
    states: State,
    features: Indices,
    inputs: NDArray[np.float32],
) -> None:
    """Write the net's inputs `[B, I]` for states `[B, S]`; ``features`` `[F]` is scratch memory."""
    for row in range(len(states)):
        mover = int(states[row, 0]) - 1
        for i in range(inputs.shape[1]):
            inputs[row, i] = reading.constants[mover, i]
        for i in range(active_features(states[row], features)):
            feature = features[i]
            for place in range(reading.starts[mover, feature], reading.starts[mover, feature + 1]):
                inputs[row, reading.inputs[mover, place]] = 1.0


@kernel(types.void(READING, types.int8[::1], _OUTPUTS, _OUTPUTS))
def read_features(
    reading: Reading,
    movers: NDArray[np.int8],
    features: NDArray[np.float32],
    inputs: NDArray[np.float32],
) -> None:
    """Write the net's inputs `[B, I]` for features `[B, F]`, 0 or 1, and players to move `[B]`."""
    for row in range(len(movers)):
        mover = int(movers[row]) - 1
        for i in range(inputs.shape[1]):
            inputs[row, i] = reading.constants[mover, i]
        for feature in range(features.shape[1]):
            if features[row, feature] != 0.0:
                begin, end = reading.starts[mover, feature], reading.starts[mover, feature + 1]
                for place in range(begin, end):
                    inputs[row, reading.inputs[mover, place]] = 1.0


@kernel(types.void(READING, _STATES, _OUTPUTS, types.float32[::1], _OUTPUTS, _VALUES))
def add_evaluation(
    reading: Reading,
    states: State,
    outputs: NDArray[np.float32],
    values: NDArray[np.float32],
    total: NDArray[np.float32],
    total_values: NDArray[np.float64],
) -> None:
    """Add a net's outputs `[B, A]` and values to totals, in the order and view of the game.

    Its values are seen by the mover, the totals from player 1; `[B]`, or `[0]` without a critic.
    """
    for row in range(len(states)):
        mover = int(states[row, 0]) - 1
        for action in range(total.shape[1]):
            total[row, action] += outputs[row, reading.outputs[mover, action]]
        if len(values) > 0:
            total_values[row] += np.float64(values[row]) if mover == 0 else -np.float64(values[row])


@kernel(types.boolean(_LEGAL, INDICES, _OUTPUTS, _VALUES, types.float64, types.float64[:, ::1]))
def write_policies(
    legal: NDArray[np.bool_],
    actions: Indices,
    outputs: NDArray[np.float32],
    values: NDArray[np.float64],
    weight: float,
    policies: NDArray[np.float64],
) -> bool:
    """Write the softmax of weighted outputs over the legal actions, 0 on all others: `[B, A]`.

    Weight the values, `[B]` or `[0]`, in place. A row without legal actions gets zeros;
    ``actions``, `[A]`, is scratch memory. Return whether all results are finite.
    """
    is_finite = True
    for row in range(len(legal)):
        count = 0
        for action in range(legal.shape[1]):
            policies[row, action] = 0.0
            # Written always, counted only if legal: no branch that could be mispredicted.
            actions[count] = action
            count += legal[row, action]
        highest = -np.float32(math.inf)
        for i in range(count):
            highest = max(highest, outputs[row, actions[i]])
        total = 0.0
        for i in range(count):
            share = math.exp(weight * (float(outputs[row, actions[i]]) - float(highest)))
            policies[row, actions[i]] = share
            total += share
        for i in range(count):
            policies[row, actions[i]] /= total
        is_finite = is_finite and math.isfinite(total)
    for row in range(len(values)):
        values[row] *= weight
        is_finite = is_finite and math.isfinite(values[row])
    return is_finite
