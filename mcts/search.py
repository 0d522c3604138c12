"""The search loop: one simulation is the four processes, in order.

Where leaves are evaluated inside, by a kernel, ``simulate`` runs many simulations at a time. Where
they are evaluated outside, in batches, ``find_leaves`` runs simulations in every tree until W of
them (often W = 1) wait at leaves for their evaluation; then the policy and the value of each such
leaf are written to ``Trace.scores``; then ``take_values`` ends these simulations.
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
"""Limit on the leaves with a known result, in each tree and each call of ``find_leaves``."""


@kernel(types.void(GIVEN, PROCESSES, FOREST, types.int64), inner=True)
def plant(given: Given, processes: Processes, forest: Forest, row: int) -> None:
    """Initialise the root of an empty tree; its state is not final, but may be solved at once."""
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
    """Initialise the root for ``simulate_plainly``."""
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
    """Walk to a leaf: process 1. Return its outcome; a new leaf may be solved at once."""
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
    """Expand, evaluate and backpropagate a leaf: processes 2 to 4. A known result may prove nodes.

    An evaluation may continue in the next step; backpropagation waits for its end.
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
    """Return whether the simulation at ``place`` must be repeated after those before it end.

    It must if its root edge has at least as many visits as the root edge of an earlier one.
    ``edges`` are `[W, D]`, those of each simulation.
    """
    for earlier in range(place):
        if tree.visit_counts[edges[place, 0]] >= tree.visit_counts[edges[earlier, 0]]:
            return True
    return False


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG))
def find_leaves(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator
) -> None:
    """Run simulations in every tree until leaves wait, its root is proven, or none is left.

    Leaves that need an evaluation are in ``Forest.leaves``, with ``Forest.waits`` set. An empty
    tree needs one for its root. Where several leaves of a tree may wait together, each waits below
    its own action of the root, which counts one more visit meanwhile; see ``runs_ahead``. If all
    leaves have known results, a call ends after ``MOST_KNOWN`` of them, so that Python can check
    the clock.
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
    """End the simulations that waited for an evaluation, and initialise the roots that did."""
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
    """Initialise the root of each empty tree with a game; take steps in every tree, in turn.

    A step is a simulation, or a part of one whose evaluation takes several steps. A tree takes none
    if no simulation is left or its root is proven, so that the size of chunks changes no result.
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
    """Run simulations in a single tree with the ``PLAIN`` processes, without look-ahead.

    They are called by name, so they are compiled into the loop: passing the tree to function
    pointers would take a third of the time.
    """
    root_state, leaf = forest.root_states[0], forest.leaves[0, 0]
    tree, trace = row_of(forest.trees, 0), row_of(row_of(forest.traces, 0), 0)
    for _ in range(simulations):
        copy_state(root_state, leaf)
        outcome = tree_search(given, uct, leaf, tree, trace, rng)
        expand(given, leaf, outcome, tree, trace)
        value = evaluate_by_uniform_rollout(given, leaf, outcome, trace, rng)
        backpropagate(tree, trace, value)
