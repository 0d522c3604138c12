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
from mcts.settings import GIVEN, Given
from mcts.tree import NODES, PATH, PLAYED, UNEXPANDED
from mcts.tree_search import tree_search
from mcts.variant import PROCESSES, Processes
from state_manager.rules import GOES_ON, RNG, copy_state


@kernel(types.void(GIVEN, PROCESSES, FOREST))
def plant(given: Given, processes: Processes, forest: Forest) -> None:
    """Make a single root of each tree that is empty and has a game, which is not over."""
    for row in range(len(forest.root_states)):
        root_state, tree = forest.root_states[row], row_of(forest.trees, row)
        if root_state[0] != NOBODY and tree.used[NODES] == 0:
            trace = row_of(forest.traces, row)
            trace.length[PATH] = trace.length[PLAYED] = 0
            trace.nodes[0] = UNEXPANDED
            processes.expand(given, root_state, GOES_ON, tree, trace)


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG), inlined=True)
def find_leaves(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator
) -> None:
    """Walk to a leaf in every tree."""
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY:
            tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
            leaf = forest.leaves[row]
            copy_state(forest.root_states[row], leaf)
            forest.outcomes[row] = tree_search(given, processes.tree_policy, leaf, tree, trace, rng)


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG), inlined=True)
def take_values(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator
) -> None:
    """Expand, evaluate and backpropagate the leaf of every tree."""
    for row in range(len(forest.root_states)):
        if forest.root_states[row, 0] != NOBODY:
            tree, trace = row_of(forest.trees, row), row_of(forest.traces, row)
            leaf, outcome = forest.leaves[row], forest.outcomes[row]
            processes.expand(given, leaf, outcome, tree, trace)
            value = processes.evaluate(given, leaf, outcome, trace, rng)
            processes.backpropagate(tree, trace, value)
            processes.prove(tree, trace)


@kernel(types.void(GIVEN, PROCESSES, FOREST, RNG, types.int64))
def simulate(
    given: Given, processes: Processes, forest: Forest, rng: np.random.Generator, simulations: int
) -> None:
    """Run simulations in every tree: the two halves of each, one after the other."""
    for _ in range(simulations):
        find_leaves(given, processes, forest, rng)
        take_values(given, processes, forest, rng)
