"""The search loop: one simulation is the four processes, in order.

All searches run in slots (``slots.py``), each at its own pace. Where a net evaluates leaves
outside, in batches, a step of the driver is

- ``back_up``: end the simulations whose leaves have been evaluated, and the searches;
- ``find_leaves``: run simulations in every slot until their leaves wait for an evaluation, and
  gather these leaves in one batch.

Where leaves are evaluated inside, by a kernel, no leaf waits, and ``find_leaves`` runs many
simulations at a time. In between, a caller may give finished slots other games: ``begin``.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from base.jit import kernel, record_type, row_of, shared
from mcts.backpropagation import backpropagate, prove_nothing
from mcts.distribution import visit_distribution
from mcts.kept_evaluations import keep, recall
from mcts.leaf_evaluation import evaluate_leaf_uniformly
from mcts.look_ahead import prove_root, solve, threats
from mcts.node_expansion import expand, lacks_edges, make_edges
from mcts.priors import no_noise
from mcts.settings import CONTEXT, SearchContext
from mcts.slots import NO_GAME, SLOTS, Slots, gather
from mcts.tree import ANY, ROOT, UNEXPANDED
from mcts.tree_search import tree_search, uct
from mcts.variant import PROCESSES, Processes
from mcts.virtual_loss import count_nothing, is_open, never
from state_manager.rules import GOES_ON, RNG, copy_state


class Search(NamedTuple):
    """The searches in slots, as one argument of their loop."""

    context: SearchContext
    processes: Processes
    slots: Slots
    rng: np.random.Generator


SEARCH = record_type(Search, CONTEXT, PROCESSES, SLOTS, RNG)

MOST_ENDED = 1000
"""Limit on the simulations that end in a slot between two batches: Python must check the clock."""


@shared
def descend(search: Search, row: int, place: int) -> int:
    """Go from a slot's root to a leaf by the tree policy; make edges where they are needed.

    Return the result of the leaf: of the game, or as ``solve`` proves it; ``GOES_ON`` without one.
    """
    context, processes, slots, rng = search
    tree, path = row_of(slots.trees, row), row_of(row_of(slots.paths, row), place)
    leaf, deepest = slots.leaves[row, place], context.settings.max_depth
    copy_state(slots.root_states[row], leaf)
    path.end.depth, path.end.forced, path.nodes[0] = 0, ANY, ROOT
    while True:
        outcome = tree_search(context, processes.tree_policy, leaf, tree, path, rng)
        node = path.nodes[path.end.depth]
        is_leaf = node == UNEXPANDED or path.end.depth >= deepest
        if outcome != GOES_ON or is_leaf or not lacks_edges(tree, node):
            break
        processes.make_edges(context, leaf, node, tree, path)
    if outcome == GOES_ON and node == UNEXPANDED:
        outcome = solve(context, leaf, path)
    return outcome


@shared
def simulate(search: Search, row: int, place: int) -> bool:
    """Run a simulation in a slot, until its leaf waits for an evaluation, or to its end.

    If its leaf waits already, it has been evaluated meanwhile, and the simulation goes on there.
    Return False if it has overtaken one that still waits; then it must be run again, later.
    """
    context, processes, slots, rng = search
    tree, paths = row_of(slots.trees, row), row_of(slots.paths, row)
    leaf, path, waits = slots.leaves[row, place], row_of(paths, place), slots.waits
    outcome = GOES_ON
    if not waits[row, place]:
        outcome = descend(search, row, place)  # 1
        if place > 0 and processes.overtakes(tree, paths, place):
            return False
        is_outside = context.is_batched and outcome == GOES_ON
        if is_outside and not recall(slots.kept, leaf, context.evaluation):
            processes.begin_waiting(tree, path)
            waits[row, place] = True
            return True
    waits[row, place] = False
    processes.expand(context, leaf, outcome, tree, path)  # 2
    value = processes.evaluate_leaf(context, leaf, outcome, path, rng)  # 3
    processes.backpropagate(tree, path, value)  # 4
    if outcome != GOES_ON:
        processes.prove(tree, path)
    return True


@kernel(types.void(SEARCH, types.int64), inner=True)
def add_noise(search: Search, row: int) -> None:
    """Mix the noise into a new root, after making all its edges."""
    context, processes, slots, _ = search
    tree, path = row_of(slots.trees, row), row_of(row_of(slots.paths, row), 0)
    root_state, noise, is_new = slots.root_states[row], slots.noise[row], slots.is_new
    if tree.nodes[ROOT].has_more:
        processes.make_edges(context, root_state, ROOT, tree, path)
    processes.add_noise(tree, context.settings.root_noise, noise)
    is_new[row] = False


@kernel(types.void(SEARCH, types.int64), inner=True)
def make_root(search: Search, row: int) -> None:
    """Make the root of an empty tree, with its noise, or let it wait for an evaluation.

    A state that is not final may be solved at once.
    """
    context, processes, slots, _ = search
    state, leaf = slots.root_states[row], slots.leaves[row, 0]
    waits, kept = slots.waits, slots.kept
    tree, path = row_of(slots.trees, row), row_of(row_of(slots.paths, row), 0)
    is_ready = not context.is_batched or waits[row, 0]
    if not (is_ready or recall(kept, state, context.evaluation)):
        copy_state(state, leaf)
        waits[row, 0] = True
        return
    waits[row, 0] = False
    path.end.depth, path.end.forced, path.nodes[0] = 0, ANY, UNEXPANDED
    outcome = threats(context.rules, state, path) if context.settings.look_ahead else GOES_ON
    processes.expand(context, state, GOES_ON, tree, path)
    add_noise(search, row)
    prove_root(context.rules, state, outcome, tree, path)


@kernel(types.void(SEARCH))
def back_up(search: Search) -> None:
    """Go on with the simulations in the batch, and set ``Slots.is_over``."""
    context, processes, slots, _ = search
    evaluation = context.evaluation
    trees, all_paths, leaves, kept = slots.trees, slots.paths, slots.leaves, slots.kept
    waits, is_open, is_over, left = slots.waits, slots.is_open, slots.is_over, slots.left
    policies, values = slots.policies, slots.values
    count = 0
    for row in range(len(left)):
        tree, paths = row_of(trees, row), row_of(all_paths, row)
        has_root = tree.size.nodes > 0
        for place in range(waits.shape[1]):
            if waits[row, place] and has_root:
                is_open[row, place] = processes.end_waiting(tree, row_of(paths, place))
        for place in range(waits.shape[1]):
            if not waits[row, place]:
                continue
            for action in range(len(evaluation.policy)):
                evaluation.policy[action] = policies[count, action]
            evaluation.value[0] = values[count]
            count += 1
            keep(kept, leaves[row, place], evaluation)
            if not has_root:
                make_root(search, row)
            elif is_open[row, place]:
                simulate(search, row, place)
            else:
                waits[row, place] = False
                left[row] += 1
        is_proven = tree.size.nodes > 0 and tree.nodes[ROOT].outcome != GOES_ON
        is_over[row] = is_proven or left[row] == 0


@shared
def take_step(search: Search, row: int) -> bool:
    """Run a simulation in a slot; where leaves are evaluated in batches, all until the next batch.

    Return whether any was run. A slot whose leaves wait takes no step.
    """
    context, _, slots, _ = search
    tree, root_state = row_of(slots.trees, row), slots.root_states[row]
    waits, left, is_new = slots.waits, slots.left, slots.is_new
    if root_state[0] == NO_GAME or waits[row, 0]:
        return False
    if tree.size.nodes == 0:
        make_root(search, row)
        if waits[row, 0]:
            return False
    if is_new[row]:
        add_noise(search, row)
    waiting = ended = 0
    most = MOST_ENDED if context.is_batched else 1
    while (
        left[row] > 0
        and tree.nodes[ROOT].outcome == GOES_ON
        and waiting < waits.shape[1]
        and ended < most
    ):
        if not simulate(search, row, waiting):
            break
        left[row] -= 1
        if waits[row, waiting]:
            waiting += 1
        else:
            ended += 1
    return waiting + ended > 0


@kernel(types.int64(SEARCH, types.int64))
def find_leaves(search: Search, steps: int) -> int:
    """Take up to this number of steps in every slot, in turn; return the size of the batch.

    A slot without simulations, or with a proven root, takes no step, so that the number of steps
    changes no result.
    """
    for _ in range(steps):
        is_left = False
        for row in range(len(search.slots.root_states)):
            is_left |= take_step(search, row)
        if not is_left:
            break
    return gather(search.context.rules, search.slots)


@shared
def plain_processes() -> Processes:
    """Return the processes of UCT with uniform rollouts."""
    return Processes(
        uct,
        make_edges,
        expand,
        evaluate_leaf_uniformly,
        backpropagate,
        prove_nothing,
        never,
        count_nothing,
        is_open,
        no_noise,
        visit_distribution,
    )


@kernel(types.int64(SEARCH, types.int64))
def run_plainly(search: Search, steps: int) -> int:
    """Run up to this number of simulations in a single slot with the plain processes.

    They are named here, not passed. So ``simulate`` is compiled once more, with their code as part
    of it, which saves a third of the time. Return 0, as no leaf waits; see ``find_leaves``.
    """
    context, _, slots, rng = search
    plain, left = Search(context, plain_processes(), slots, rng), slots.left
    if row_of(slots.trees, 0).size.nodes == 0:
        make_root(search, 0)
    for _ in range(min(steps, left[0])):
        simulate(plain, 0, 0)
        left[0] -= 1
    return 0
