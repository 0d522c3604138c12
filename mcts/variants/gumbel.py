"""Gumbel root: a policy that improves on the net's, even with few simulations.

Danihelka et al. 2022, "Policy improvement by planning with Gumbel". At the root, some actions are
drawn without replacement, by Gumbel noise on the logarithms of their priors; sequential halving
visits them equally, drops the worse half, and repeats (Karnin, Koren & Somekh 2013). The result D
is not the visit counts but softmax(log prior + weighted Q), where an unvisited action gets
a value from the net and its siblings. Below the root, PUCT.
"""

import math

import numpy as np
from numba import types
from numpy.random import Generator
from numpy.typing import NDArray

from base.jit import kernel
from base.methods import TREE_POLICIES
from mcts.distribution import DISTRIBUTION
from mcts.leaf_evaluation import LEAF_EVALUATION, critic_value, evaluate_leaf
from mcts.node_expansion import EDGES, EXPANSION, FIRST_EDGES
from mcts.priors import add_listed, expand_with_priors, list_priors
from mcts.settings import SETTINGS, SearchContext, Settings
from mcts.tree import ROOT, SCORES, TREE, SearchPath, Tree, edges_from
from mcts.tree_search import TREE_POLICY, Scores
from mcts.variant import Variant
from mcts.variants.puct import puct_fpu
from mcts.virtual_loss import BEGIN_WAITING, END_WAITING, OVERTAKES, Waiting
from state_manager.rules import State

_LEAST = 1e-12
"""Lower bound of a prior, since 0 has no logarithm."""
_COMPLETION = types.Tuple((types.float64, types.float64, types.int64))


