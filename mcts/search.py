"""The search loop: one simulation is the four processes, in order.

Where leaves are evaluated inside, by a kernel, ``simulate`` runs many simulations at a time. Where
they are evaluated outside, in batches, ``find_leaves`` runs simulations in every tree until one, or
as many as there is room for, come to leaves that have to be evaluated; then the policy and the
value of each such leaf are written into ``Trace.scores``; then ``take_values`` ends these
simulations.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel, row_of
from mcts.backpropagation import backpropagate, prove_nothing
from mcts.forest import FOREST, NOBODY, Forest
from mcts.leaf_evaluation import evaluate_by_uniform_rollout
from mcts.node_expansion import expand, threats, widen
from mcts.settings import GIVEN, LOOK_AHEAD, Given
from mcts.tree import (
    ALL,
    FORCED,
    NODES,
    PATH,
    PLAYED,
    ROLLED,
    ROOT,
    TRACE,
    TREE,
    UNEXPANDED,
    Trace,
    Tree,
)
from mcts.tree_search import tree_search, uct
from mcts.variant import PROCESSES, Processes
from state_manager.rules import GOES_ON, RNG, STATE, State, copy_state

MOST_KNOWN = 1000
"""So many leaves of a tree that need no answer are looked at in one call of ``find_leaves``."""


@kernel(types.void(GIVEN, PROCESSES, FOREST, types.int64), inner=True)
def plant(given: Given, processes: Processes, forest: Forest, row: int) -> None:
    """Make a single root of an empty tree; its state is not final, but may be solved at once."""
    tree, trace = row_of(forest.trees, row), row_of(row_of(forest.traces, row), 0)
    state = forest.root_states[row]
    trace.length[PATH] = trace.length[PLAYED] = 0
    trace.length[FORCED] = ALL
    trace.nodes[0] = UNEXPANDED
    outcome = threats(given.rules, state, trace) if given.settings[LOOK_AHEAD] > 0.0 else GOES_ON
    processes.expand(given, state, GOES_ON, tree, trace)
    if tree.has_more[ROOT]:
        widen(given.rules, state, ROOT, tree, trace)
    tree.outcome[ROOT] = outcome
    if outcome == state[0]:  # the moves that win at once are proven
        for i in range(given.rules.winning_actions(state, outcome, trace.legal)):
            for edge in range(tree.edge_count[ROOT]):
                if tree.action[edge] == trace.legal[i]:
                    tree.q_values[edge] = math.inf if outcome == 1 else -math.inf


@kernel(types.void(GIVEN, PROCESSES, FOREST))
def plant_plainly(given: Given, processes: Processes, forest: Forest) -> None:
    """Plant the tree of ``simulate_plainly``."""
    plant(given, processes, forest, 0)


@kernel(types.int64(GIVEN, PROCESSES, STATE, STATE, TREE, TRACE, RNG), inlined=True, inner=True)
def find_leaf(
    given: Given,
    processes: Processes,
    root_state: State,
    leaf: State,
    tree: Tree,
    trace: Trace,
    rng: np.random.Generator,
) -> int:
    """Walk to a leaf: process 1. Return its outcome; a new one may be solved at once."""
    copy_state(root_state, leaf)
    outcome = tree_search(given, processes.tree_policy, leaf, tree, trace, rng)
    if given.settings[LOOK_AHEAD] > 0.0:
        trace.length[FORCED] = ALL
        if outcome == GOES_ON and trace.nodes[trace.length[PATH]] == UNEXPANDED:
            outcome = threats(given.rules, leaf, trace)
    return outcome


@kernel(
    types.void(GIVEN, PROCESSES, STATE, types.int64, TREE, TRACE, RNG), inlined=True, inner=True
)
def take_value(
    given: Given,
    processes: Processes,
    leaf: State,
    outcome: int,
    tree: Tree,
    trace: Trace,
    rng: np.random.Generator,
) -> None:
    """Expand, evaluate and backpropagate a leaf: processes 2 to 4. Known results may prove more.

    An evaluation may go on in the next step; what follows waits for it.
    """
    if trace.length[ROLLED] == 0:
        processes.expand(given, leaf, outcome, tree, trace)
    value = processes.evaluate(given, leaf, outcome, trace, rng)
    if trace.length[ROLLED] != 0:
        return
    processes.backpropagate(tree, trace, value)
    if outcome != GOES_ON:
        processes.prove(tree, trace)


@kernel(types.boolean(TREE, types.int64[:, ::1], types.int64), inner=True)
def runs_ahead(tree: Tree, edges: NDArray[np.int64], place: int) -> bool:
    """Return whether the simulation at a place is to be found anew when those before it have ended.

    It is if its action has as many visits as one below which they wait; ``edges`` are `[W, D]`.
    """
    for earlier in range(place):
        if tree.visit_counts[edges[place, 0]] >= tree.visit_counts[edges[earlier, 0]]:
            return True
    return False


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG))
def find_leaves(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator
) -> None:
    """Run simulations in every tree until it needs answers, its root is proven, or all are run.

    Leaves that need an answer lie in ``Forest.leaves``, and ``Forest.waits`` is set. A tree that is
    empty needs one for its root. Where several leaves of a tree may wait together, they wait below
    different actions of the root, each of which counts one more visit meanwhile; an action may not
    run ahead of one that waits. Where all leaves are results, ``MOST_KNOWN`` simulations are enough
    for one call: there is a clock to look at.
    """
    places = forest.waits.shape[1]
    for row in range(len(forest.root_states)):
        for place in range(places):
            forest.waits[row, place] = False
        if forest.root_states[row, 0] == NOBODY:
            continue
        tree, traces = row_of(forest.trees, row), row_of(forest.traces, row)
        root_state = forest.root_states[row]
        if tree.used[NODES] == 0:
            copy_state(root_state, forest.leaves[row, 0])
            forest.waits[row, 0] = True
            continue
        place = known = 0
        while forest.left[row] > 0 and place < places and known < MOST_KNOWN:
            if tree.outcome[ROOT] != GOES_ON:
                forest.left[row] = 0
                break
            leaf, trace = forest.leaves[row, place], row_of(traces, place)
            outcome = find_leaf(given, processes, root_state, leaf, tree, trace, rng)
            if runs_ahead(tree, traces.edges, place):
                break
            forest.left[row] -= 1
            if outcome != GOES_ON:
                take_value(given, processes, leaf, outcome, tree, trace, rng)
                known += 1
                continue
            forest.waits[row, place] = True
            tree.visit_counts[trace.edges[0]] += 1
            place += 1


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG))
def take_values(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator
) -> None:
    """End the simulations that waited for an answer, and plant the trees that did."""
    for row in range(len(forest.root_states)):
        for place in range(forest.waits.shape[1]):
            if not forest.waits[row, place]:
                continue
            if forest.trees.used[row, NODES] == 0:
                plant(given, processes, forest, row)
            else:
                tree, trace = row_of(forest.trees, row), row_of(row_of(forest.traces, row), place)
                tree.visit_counts[trace.edges[0]] -= 1
                take_value(given, processes, forest.leaves[row, place], GOES_ON, tree, trace, rng)


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG, types.int64))
def simulate(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator, steps: int
) -> None:
    """Plant each tree that is empty and has a game; take steps in every tree, in turn.

    A step is a simulation, or a part of one whose evaluation takes several. None is taken where no
    simulation is left, or the root is proven, so that the length of chunks changes nothing.
    """
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY and forest.trees.used[row, NODES] == 0:
            plant(given, processes, forest, row)
    for _ in range(steps):
        is_left = False
        for row in range(len(forest.root_states)):
            root_state, leaf = forest.root_states[row], forest.leaves[row, 0]
            is_over = forest.left[row] == 0 or forest.trees.outcome[row, ROOT] != GOES_ON
            if root_state[0] != NOBODY and not is_over:
                is_left = True
                tree, trace = row_of(forest.trees, row), row_of(row_of(forest.traces, row), 0)
                outcome = GOES_ON
                if trace.length[ROLLED] == 0:
                    outcome = find_leaf(given, processes, root_state, leaf, tree, trace, rng)
                take_value(given, processes, leaf, outcome, tree, trace, rng)
                if trace.length[ROLLED] == 0:
                    forest.left[row] -= 1
        if not is_left:
            break


PLAIN = Processes(uct, expand, evaluate_by_uniform_rollout, backpropagate, prove_nothing)


@kernel(types.void(GIVEN, FOREST, RNG, types.int64))
def simulate_plainly(
    given: Given, forest: Forest, rng: np.random.Generator, simulations: int
) -> None:
    """Do the same in a single tree with ``PLAIN`` processes, where nothing looks ahead.

    They are so fast that handing the tree over to each would take a third of the time. Named
    here, they are compiled into the loop.
    """
    root_state, leaf = forest.root_states[0], forest.leaves[0, 0]
    tree, trace = row_of(forest.trees, 0), row_of(row_of(forest.traces, 0), 0)
    for _ in range(simulations):
        copy_state(root_state, leaf)
        outcome = tree_search(given, uct, leaf, tree, trace, rng)
        expand(given, leaf, outcome, tree, trace)
        value = evaluate_by_uniform_rollout(given, leaf, outcome, trace, rng)
        backpropagate(tree, trace, value)
