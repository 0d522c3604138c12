"""The search loop: one simulation is the four processes, in order.

Where leaves are evaluated inside, by a kernel, ``simulate`` runs many simulations at a time. Where
they are evaluated outside, in batches, ``find_leaves`` runs simulations in every tree until one
comes to a leaf that has to be evaluated; then the policy and the value of each such leaf are
written into ``Trace.scores``; then ``take_values`` ends these simulations.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from base.jit import kernel, row_of
from mcts.forest import FOREST, NOBODY, Forest
from mcts.node_expansion import threats
from mcts.settings import LOOK_AHEAD, SETTINGS, Settings
from mcts.tree import ALL, FORCED, NODES, PATH, PLAYED, ROOT, TRACE, TREE, UNEXPANDED, Trace, Tree
from mcts.tree_search import tree_search
from mcts.variant import PROCESSES, Processes
from state_manager.policy import POLICY, Policy
from state_manager.rules import GOES_ON, RNG, RULES, STATE, Rules, State, copy_state


@kernel(types.void(RULES, PROCESSES, POLICY, STATE, TREE, TRACE, SETTINGS), inner=True)
def plant(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    root_state: State,
    tree: Tree,
    trace: Trace,
    settings: Settings,
) -> None:
    """Make a single root of an empty tree; its state is not final, but may be solved at once."""
    trace.length[PATH] = trace.length[PLAYED] = 0
    trace.length[FORCED] = ALL
    trace.nodes[0] = UNEXPANDED
    outcome = threats(rules, root_state, trace) if settings[LOOK_AHEAD] > 0.0 else GOES_ON
    processes.expand(rules, policy, root_state, GOES_ON, tree, trace)
    tree.outcome[ROOT] = outcome
    if outcome == root_state[0]:
        value = math.inf if outcome == 1 else -math.inf
        for place in range(rules.winning_actions(root_state, outcome, trace.legal)):
            for edge in range(tree.edge_count[ROOT]):
                if tree.action[edge] == trace.legal[place]:
                    tree.q_values[edge] = value


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, SETTINGS))
def plant_all(
    rules: Rules, processes: Processes, policy: Policy, forest: Forest, settings: Settings
) -> None:
    """Plant each tree that is empty and has a game."""
    for row in range(len(forest.root_states)):
        root_state, tree = forest.root_states[row], row_of(forest.trees, row)
        if root_state[0] != NOBODY and tree.used[NODES] == 0:
            trace = row_of(forest.traces, row)
            plant(rules, processes, policy, root_state, tree, trace, settings)


@kernel(types.void(RULES, PROCESSES, FOREST, types.int64, SETTINGS, RNG), inlined=True)
def find_leaf(
    rules: Rules,
    processes: Processes,
    forest: Forest,
    row: int,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Walk to a leaf in one tree: process 1. A new leaf may be solved at once."""
    tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
    leaf = forest.leaves[row]
    copy_state(forest.root_states[row], leaf)
    outcome = tree_search(rules, processes.tree_policy, leaf, tree, trace, settings, rng)
    if settings[LOOK_AHEAD] > 0.0:
        trace.length[FORCED] = ALL
        if outcome == GOES_ON and trace.nodes[trace.length[PATH]] == UNEXPANDED:
            outcome = threats(rules, leaf, trace)
    forest.outcomes[row] = outcome


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, types.int64, SETTINGS, RNG), inlined=True)
def take_value(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    forest: Forest,
    row: int,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Expand, evaluate and backpropagate the leaf of one tree: processes 2 to 4."""
    tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
    leaf, outcome = forest.leaves[row], forest.outcomes[row]
    processes.expand(rules, policy, leaf, outcome, tree, trace)
    value = processes.evaluate(rules, policy, leaf, outcome, trace, settings, rng)
    processes.backpropagate(tree, trace, value)


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, SETTINGS, RNG))
def find_leaves(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    forest: Forest,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Run simulations in every tree until one needs an answer, its root is proven, or all are run.

    A leaf that needs an answer lies in ``Forest.leaves``, and ``Forest.waits`` is set. A tree that
    is empty needs one for its root.
    """
    for row in range(len(forest.root_states)):
        forest.waits[row] = False
        if forest.root_states[row, 0] == NOBODY:
            continue
        if forest.trees.used[row, NODES] == 0:
            copy_state(forest.root_states[row], forest.leaves[row])
            forest.waits[row] = True
        while forest.left[row] > 0 and not forest.waits[row]:
            if forest.trees.outcome[row, ROOT] != GOES_ON:
                forest.left[row] = 0
            else:
                find_leaf(rules, processes, forest, row, settings, rng)
                if forest.outcomes[row] == GOES_ON:
                    forest.waits[row] = True
                else:
                    take_value(rules, processes, policy, forest, row, settings, rng)
                    forest.left[row] -= 1


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, SETTINGS, RNG))
def take_values(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    forest: Forest,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """End the simulations that waited for an answer, and plant the trees that did."""
    for row in range(len(forest.root_states)):
        if forest.waits[row]:
            tree = row_of(forest.trees, row)
            if tree.used[NODES] == 0:
                trace, root_state = row_of(forest.traces, row), forest.root_states[row]
                plant(rules, processes, policy, root_state, tree, trace, settings)
            else:
                take_value(rules, processes, policy, forest, row, settings, rng)
                forest.left[row] -= 1


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, SETTINGS, RNG, types.int64))
def simulate(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    forest: Forest,
    settings: Settings,
    rng: np.random.Generator,
    simulations: int,
) -> None:
    """Run simulations in every tree.

    Args:
        rules: The game's.
        processes: The four processes.
        policy: The default policy and critic that the processes ask.
        forest: The trees, which grow.
        settings: The numbers that steer the processes.
        rng: Where all trees draw from.
        simulations: How many of them in each tree.
    """
    for _ in range(simulations):
        for row in range(len(forest.root_states)):
            if forest.root_states[row, 0] != NOBODY:
                find_leaf(rules, processes, forest, row, settings, rng)
                take_value(rules, processes, policy, forest, row, settings, rng)
