"""PUCT: exploration in proportion to the policy's priors.

Silver et al. 2017 (AlphaGo Zero), Methods: u(s,a) = c * P(s,a) * sqrt(N(s)) / (1 + N(s,a)). With a
first play urgency (FPU, Gelly & Wang 2006), unvisited actions are judged by their node's value.
"""

import math
from dataclasses import replace

from numpy.random import Generator

from base.jit import kernel
from base.methods import TREE_POLICIES
from mcts.priors import expand_with_priors, make_edges_with_priors
from mcts.settings import Settings
from mcts.tree import Tree, edges_from
from mcts.tree_search import TREE_POLICY, Scores
from mcts.variant import Variant
from mcts.virtual_loss import VIRTUAL_LOSS


@kernel(TREE_POLICY, inner=True)
def puct(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Maximise Q + u, seen by the mover; unvisited Q is 0, ties go to the lowest action."""
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    weight = settings.exploration * math.sqrt(max(1.0, float(tree.nodes[node].visit_count)))
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for place, edge in enumerate(edges):
        u = weight * tree.priors[edge] / (1.0 + tree.edges[edge].visit_count)
        q = sign * tree.edges[edge].q_value
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge


@kernel(TREE_POLICY, inlined=True, inner=True)
def puct_fpu(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Maximise Q + c * P(s,a) * sqrt(N(s)) / (1 + N(s,a)), seen by the mover.

    Q of an unvisited edge is the node's mean value, less the reduction * sqrt(visited priors).
    """
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    visits = max(1.0, float(tree.nodes[node].visit_count))
    weight = settings.exploration * math.sqrt(visits)
    edges = edges_from(tree, node)
    mass = 0.0
    for edge in edges:
        mass += tree.priors[edge] if tree.edges[edge].visit_count > 0 else 0.0
    unvisited = sign * tree.nodes[node].total_value / visits
    unvisited -= settings.first_play_reduction * math.sqrt(mass)
    best_edge, best_score = edges.start, -math.inf
    for place, edge in enumerate(edges):
        count = tree.edges[edge].visit_count
        q = sign * tree.edges[edge].q_value if count > 0 else unvisited
        u = weight * tree.priors[edge] / (1.0 + count)
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge


PUCT = Variant(
    TREE_POLICIES["puct"],
    tree_policy=puct,
    expand=expand_with_priors,
    make_edges=make_edges_with_priors,
    waiting=VIRTUAL_LOSS,
)
PUCT_FPU = replace(PUCT, method=TREE_POLICIES["puct_fpu"], tree_policy=puct_fpu).with_settings(
    exploration=1.5
)
