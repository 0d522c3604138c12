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
from mcts.forest import FOREST, NOBODY, Forest
from mcts.node_expansion import threats
from mcts.settings import GIVEN, LOOK_AHEAD, Given
from mcts.tree import ALL, FORCED, NODES, PATH, PLAYED, ROOT, TREE, UNEXPANDED, Tree
from mcts.tree_search import tree_search
from mcts.variant import PROCESSES, Processes
from state_manager.rules import GOES_ON, RNG, copy_state


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
    tree.outcome[ROOT] = outcome
    if outcome == state[0]:  # the moves that win at once are proven
        for i in range(given.rules.winning_actions(state, outcome, trace.legal)):
            for edge in range(tree.edge_count[ROOT]):
                if tree.action[edge] == trace.legal[i]:
                    tree.q_values[edge] = math.inf if outcome == 1 else -math.inf


@kernel(types.void(GIVEN, PROCESSES, FOREST))
def plant_all(given: Given, processes: Processes, forest: Forest) -> None:
    """Plant each tree that is empty and has a game."""
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY and forest.trees.used[row, NODES] == 0:
            plant(given, processes, forest, row)


@kernel(types.void(GIVEN, PROCESSES, FOREST, types.int64, types.int64, RNG), inlined=True)
def find_leaf(
    given: Given,
    processes: Processes,
    forest: Forest,
    row: int,
    place: int,
    rng: np.random.Generator,
) -> None:
    """Walk to a leaf in one tree: process 1. A new leaf may be solved at once."""
    tree, trace = row_of(forest.trees, row), row_of(row_of(forest.traces, row), place)
    leaf = forest.leaves[row, place]
    copy_state(forest.root_states[row], leaf)
    outcome = tree_search(given, processes.tree_policy, leaf, tree, trace, rng)
    if given.settings[LOOK_AHEAD] > 0.0:
        trace.length[FORCED] = ALL
        if outcome == GOES_ON and trace.nodes[trace.length[PATH]] == UNEXPANDED:
            outcome = threats(given.rules, leaf, trace)
    forest.outcomes[row, place] = outcome


@kernel(types.void(GIVEN, PROCESSES, FOREST, types.int64, types.int64, RNG), inlined=True)
def take_value(
    given: Given,
    processes: Processes,
    forest: Forest,
    row: int,
    place: int,
    rng: np.random.Generator,
) -> None:
    """Expand, evaluate and backpropagate a leaf of one tree: processes 2 to 4."""
    tree, trace = row_of(forest.trees, row), row_of(row_of(forest.traces, row), place)
    leaf, outcome = forest.leaves[row, place], forest.outcomes[row, place]
    processes.expand(given, leaf, outcome, tree, trace)
    value = processes.evaluate(given, leaf, outcome, trace, rng)
    processes.backpropagate(tree, trace, value)
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
    run ahead of one that waits.
    """
    places = forest.waits.shape[1]
    for row in range(len(forest.root_states)):
        for place in range(places):
            forest.waits[row, place] = False
        if forest.root_states[row, 0] == NOBODY:
            continue
        tree = row_of(forest.trees, row)
        if tree.used[NODES] == 0:
            copy_state(forest.root_states[row], forest.leaves[row, 0])
            forest.waits[row, 0] = True
            continue
        place = 0
        while forest.left[row] > 0 and place < places:
            if tree.outcome[ROOT] != GOES_ON:
                forest.left[row] = 0
                break
            find_leaf(given, processes, forest, row, place, rng)
            edge = forest.traces.edges[row, place, 0]
            if runs_ahead(tree, forest.traces.edges[row], place):
                break
            forest.left[row] -= 1
            if forest.outcomes[row, place] != GOES_ON:
                take_value(given, processes, forest, row, place, rng)
                continue
            forest.waits[row, place] = True
            tree.visit_counts[edge] += 1
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
                forest.trees.visit_counts[row, forest.traces.edges[row, place, 0]] -= 1
                take_value(given, processes, forest, row, place, rng)


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG, types.int64))
def simulate(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator, simulations: int
) -> None:
    """Run simulations in every tree."""
    for _ in range(simulations):
        for row in range(len(forest.root_states)):
            if forest.root_states[row, 0] != NOBODY:
                find_leaf(given, processes, forest, row, 0, rng)
                take_value(given, processes, forest, row, 0, rng)
