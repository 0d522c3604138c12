"""The search loop: one simulation is the four processes, in order.

All searches run in slots (``slots.py``), each at its own pace. A step of the driver is

- ``back_up``: end the simulations whose leaves have been evaluated outside, and the searches;
- ``find_leaves``: run simulations in every slot until their leaves wait for an evaluation, and
  gather these leaves in one batch; the net then evaluates it outside.

Where leaves are evaluated inside, by a kernel, no leaf waits, and ``find_leaves`` runs many
simulations at a time. In between, a caller may give finished slots other games: ``begin``.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, record_type, row_of
from mcts.backpropagation import backpropagate, prove_nothing
from mcts.distribution import visit_distribution
from mcts.kept_evaluations import keep, recall
from mcts.leaf_evaluation import evaluate_by_uniform_rollout
from mcts.node_expansion import expand, threats, widen
from mcts.priors import no_noise
from mcts.settings import (
    CONTEXT,
    LOOK_AHEAD,
    OUT_OF_ORDER,
    ROOT_NOISE,
    STATIC_PROOFS,
    SearchContext,
)
from mcts.slots import NO_GAME, SLOTS, Slots
from mcts.tree import (
    ANY,
    DEPTH,
    DONE,
    FORCED,
    NODES,
    PATH,
    PLAYED,
    ROOT,
    TREE,
    UNEXPANDED,
    SearchPath,
    Tree,
)
from mcts.tree_search import tree_search, uct
from mcts.variant import PROCESSES, Processes
from state_manager.rules import GOES_ON, RNG, STATE, State, copy_state, mark_legal


class Search(NamedTuple):
    """The searches in slots, as one argument of their loop."""

    context: SearchContext
    processes: Processes
    slots: Slots
    rng: np.random.Generator


SEARCH = record_type(Search, CONTEXT, PROCESSES, SLOTS, RNG)
PLACES = types.int64[:, ::1]

MOST_KNOWN = 1000
"""Limit on the leaves with a known result, in each slot and batch, so that Python can check the
clock."""

LEAST_VISITS = 32
"""Visits of the root for each leaf that may wait, out of order: a small tree has no good ones."""


@kernel(types.void(SEARCH, types.int64), inner=True)
def add_noise(search: Search, row: int) -> None:
    """Mix the noise into a new root, after making all its edges."""
    slots, amount = search.slots, search.context.settings[ROOT_NOISE]
    tree, path = row_of(slots.trees, row), row_of(row_of(slots.paths, row), 0)
    if tree.nodes[ROOT].has_more:
        search.processes.widen(search.context, slots.root_states[row], ROOT, tree, path)
    search.processes.add_noise(tree, amount, slots.noise[row])
    slots.is_new[row] = False


@kernel(types.void(SEARCH, types.int64), inner=True)
def initialise_root(search: Search, row: int) -> None:
    """Make the root of an empty tree, with its noise; a state that is not final may be solved."""
    context, slots = search.context, search.slots
    tree, path = row_of(slots.trees, row), row_of(row_of(slots.paths, row), 0)
    state = slots.root_states[row]
    path.numbers[DEPTH] = path.numbers[PLAYED] = 0
    path.numbers[FORCED] = ANY
    path.nodes[0] = UNEXPANDED
    outcome = threats(context.rules, state, path) if context.settings[LOOK_AHEAD] > 0.0 else GOES_ON
    search.processes.expand(context, state, GOES_ON, tree, path)
    add_noise(search, row)
    tree.nodes[ROOT].outcome = outcome
    if outcome == state[0]:  # the moves that win at once are proven
        for i in range(context.rules.winning_actions(state, outcome, path.legal)):
            for edge in range(tree.nodes[ROOT].edge_count):
                if tree.edges[edge].action == path.legal[i]:
                    tree.edges[edge].q_value = math.inf if outcome == 1 else -math.inf


@kernel(types.int64(SEARCH, STATE, STATE, TREE, PATH), inlined=True, inner=True)
def find_leaf(search: Search, root_state: State, leaf: State, tree: Tree, path: SearchPath) -> int:
    """Walk to a leaf: process 1. Return its outcome; a new leaf may be solved at once."""
    context = search.context
    copy_state(root_state, leaf)
    policy, widening = search.processes.tree_policy, search.processes.widen
    outcome = tree_search(context, policy, widening, leaf, tree, path, search.rng)
    is_new = outcome == GOES_ON and path.nodes[path.numbers[DEPTH]] == UNEXPANDED
    if context.settings[LOOK_AHEAD] > 0.0:
        path.numbers[FORCED] = ANY
        if is_new:
            outcome = threats(context.rules, leaf, path)
    if is_new and outcome == GOES_ON and context.settings[STATIC_PROOFS] > 0.0:
        outcome = context.rules.proven_winner(leaf)
    return outcome


@kernel(types.void(SEARCH, STATE, types.int64, TREE, PATH), inlined=True, inner=True)
def finish(search: Search, leaf: State, outcome: int, tree: Tree, path: SearchPath) -> None:
    """Expand, evaluate and backpropagate a leaf: processes 2 to 4; a known result may prove nodes.

    An evaluation may continue in the next step; backpropagation waits for its end.
    """
    context, processes = search.context, search.processes
    if path.numbers[DONE] == 0:
        processes.expand(context, leaf, outcome, tree, path)
    value = processes.evaluate(context, leaf, outcome, path, search.rng)
    if path.numbers[DONE] != 0:
        return
    processes.backpropagate(tree, path, value)
    if outcome != GOES_ON:
        processes.prove(tree, path)


@kernel(types.boolean(TREE, PLACES, PLACES, types.int64, types.boolean), inner=True)
def runs_ahead(
    tree: Tree,
    edges: NDArray[np.int64],
    numbers: NDArray[np.int64],
    place: int,
    is_out_of_order: bool,
) -> bool:
    """Return whether the simulation at ``place`` must be repeated after those before it end.

    Out of order, it must if its leaf waits already; in order, if its root edge has at least as many
    visits as an earlier one's. ``edges`` is `[W, D]`, ``numbers`` `[W, 5]`, see ``SearchPath``.
    """
    last = edges[place, numbers[place, DEPTH] - 1]
    for earlier in range(place):
        if is_out_of_order:
            if edges[earlier, numbers[earlier, DEPTH] - 1] == last:
                return True
        elif tree.edges[edges[place, 0]].visit_count >= tree.edges[edges[earlier, 0]].visit_count:
            return True
    return False


@kernel(types.void(TREE, PATH), inlined=True, inner=True)
def expect(tree: Tree, path: SearchPath) -> None:
    """Count a visit of every edge to a leaf that waits, as a loss of its mover: a virtual loss."""
    for depth in range(path.numbers[DEPTH]):
        edge = tree.edges[path.edges[depth]]
        edge.visit_count += 1
        loss = -1.0 if tree.nodes[path.nodes[depth]].to_play == 1 else 1.0
        edge.q_value += (loss - edge.q_value) / edge.visit_count


@kernel(types.boolean(TREE, PATH), inlined=True, inner=True)
def arrive(tree: Tree, path: SearchPath) -> bool:
    """Undo ``expect``; return whether no edge has been proven meanwhile, which ends its search."""
    is_open = True
    for depth in range(path.numbers[DEPTH]):
        edge = tree.edges[path.edges[depth]]
        edge.visit_count -= 1
        if math.isinf(edge.q_value):
            is_open = False
        elif edge.visit_count == 0:
            edge.q_value = 0.0
        elif edge.child != UNEXPANDED:
            edge.q_value = tree.nodes[edge.child].total_value / edge.visit_count
        else:  # the tree is full
            loss = -1.0 if tree.nodes[path.nodes[depth]].to_play == 1 else 1.0
            edge.q_value += (edge.q_value - loss) / edge.visit_count
    return is_open


@kernel(types.void(SEARCH))
def back_up(search: Search) -> None:
    """End the simulations in the batch, initialise the roots in it, and set ``Slots.is_over``."""
    slots, net = search.slots, search.context.policy.net
    is_out_of_order = search.context.settings[OUT_OF_ORDER] > 0.0
    count = 0
    for row in range(len(slots.root_states)):
        tree, paths = row_of(slots.trees, row), row_of(slots.paths, row)
        has_root = tree.counts[NODES] > 0
        for place in range(slots.waits.shape[1]):
            if slots.waits[row, place] and has_root:
                path = row_of(paths, place)
                if is_out_of_order:
                    slots.is_open[row, place] = arrive(tree, path)
                else:
                    tree.edges[path.edges[0]].visit_count -= 1
                    slots.is_open[row, place] = True
        for place in range(slots.waits.shape[1]):
            if not slots.waits[row, place]:
                continue
            slots.waits[row, place] = False
            for action in range(len(net.weights)):
                net.weights[action] = slots.policies[count, action]
            net.values[0] = slots.values[count]
            count += 1
            keep(slots.kept, slots.leaves[row, place], net)
            if not has_root:
                initialise_root(search, row)
            elif slots.is_open[row, place]:
                finish(search, slots.leaves[row, place], GOES_ON, tree, row_of(paths, place))
            else:
                slots.left[row] += 1
        is_proven = tree.counts[NODES] > 0 and tree.nodes[ROOT].outcome != GOES_ON
        slots.is_over[row] = is_proven or slots.left[row] == 0


@kernel(types.boolean(SEARCH, types.int64), inlined=True, inner=True)
def step(search: Search, row: int) -> bool:
    """Run a simulation in a slot, or simulations until W leaves wait; return whether any was left.

    An empty tree needs an evaluation of its root first; a state whose evaluation is kept does not
    wait. A slot whose leaves wait already takes no step. An evaluation inside may take several
    steps. Leaves that wait together are below different actions of the root, and each of
    these counts one more visit meanwhile. Out of order, see ``expect``.
    """
    slots, is_batched = search.slots, search.context.is_batched
    tree, paths = row_of(slots.trees, row), row_of(slots.paths, row)
    root_state, net = slots.root_states[row], search.context.policy.net
    if root_state[0] == NO_GAME or slots.waits[row, 0]:
        return False
    if tree.counts[NODES] == 0:
        if is_batched and not recall(slots.kept, root_state, net):
            copy_state(root_state, slots.leaves[row, 0])
            slots.waits[row, 0] = True
            return False
        initialise_root(search, row)
    if slots.is_new[row]:
        add_noise(search, row)
    place, known = 0, 0
    most_waiting, most_known = slots.waits.shape[1], MOST_KNOWN if is_batched else 1
    is_out_of_order = search.context.settings[OUT_OF_ORDER] > 0.0
    if is_out_of_order:
        most_waiting = min(most_waiting, 1 + tree.nodes[ROOT].visit_count // LEAST_VISITS)
    while slots.left[row] > 0 and tree.nodes[ROOT].outcome == GOES_ON:
        if place == most_waiting or known == most_known:
            return True
        leaf, path = slots.leaves[row, place], row_of(paths, place)
        outcome = GOES_ON
        if path.numbers[DONE] == 0:
            outcome = find_leaf(search, root_state, leaf, tree, path)
            if place > 0 and runs_ahead(tree, paths.edges, paths.numbers, place, is_out_of_order):
                break
        if is_batched and outcome == GOES_ON and not recall(slots.kept, leaf, net):
            slots.waits[row, place] = True
            if is_out_of_order:
                expect(tree, path)
            else:
                tree.edges[path.edges[0]].visit_count += 1
            slots.left[row] -= 1
            place += 1
        else:
            finish(search, leaf, outcome, tree, path)
            slots.left[row] -= path.numbers[DONE] == 0
            known += 1
    return place + known > 0


@kernel(types.int64(SEARCH, types.int64))
def find_leaves(search: Search, steps: int) -> int:
    """Take up to this number of steps in every slot, in turn, and gather the leaves that wait.

    A slot without simulations, or with a proven root, takes no step, so that the number of steps
    changes no result. Return the size of the batch; 0 if no leaf waits. It is padded with copies:
    with several slots always to B states, so that no result depends on the other games; with one
    slot to a power of two.
    """
    slots = search.slots
    for _ in range(steps):
        is_left = False
        for row in range(len(slots.root_states)):
            is_left |= step(search, row)
        if not is_left:
            break
    size, count = len(slots.states), 0
    if size == 0:
        return 0
    for row in range(len(slots.root_states)):
        for place in range(slots.waits.shape[1]):
            if slots.waits[row, place]:
                copy_state(slots.leaves[row, place], slots.states[count])
                count += 1
    if count == 0:
        return 0
    if len(slots.root_states) == 1:
        while size >= 2 * count:
            size //= 2
    for row in range(size):
        if row >= count:
            copy_state(slots.states[row - count], slots.states[row])
        for action in range(slots.legal.shape[1]):
            slots.legal[row, action] = False
    legal_actions, scratch = search.context.rules.legal_actions, slots.paths.legal[0, 0]
    mark_legal(legal_actions, slots.states[:size], slots.legal, scratch)
    return size


PLAIN = Processes(
    uct,
    expand,
    evaluate_by_uniform_rollout,
    backpropagate,
    widen,
    prove_nothing,
    no_noise,
    visit_distribution,
)


@kernel(types.int64(SEARCH, types.int64))
def simulate_plainly(search: Search, steps: int) -> int:
    """Do the same as ``find_leaves`` in a single slot with the ``PLAIN`` processes, inside.

    These are compiled into the loop, which saves a third of the time. There is no look-ahead.
    """
    context, slots, rng = search.context, search.slots, search.rng
    root_state, leaf = slots.root_states[0], slots.leaves[0, 0]
    tree, path = row_of(slots.trees, 0), row_of(row_of(slots.paths, 0), 0)
    if tree.counts[NODES] == 0:
        initialise_root(search, 0)
    simulations = min(steps, slots.left[0])
    for _ in range(simulations):
        copy_state(root_state, leaf)
        outcome = tree_search(context, uct, widen, leaf, tree, path, rng)
        expand(context, leaf, outcome, tree, path)
        value = evaluate_by_uniform_rollout(context, leaf, outcome, path, rng)
        backpropagate(tree, path, value)
    slots.left[0] -= simulations
    return 0
