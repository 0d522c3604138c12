"""The search loop: one simulation is the four processes, in order, in every tree of a forest.

Where leaves are evaluated inside, by a kernel, ``simulate`` runs many simulations at a time. Where
they are evaluated outside, in batches, Python calls the two halves of a simulation one by one:
``find_leaves``; then the policy and the value of each leaf are written into ``Trace.scores``; then
``take_values``.
"""

from __future__ import annotations

import numpy as np
from numba import types

from base.jit import kernel, row_of
from mcts.forest import FOREST, NOBODY, Forest
from mcts.settings import SETTINGS, Settings
from mcts.tree import NODES, PATH, PLAYED, UNEXPANDED
from mcts.tree_search import tree_search
from mcts.variant import PROCESSES, Processes
from state_manager.policy import POLICY, Policy
from state_manager.rules import GOES_ON, RNG, RULES, Rules, copy_state


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST))
def plant(rules: Rules, processes: Processes, policy: Policy, forest: Forest) -> None:
    """Make a single root of each tree that is empty and has a game, which is not over."""
    for row in range(len(forest.root_states)):
        root_state, tree = forest.root_states[row], row_of(forest.trees, row)
        if root_state[0] != NOBODY and tree.used[NODES] == 0:
            trace = row_of(forest.traces, row)
            trace.length[PATH] = trace.length[PLAYED] = 0
            trace.nodes[0] = UNEXPANDED
            processes.expand(rules, policy, root_state, GOES_ON, tree, trace)


@kernel(types.void(RULES, PROCESSES, FOREST, SETTINGS, RNG), inlined=True)
def find_leaves(
    rules: Rules,
    processes: Processes,
    forest: Forest,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Walk to a leaf in every tree."""
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY:
            tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
            leaf = forest.leaves[row]
            copy_state(forest.root_states[row], leaf)
            forest.outcomes[row] = tree_search(
                rules, processes.tree_policy, leaf, tree, trace, settings, rng
            )


@kernel(types.void(RULES, PROCESSES, POLICY, FOREST, SETTINGS, RNG), inlined=True)
def take_values(
    rules: Rules,
    processes: Processes,
    policy: Policy,
    forest: Forest,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Expand, evaluate and backpropagate the leaf of every tree."""
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY:
            tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
            leaf, outcome = forest.leaves[row], forest.outcomes[row]
            processes.expand(rules, policy, leaf, outcome, tree, trace)
            value = processes.evaluate(rules, policy, leaf, outcome, trace, settings, rng)
            processes.backpropagate(tree, trace, value)


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
    """Run simulations in every tree: the two halves of each, one after the other.

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
        find_leaves(rules, processes, forest, settings, rng)
        take_values(rules, processes, policy, forest, settings, rng)
