"""The context of a search: rules, policy, settings, and the evaluation from outside."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import record_type
from state_manager.policy import POLICY, Policy
from state_manager.rules import RULES, Rules

_SETTINGS: tuple[tuple[str, type, float], ...] = (
    ("exploration", np.float64, 1.0),  # c, the weight of u(s,a) in the tree policy
    ("rollout_probability", np.float64, 1.0),  # sigma: of a rollout from a leaf; else the critic
    ("prior_weight", np.float64, 40.0),  # gamma, the weight of the apprentice in N-MCTS
    ("prior_fades", np.bool_, False),  # whether that weight falls with an action's visits
    ("rave_constant", np.float64, 0.1),  # of RAVE's schedule: its b, or f of ``uct_rave_ratio``
    ("rollouts", np.int64, 1),  # rollouts of a leaf, averaged; at least 1
    ("length_discount", np.float64, 1.0),  # factor on a rollout's value for each move; at most 1
    ("bonus_weight", np.float64, 0.25),  # a, the largest bonus for a simulation's length
    ("bonus_steepness", np.float64, 1.4),  # k, the growth of that bonus with the deviation
    ("max_depth", np.int64, 10**9),  # the largest depth of tree search, in edges; at least 1
    ("look_ahead", np.bool_, False),  # whether ``look_ahead.threats`` solves new nodes
    ("static_proofs", np.bool_, False),  # whether the rule ``proven_winner`` solves new nodes
    ("considered", np.int64, 8),  # the actions that a Gumbel root begins with; at least 1
    ("q_offset", np.float64, 50.0),  # its c_visit, added to the largest visit count
    ("q_scale", np.float64, 0.2),  # its c_scale: the weight of Q against log priors
    ("value_discount", np.float64, 1.0),  # factor on its values for each ply; at most 1
    ("first_play_reduction", np.float64, 0.2),  # of an unvisited action's Q below a Gumbel root
    ("root_noise", np.float64, 0.0),  # the amount of the noise in the priors at the root
)
"""Name, type and default of each setting; all are at least 0."""

_DEFAULTS = {name: default for name, _, default in _SETTINGS}
Settings = Any
"""A record with these fields."""


def new_settings(numbers: Mapping[str, float]) -> Settings:
    """Return the settings by name, with defaults; a ``ValueError`` for a wrong one."""
    for name, value in numbers.items():
        if name not in _DEFAULTS:
            raise ValueError(f"expected a setting ({', '.join(_DEFAULTS)}), got {name!r}")
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name}: expected a number of at least 0, got {value}")
    values = tuple({**_DEFAULTS, **numbers}.values())
    fields = [(name, kind) for name, kind, _ in _SETTINGS]
    return np.array([values], fields).view(np.recarray)[0]


SETTINGS = numba.typeof(new_settings({}))


class Evaluation(NamedTuple):
    """A net's evaluation of a state, made outside, in a batch."""

    policy: NDArray[np.float32]  # [A], 0 on illegal actions; A is 0 where leaves need none
    value: NDArray[np.float32]  # [1], in [-1, 1], seen from player 1


def new_evaluation(num_actions: int) -> Evaluation:
    """Return memory for an evaluation."""
    return Evaluation(np.zeros(num_actions, np.float32), np.zeros(1, np.float32))


EVALUATION = numba.typeof(new_evaluation(1))


class SearchContext(NamedTuple):
    """What all kernels of a search share, as one argument."""

    rules: Rules
    policy: Policy  # the default policy, and priors and critic unless evaluations come from outside
    settings: Settings
    is_batched: bool  # whether leaves are evaluated outside, in batches
    evaluation: Evaluation  # of the leaf, where it comes from outside


CONTEXT = record_type(SearchContext, RULES, POLICY, SETTINGS, types.boolean, EVALUATION)