@kernel(types.int64(types.int64, types.int64, types.int64))
def visits_wanted(simulation: int, budget: int, considered: int) -> int:
    """Return the visit count of the actions that this simulation may take, by sequential halving.

    Simulations, counted from 0, are shared out evenly among the halvings of the ``considered``
    actions.
    """
    halvings = max(1, math.ceil(math.log2(considered)))
    visits, left = 0, simulation
    while True:
        more = max(1, budget // (halvings * considered))
        if left < more * considered:
            return visits + left // considered
        left -= more * considered
        visits += more
        considered = max(2, considered // 2)


@kernel(_COMPLETION(TREE, SETTINGS), inlined=True, inner=True)
def completion(tree: Tree, settings: Settings) -> tuple[float, float, int]:
    """Return the value of the root's unvisited actions, the weight of Q, and the visits.

    The value, seen by the mover, is the net's own value of the root, mixed with the Q of the
    visited actions, weighted by their priors (appendix D of the paper). Proven results count as 1
    and -1. The factor, the weight of Q, grows with the visits.
    """
    sign = 1.0 if tree.nodes[ROOT].to_play == 1 else -1.0
    mass = weighted = 0.0
    visits = most = 0
    for edge in edges_from(tree, ROOT):
        count = int(tree.edges[edge].visit_count)
        if count > 0:
            prior = max(_LEAST, tree.priors[edge])
            mass += prior
            weighted += prior * min(1.0, max(-1.0, sign * tree.edges[edge].q_value))
            visits += count
            most = max(most, count)
    value = sign * tree.root.raw_value
    if visits > 0:
        value = (value + visits * weighted / mass) / (1 + visits)
    return value, (settings.q_offset + most) * settings.q_scale * 0.5, visits


@kernel(types.float64(TREE, types.int64, types.float64, types.float64), inlined=True, inner=True)
def weighted_q(tree: Tree, edge: int, value: float, weight: float) -> float:
    """Return the weighted, completed Q of an edge of the root; -inf for a proven loss."""
    if tree.edges[edge].visit_count > 0 or math.isinf(tree.edges[edge].q_value):
        value = tree.edges[edge].q_value * (1.0 if tree.nodes[ROOT].to_play == 1 else -1.0)
    return weight * (value + 1.0)


@kernel(types.float64(TREE, types.int64), inner=True)
def log_prior(tree: Tree, edge: int) -> float:
    """Return the logarithm of an edge's prior."""
    return math.log(max(_LEAST, tree.priors[edge]))


@kernel(TREE_POLICY, inner=True)
def gumbel(tree: Tree, node: int, settings: Settings, rng: Generator, scores: Scores) -> int:
    """Choose by sequential halving at the root, by PUCT below it. Ties go to the lowest action."""
    if node == ROOT:
        return halve(tree, settings, scores)
    return puct_fpu(tree, node, settings, rng, scores)


@kernel(types.int64(TREE, SETTINGS, SCORES), inlined=True, inner=True)
def halve(tree: Tree, settings: Settings, scores: Scores) -> int:
    """Return the edge of the root that the next simulation takes.

    Of the edges with the visit count that sequential halving wants, it has the highest Gumbel noise
    + log prior + weighted Q. Proven losses are left out unless all moves lose.
    """
    edges = edges_from(tree, ROOT)
    best_edge, best_score = edges.start, -math.inf
    value, weight, visits = completion(tree, settings)
    considered = min(settings.considered, tree.nodes[ROOT].edge_count)
    wanted = visits_wanted(visits, tree.root.simulations, considered)
    # If proofs have removed all candidates, take the best edge with another visit count.
    for is_candidate in (True, False):
        for place, edge in enumerate(edges):
            q, u = 0.0, -math.inf
            if (tree.edges[edge].visit_count == wanted) == is_candidate:
                q = weighted_q(tree, edge, value, weight)
                u = tree.root_logits[tree.edges[edge].action]
            scores[place].q, scores[place].u = q, u
            if q + u > best_score:
                best_edge, best_score = edge, q + u
        if best_score > -math.inf:
            break
    return best_edge


@kernel(EXPANSION, inner=True)
def expand_with_value(
    context: SearchContext, state: State, outcome: int, tree: Tree, path: SearchPath
) -> None:
    """Expand; at the root, store the net's own value too."""
    is_root = tree.size.nodes == 0
    expand_with_priors(context, state, outcome, tree, path)
    if is_root:
        tree.root.raw_value = critic_value(context, state)


@kernel(EDGES, inner=True)
def make_edges_by_prior(
    context: SearchContext, state: State, node: int, tree: Tree, path: SearchPath
) -> None:
    """Make the edges with the highest priors, since PUCT takes unvisited actions in that order.

    The root gets all, with the logarithms of the priors; so does a node whose policy is not stored.
    """
    legal = wanted = list_priors(context, state, node, tree, path)
    if node != ROOT and tree.policies.shape[1] > 0:
        actions, priors = path.legal, path.priors
        wanted = min(legal, max(FIRST_EDGES, 2 * tree.nodes[node].edge_count))
        for i in range(legal):
            action, prior, place = actions[i], priors[i], min(i, wanted - 1)
            if i >= wanted and prior <= priors[place]:
                continue
            while place > 0 and priors[place - 1] < prior:
                actions[place], priors[place] = actions[place - 1], priors[place - 1]
                place -= 1
            actions[place], priors[place] = action, prior
    add_listed(tree, node, path, wanted, legal)
    if node == ROOT:
        for edge in edges_from(tree, ROOT):
            tree.root_logits[tree.edges[edge].action] = log_prior(tree, edge)


@kernel(LEAF_EVALUATION, inner=True)
def evaluate_and_discount(
    context: SearchContext, state: State, outcome: int, path: SearchPath, rng: Generator
) -> float:
    """Evaluate by a rollout or the critic, discounted by the depth of the leaf."""
    value = evaluate_leaf(context, state, outcome, path, rng)
    return value * context.settings.value_discount ** float(path.end.depth)


@kernel(DISTRIBUTION)
def improved_policy(tree: Tree, settings: Settings, out: NDArray[np.float64]) -> int:
    """Write softmax(log prior + weighted Q) over the actions; see ``DISTRIBUTION``.

    If wins are proven, only they share it, by their priors; proven losses get nothing, unless all
    moves lose. The best action is the last candidate of sequential halving.
    """
    edges = edges_from(tree, ROOT)
    value, weight, _ = completion(tree, settings)
    highest = -math.inf
    for edge in edges:
        highest = max(highest, log_prior(tree, edge) + weighted_q(tree, edge, value, weight))
    best_edge, best_visits, best_score = edges.start, -1, -math.inf
    total = 0.0
    for place in range(len(out)):
        out[place] = 0.0
    for edge in edges:
        gain = weighted_q(tree, edge, value, weight)
        if not math.isinf(highest):
            share = math.exp(log_prior(tree, edge) + gain - highest)
        else:  # proven wins, or all moves lose
            share = max(_LEAST, tree.priors[edge]) if gain == highest else 0.0
        out[tree.edges[edge].action] = share
        total += share
        if share == 0.0:
            continue
        visits = tree.edges[edge].visit_count if not math.isinf(highest) else 0
        logit = tree.root_logits[tree.edges[edge].action]
        score = logit + (gain if not math.isinf(gain) else 0.0)
        if visits > best_visits or (visits == best_visits and score > best_score):
            best_edge, best_visits, best_score = edge, visits, score
    for place in range(len(out)):
        out[place] /= total
    return int(tree.edges[best_edge].action)


@kernel(OVERTAKES, inner=True)
def overtakes_at_the_root(tree: Tree, paths: SearchPath, place: int) -> bool:
    """Return whether the root's edge has at least as many visits as an earlier simulation's.

    Simulations of different actions with fewer and fewer visits do not affect each other.
    """
    visits = tree.edges[paths.edges[place, 0]].visit_count
    for earlier in range(place):
        if visits >= tree.edges[paths.edges[earlier, 0]].visit_count:
            return True
    return False


@kernel(BEGIN_WAITING, inner=True)
def count_at_the_root(tree: Tree, path: SearchPath) -> None:
    """Count a visit of the root's edge, as sequential halving goes by these alone."""
    tree.edges[path.edges[0]].visit_count += 1


@kernel(END_WAITING, inner=True)
def uncount_at_the_root(tree: Tree, path: SearchPath) -> bool:
    """Undo ``count_at_the_root``; its simulation may always go on."""
    tree.edges[path.edges[0]].visit_count -= 1
    return True


GUMBEL = Variant(
    TREE_POLICIES["gumbel"],
    tree_policy=gumbel,
    expand=expand_with_value,
    make_edges=make_edges_by_prior,
    evaluate_leaf=evaluate_and_discount,
    distribution=improved_policy,
    keeps_trees=False,
    leaves=8,
    waiting=Waiting(overtakes_at_the_root, count_at_the_root, uncount_at_the_root),
    settings={"exploration": 1.5},
)
