"""PUCT: exploration in proportion to the policy's priors.

Silver et al. 2017 (AlphaGo Zero), Methods: u(s,a) = c * P(s,a) * sqrt(N(s)) / (1 + N(s,a)). With a
first play urgency (FPU, Gelly & Wang 2006), unvisited actions are judged by their node's value.
"""

import math
from dataclasses import replace

import numpy as np

from base.jit import kernel
from mcts.priors import PRIORS, expand_with_priors, widen_with_priors
from mcts.settings import EXPLORATION, FIRST_PLAY_REDUCTION, Settings
from mcts.tree import Tree, edges_from
from mcts.tree_search import TREE_POLICY
from mcts.variant import Variant


@kernel(TREE_POLICY, inner=True)
def puct(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Maximise Q + u, seen by the mover; unvisited Q is 0, ties go to the lowest action."""
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    weight = settings[EXPLORATION] * math.sqrt(max(1.0, float(tree.nodes[node].visit_count)))
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for edge in edges:
        bonus = weight * tree.memory[PRIORS, edge] / (1.0 + tree.edges[edge].visit_count)
        score = sign * tree.edges[edge].q_value + bonus
        if score > best_score:
            best_edge, best_score = edge, score
    return best_edge


@kernel(TREE_POLICY, inlined=True, inner=True)
def puct_fpu(tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
    """Maximise Q + c * P(s,a) * sqrt(N(s)) / (1 + N(s,a)), seen by the mover.

    Q of an unvisited edge is the node's mean value, less the reduction * sqrt(visited priors).
    """
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    visits = max(1.0, float(tree.nodes[node].visit_count))
    weight = settings[EXPLORATION] * math.sqrt(visits)
    edges = edges_from(tree, node)
    mass = 0.0
    for edge in edges:
        prior = tree.memory[PRIORS, edge]
        mass += prior if tree.edges[edge].visit_count > 0 else 0.0
    unvisited = sign * tree.nodes[node].total_value / visits
    unvisited -= settings[FIRST_PLAY_REDUCTION] * math.sqrt(mass)
    best_edge, best_score = edges.start, -math.inf
    for edge in edges:
        count = tree.edges[edge].visit_count
        score = sign * tree.edges[edge].q_value if count > 0 else unvisited
        score += weight * tree.memory[PRIORS, edge] / (1.0 + count)
        if score > best_score:
            best_edge, best_score = edge, score
    return best_edge


PUCT = Variant(
    tree_policy=puct,
    expand=expand_with_priors,
    widen=widen_with_priors,
    edge_memory=1,
    priors=True,
    settings={"out_of_order": 1.0},
)
PUCT_FPU = replace(PUCT, tree_policy=puct_fpu).with_settings(exploration=1.5)
