"""N-MCTS: UCT guided by the policy of an apprentice.

With rewards r in [0, 1], seen by the mover, the expert of HexIt (2018, 2025) maximises

    U(s,a) = r(s,a) / n(s,a) + beta * sqrt(ln n(s) / n(s,a)) + gamma * apprentice(s,a),

beta = 0.05, gamma = 40. In its source (Anthony, Tian & Barber 2017, section 3.3) the last term is
divided by n(s,a) + 1. An unvisited action counts as visited once and lost.
"""

import math
from dataclasses import replace

import numpy as np
from numba import types

from base.jit import kernel
from mcts.priors import PRIORS
from mcts.settings import EXPLORATION, PRIOR_FADES, PRIOR_WEIGHT, SETTINGS, Settings
from mcts.tree import TREE, Tree, edges_from
from mcts.tree_search import TREE_POLICY
from mcts.variants.puct import PUCT


@kernel(types.float64(TREE, types.int64, types.int64, SETTINGS), inner=True)
def upper_bound(tree: Tree, node: int, edge: int, settings: Settings) -> float:
    """Return U, with gamma divided by n + 1 if it fades."""
    log_visits = math.log(max(1.0, float(tree.nodes[node].visit_count)))
    count = tree.edges[edge].visit_count
    advice = (
        settings[PRIOR_WEIGHT] * tree.memory[PRIORS, edge] / (1.0 + settings[PRIOR_FADES] * count)
    )
    if count == 0:
        return settings[EXPLORATION] * math.sqrt(log_visits) + advice
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    reward = 0.5 + 0.5 * sign * tree.edges[edge].q_value
    return reward + settings[EXPLORATION] * math.sqrt(log_visits / count) + advice


@kernel(TREE_POLICY, inner=True)
def n_mcts(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Maximise U; ties go to the lowest action."""
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for edge in edges:
        score = upper_bound(tree, node, edge, settings)
        if score > best_score:
            best_edge, best_score = edge, score
    return best_edge


@kernel(TREE_POLICY, inner=True)
def n_mcts_proportional(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Draw an action in proportion to its U, which is 0 for a proven loss."""
    edges = edges_from(tree, node)
    chosen, total = edges.start, 0.0
    for edge in edges:
        total += max(0.0, upper_bound(tree, node, edge, settings))
    left = rng.random() * total
    for edge in edges:
        left -= max(0.0, upper_bound(tree, node, edge, settings))
        chosen = edge
        if left < 0.0:
            break
    return chosen


N_MCTS = replace(PUCT, tree_policy=n_mcts, settings={"exploration": 0.05, "prior_weight": 40.0})
N_MCTS_PAPER = N_MCTS.with_settings(prior_fades=1.0)
N_MCTS_PROPORTIONAL = replace(N_MCTS, tree_policy=n_mcts_proportional, draws=True)
