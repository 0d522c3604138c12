"""The context of a search: rules, policy and settings; the settings are one float64 vector."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import record_type
from state_manager.policy import POLICY, Policy
from state_manager.rules import RULES, Rules

Settings = NDArray[np.float64]
SETTINGS = types.float64[::1]


class SearchContext(NamedTuple):
    """What all kernels of a search share, as one argument."""

    rules: Rules
    policy: Policy  # the default policy, priors and critic; in batches, ``outside_policy``
    settings: Settings  # the numbers below
    is_batched: bool  # whether leaves are evaluated outside, in batches


CONTEXT = record_type(SearchContext, RULES, POLICY, SETTINGS, types.boolean)

EXPLORATION, ROLLOUT_PROBABILITY, PRIOR_WEIGHT, PRIOR_FADES, RAVE_CONSTANT = range(5)
ROLLOUTS, LENGTH_DISCOUNT, BONUS_WEIGHT, BONUS_STEEPNESS, MAX_DEPTH, LOOK_AHEAD = range(5, 11)
CONSIDERED, Q_OFFSET, Q_SCALE, VALUE_DISCOUNT, FIRST_PLAY_REDUCTION, ROOT_NOISE = range(11, 17)
OUT_OF_ORDER, STATIC_PROOFS = 17, 18
"""Places in the vector, in the order of the names."""

_DEFAULTS = {
    "exploration": 1.0,  # c, the weight of u(s,a) in the tree policy
    "rollout_probability": 1.0,  # sigma: a leaf is evaluated by a rollout, not by the critic
    "prior_weight": 40.0,  # gamma, the weight of the apprentice's policy in N-MCTS
    "prior_fades": 0.0,  # whether that weight falls with an action's visits, 0 or 1
    "rave_constant": 0.1,  # of RAVE's schedule: b of ``uct_rave``, f of ``uct_rave_ratio``
    "rollouts": 1.0,  # rollouts of a leaf, averaged; at least 1
    "length_discount": 1.0,  # factor on a rollout's value for each of its moves; at most 1
    "bonus_weight": 0.25,  # a, the largest bonus that a simulation's length adds to its reward
    "bonus_steepness": 1.4,  # k, the growth of that bonus with the deviation from the mean length
    "max_depth": 1e9,  # the largest depth of tree search, in edges; at least 1
    "look_ahead": 0.0,  # whether ``node_expansion.threats`` solves new nodes, 0 or 1
    "considered": 8.0,  # the actions that a Gumbel root begins with; at least 1
    "q_offset": 50.0,  # its c_visit, added to the largest visit count in the weight of Q
    "q_scale": 0.2,  # its c_scale: the weight of Q against log priors
    "value_discount": 1.0,  # factor on its values for each ply from the root; at most 1
    "first_play_reduction": 0.2,  # below a Gumbel root: reduction of an unvisited action's Q
    "root_noise": 0.0,  # the amount of the noise in the priors at the root
    "out_of_order": 0.0,  # whether leaves below one action of the root may wait together, 0 or 1
    "static_proofs": 0.0,  # whether the rule ``proven_winner`` solves new nodes, 0 or 1
}
"""All are at least 0."""


def new_settings(numbers: Mapping[str, float]) -> Settings:
    """Return the vector of settings by name, with defaults; a ``ValueError`` for a wrong one."""
    for name, value in numbers.items():
        if name not in _DEFAULTS:
            raise ValueError(f"expected a setting ({', '.join(_DEFAULTS)}), got {name!r}")
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name}: expected a number of at least 0, got {value}")
    return np.array(list({**_DEFAULTS, **numbers}.values()), np.float64)
