"""N-MCTS: UCT guided by the policy of an apprentice.

With rewards r in [0, 1], seen by the mover, the expert of HexIt (2018, 2025) maximises

    U(s,a) = r(s,a) / n(s,a) + beta * sqrt(ln n(s) / n(s,a)) + gamma * apprentice(s,a),

beta = 0.05, gamma = 40. In its source (Anthony, Tian & Barber 2017, section 3.3) the last term is
divided by n(s,a) + 1. An unvisited action counts as visited once and lost.
"""

import math
from dataclasses import replace

from numba import types
from numpy.random import Generator

from base.jit import kernel
from base.methods import TREE_POLICIES
from mcts.settings import SETTINGS, Settings
from mcts.tree import TREE, Tree, edges_from
from mcts.tree_search import TREE_POLICY, Scores
from mcts.variants.puct import PUCT

_PARTS = types.UniTuple(types.float64, 2)


@kernel(_PARTS(TREE, types.int64, types.int64, SETTINGS), inlined=True, inner=True)
def upper_bound(tree: Tree, node: int, edge: int, settings: Settings) -> tuple[float, float]:
    """Return the reward r of U, and the rest, with gamma divided by n + 1 if it fades."""
    log_visits = math.log(max(1.0, float(tree.nodes[node].visit_count)))
    count = tree.edges[edge].visit_count
    advice = settings.prior_weight * tree.priors[edge]
    if settings.prior_fades:
        advice /= 1.0 + count
    if count == 0:
        return 0.0, settings.exploration * math.sqrt(log_visits) + advice
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    reward = 0.5 + 0.5 * sign * tree.edges[edge].q_value
    return reward, settings.exploration * math.sqrt(log_visits / count) + advice


@kernel(TREE_POLICY, inner=True)
def n_mcts(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Maximise U; ties go to the lowest action."""
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for place, edge in enumerate(edges):
        q, u = upper_bound(tree, node, edge, settings)
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge


@kernel(TREE_POLICY, inner=True)
def n_mcts_proportional(
    tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores
) -> int:
    """Draw an action in proportion to its U, which is 0 for a proven loss."""
    edges = edges_from(tree, node)
    chosen, total = edges.start, 0.0
    for place, edge in enumerate(edges):
        scores[place].q, scores[place].u = upper_bound(tree, node, edge, settings)
        total += max(0.0, scores[place].q + scores[place].u)
    left = rng.random() * total
    for place, edge in enumerate(edges):
        left -= max(0.0, scores[place].q + scores[place].u)
        chosen = edge
        if left < 0.0:
            break
    return chosen


N_MCTS = replace(
    PUCT,
    method=TREE_POLICIES["n_mcts"],
    tree_policy=n_mcts,
    settings={"exploration": 0.05, "prior_weight": 40.0},
)
N_MCTS_PAPER = replace(N_MCTS, method=TREE_POLICIES["n_mcts_paper"]).with_settings(prior_fades=1.0)
N_MCTS_PROPORTIONAL = replace(
    N_MCTS, method=TREE_POLICIES["n_mcts_proportional"], tree_policy=n_mcts_proportional
)
