"""How a net reads states and how its outputs become policies, compiled, many states at a time.

Letters: B states, S length of a state, F features, I inputs, A actions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, record_type
from state_manager.policy import ActiveFeatures
from state_manager.rules import ACTIVE_FEATURES_FUNCTION, INDICES, Indices, State


class Reading(NamedTuple):
    """What a net sees of a game, once for each player to move.

    Attributes:
        constants: `[2, I]` float32, the inputs of a state without any feature.
        starts: `[2, F + 1]` int64, where in ``inputs`` each feature's inputs begin.
        inputs: `[2, n]` int64, the inputs that show the features, one feature after the other.
        outputs: `[2, A]` int64, the output of each action.
    """

    constants: NDArray[np.float32]
    starts: NDArray[np.int64]
    inputs: NDArray[np.int64]
    outputs: NDArray[np.int64]


_TABLE = types.int64[:, ::1]
READING = record_type(Reading, types.float32[:, ::1], _TABLE, _TABLE, _TABLE)
_STATES = types.int8[:, ::1]
_LEGAL = types.boolean[:, ::1]


@kernel(types.void(ACTIVE_FEATURES_FUNCTION, READING, _STATES, INDICES, types.float32[:, ::1]))
def read(
    active_features: ActiveFeatures,
    reading: Reading,
    states: State,
    features: Indices,
    inputs: NDArray[np.float32],
) -> None:
    """Write what the net sees of states.

    Args:
        active_features: The game's; all its rules would take longer to hand over.
        reading: The net's.
        states: `[B, S]`.
        features: `[F]`, scratch memory.
        inputs: `[B, I]`.
    """
    for row in range(len(states)):
        mover = int(states[row, 0]) - 1
        for i in range(inputs.shape[1]):
            inputs[row, i] = reading.constants[mover, i]
        for i in range(active_features(states[row], features)):
            feature = features[i]
            for place in range(reading.starts[mover, feature], reading.starts[mover, feature + 1]):
                inputs[row, reading.inputs[mover, place]] = 1.0


@kernel(types.void(READING, _STATES, types.float32[:, ::1], types.float32[:, ::1]))
def add_outputs(
    reading: Reading, states: State, outputs: NDArray[np.float32], total: NDArray[np.float32]
) -> None:
    """Add a net's outputs, `[B, A]`, to a total in the order of the game's actions."""
    for row in range(len(states)):
        mover = int(states[row, 0]) - 1
        for action in range(total.shape[1]):
            total[row, action] += outputs[row, reading.outputs[mover, action]]


@kernel(
    types.void(_LEGAL, types.float32[:, ::1], types.float64, types.float64[:, ::1]),
)
def write_policies(
    legal: NDArray[np.bool_],
    outputs: NDArray[np.float32],
    weight: float,
    policies: NDArray[np.float64],
) -> None:
    """Write the softmax of weighted outputs over the legal actions, 0 on all others.

    Args:
        legal: `[B, A]`; a row without legal actions gets zeros.
        outputs: `[B, A]`.
        weight: Factor on the outputs.
        policies: `[B, A]`.
    """
    for row in range(len(legal)):
        highest = -np.float32(math.inf)
        for action in range(legal.shape[1]):
            if legal[row, action]:
                highest = max(highest, outputs[row, action])
        total = 0.0
        for action in range(legal.shape[1]):
            policies[row, action] = 0.0
            if legal[row, action]:
                share = math.exp(weight * (float(outputs[row, action]) - float(highest)))
                policies[row, action] = share
                total += share
        for action in range(legal.shape[1]):
            if legal[row, action]:
                policies[row, action] /= total
