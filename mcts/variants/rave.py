"""UCT with RAVE: an action that was good later in simulations may be good now.

Gelly & Silver 2011, sections 4 and 5. Beside N(s,a) and Q(s,a), each edge has the count n~ and the
mean value q~ of all simulations in which the mover played the action at s or later ("all moves as
first"). With weight beta, which falls with the visits, the tree policy maximises

    (1 - beta) Q + beta q~ + u,

where u is UCT's. The schedule of section 5.3, with the least mean squared error for a bias b, is

    beta = n~ / (n + n~ + 4 n n~ b^2);

the other schedule here, with a factor f, is f / (n + n~ + f).
"""

import math
from dataclasses import replace

from numba import types
from numpy.random import Generator

from base.jit import kernel
from base.methods import TREE_POLICIES
from mcts.backpropagation import BACKPROPAGATION, backpropagate
from mcts.settings import SETTINGS, Settings
from mcts.tree import SCORES, TREE, SearchPath, Tree, edges_from
from mcts.tree_search import TREE_POLICY, Scores, faded
from mcts.variant import Variant


@kernel(types.int64(TREE, types.int64, SETTINGS, SCORES, types.boolean), inlined=True, inner=True)
def choose(tree: Tree, node: int, settings: Settings, scores: Scores, is_ratio: bool) -> int:
    """Return the edge with the highest (1 - beta) Q + beta q~ + u; q~ is 0 where n~ is 0.

    The ``STATISTIC`` of an edge has n~, and the sum of its values, seen from player 1.
    """
    sign = 1.0 if tree.nodes[node].to_play == 1 else -1.0
    visits = max(1.0, float(tree.nodes[node].visit_count))
    weight = settings.exploration * math.sqrt(math.log(visits))
    constant = settings.rave_constant
    edges = edges_from(tree, node)
    best_edge, best_score = edges.start, -math.inf
    for place, edge in enumerate(edges):
        n, m = float(tree.edges[edge].visit_count), tree.statistics[edge].count
        beta = rave_value = 0.0
        if is_ratio and constant > 0.0:
            beta = constant / (n + m + constant)
        elif not is_ratio and m > 0.0:
            beta = m / (n + m + 4.0 * n * m * constant * constant)
        if m > 0.0:
            rave_value = tree.statistics[edge].total / m
        q = sign * ((1.0 - beta) * tree.edges[edge].q_value + beta * rave_value)
        u = weight * faded(tree.edges[edge].visit_count)
        scores[place].q, scores[place].u = q, u
        if q + u > best_score:
            best_edge, best_score = edge, q + u
    return best_edge


@kernel(TREE_POLICY, inner=True)
def uct_rave(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Maximise with the schedule of least mean squared error; ties go to the lowest action."""
    return choose(tree, node, settings, scores, False)


@kernel(TREE_POLICY, inner=True)
def uct_rave_ratio(
    tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores
) -> int:
    """Maximise with beta = f / (n + n~ + f); ties go to the lowest action."""
    return choose(tree, node, settings, scores, True)


@kernel(BACKPROPAGATION, inner=True)
def backpropagate_all_moves_as_first(tree: Tree, path: SearchPath, value: float) -> None:
    """Backpropagate, and update each node of the path for all later moves of its mover.

    An action that a player plays twice counts once.
    """
    backpropagate(tree, path, value)
    depth, played = path.end.depth, path.end.played
    # Movers alternate: the player of ply t is the root's for even t.
    first_mover = int(tree.nodes[path.nodes[0]].to_play) - 1
    for ply in range(played - 1, -1, -1):
        mover = first_mover ^ (ply & 1)
        path.marks[mover, path.actions[ply]] = 1
        if ply < depth:
            node = path.nodes[ply]
            for edge in edges_from(tree, node):
                if path.marks[mover, tree.edges[edge].action] == 1:
                    tree.statistics[edge].count += 1.0
                    tree.statistics[edge].total += value
    for ply in range(played):
        path.marks[first_mover ^ (ply & 1), path.actions[ply]] = 0


UCT_RAVE = Variant(
    TREE_POLICIES["uct_rave"],
    tree_policy=uct_rave,
    backpropagate=backpropagate_all_moves_as_first,
    statistics=True,
    settings={"rave_constant": 0.1, "exploration": 0.1},
)
UCT_RAVE_RATIO = replace(
    UCT_RAVE, method=TREE_POLICIES["uct_rave_ratio"], tree_policy=uct_rave_ratio
).with_settings(rave_constant=500.0)
