"""UCB1-Tuned: actions with a smaller variance of values are explored less.

Auer, Cesa-Bianchi & Fischer 2002, section 4, for rewards in [0, 1]: with x the mean of an action's
n rewards out of N in all, it maximises

    x + c * sqrt(ln N / n * min(1/4, V)),   V = mean of squares - x^2 + sqrt(2 ln N / n).

Rewards are (1 + value) / 2, seen by the mover; unvisited actions come first.
"""

import math

from numpy.random import Generator

from base.jit import kernel
from base.methods import TREE_POLICIES
from mcts.backpropagation import BACKPROPAGATION, backpropagate
from mcts.settings import Settings
from mcts.tree import SearchPath, Tree, edges_from
from mcts.tree_search import TREE_POLICY, Scores
from mcts.variant import Variant


@kernel(TREE_POLICY, inner=True)
def ucb1_tuned(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Maximise the upper bound of the mover's reward; ties go to the lowest action."""
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    log_visits = math.log(max(1.0, float(tree.nodes[node].visit_count)))
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for place in range(len(edges)):
        scores[place].q, scores[place].u = 0.0, math.inf
    for place, edge in enumerate(edges):
        count = float(tree.edges[edge].visit_count)
        if count == 0.0:
            return edge
        value = sign * tree.edges[edge].q_value
        mean = 0.5 + 0.5 * value
        mean_square = 0.25 + 0.5 * value + 0.25 * tree.statistics[edge].total / count
        variance = mean_square - mean * mean + math.sqrt(2.0 * log_visits / count)
        # V is at least 0, even after rounding or a proven loss.
        deviation = math.sqrt(log_visits / count * min(0.25, max(0.0, variance)))
        q, u = mean, settings.exploration * deviation
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge


@kernel(BACKPROPAGATION, inner=True)
def backpropagate_squares(tree: Tree, path: SearchPath, value: float) -> None:
    """Backpropagate, and add the square of the value to every edge's ``STATISTIC`` too."""
    backpropagate(tree, path, value)
    for depth in range(path.end.depth):
        tree.statistics[path.edges[depth]].total += value * value


UCB1_TUNED = Variant(
    TREE_POLICIES["ucb1_tuned"],
    tree_policy=ucb1_tuned,
    backpropagate=backpropagate_squares,
    statistics=True,
)
