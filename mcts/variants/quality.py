"""Process 3 with quality-based rewards: a shorter simulation than usual is worth more.

Pepels, Tak, Lanctot & Winands 2014, "Quality-based Rewards for Monte-Carlo Tree Search
Simulations", the relative bonus. With d the plies of a simulation from the root to its end, and m
and s the mean and the deviation of d among the simulations that the same player has won so far,

    reward = r + sgn(r) * a * b((m - d) / s),   b(x) = -1 + 2 / (1 + exp(-k x)),

here divided by 1 + a, so that it stays in [-1, 1]. By default, a = 0.25.
"""

import math

import numpy as np

from base.jit import kernel
from mcts.leaf_evaluation import LEAF_EVALUATION, outcome_value, rollout
from mcts.settings import SearchContext
from mcts.tree import SearchPath
from state_manager.rules import DRAW, State

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
