"""PUCT: exploration in proportion to the policy's priors.

Silver et al. 2017 (AlphaGo Zero), Methods: u(s,a) = c * P(s,a) * sqrt(N(s)) / (1 + N(s,a)).
"""

import math

import numpy as np

from base.jit import kernel
from mcts.priors import PRIORS, expand_with_priors, widen_with_priors
from mcts.settings import EXPLORATION, Settings
from mcts.tree import Tree, edges_from
from mcts.tree_search import TREE_POLICY
from mcts.variant import Variant


@kernel(TREE_POLICY, inner=True)
def puct(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Maximise Q + u, seen by the mover; unvisited Q is 0, ties go to the lowest action."""
    sign = 1.0 if tree.to_play[node] == 1 else -1.0
    weight = settings[EXPLORATION] * math.sqrt(max(1.0, float(tree.node_visits[node])))
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for edge in edges:
        bonus = weight * tree.memory[PRIORS, edge] / (1.0 + tree.visit_counts[edge])
        score = sign * tree.q_values[edge] + bonus
        if score > best_score:
            best_edge, best_score = edge, score
    return best_edge


PUCT = Variant(
    tree_policy=puct,
    expand=expand_with_priors,
    widen=widen_with_priors,
    edge_memory=1,
    priors=True,
)
