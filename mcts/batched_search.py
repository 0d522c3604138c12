"""The search loop for nets that are evaluated in batches: the same four processes, in lockstep.

In each step every tree of a forest walks to a leaf (process 1); the net looks at all leaves at
once, outside; then every tree expands its leaf, takes the net's value for it and backpropagates it
(processes 2 to 4). Expansion and evaluation find the net's answers where a small net's weights
would be, so that they are the kernels that they are in ``search.py``.

Letters: T trees, S length of a state, A actions.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import kernel
from mcts.backpropagation import BACKPROPAGATION_FUNCTION
from mcts.forest import FOREST, TRACES, trace_of, tree_of
from mcts.leaf_evaluation import EVALUATION_FUNCTION, LegalActions, Play, UniformRollout
from mcts.node_expansion import EXPANSION_FUNCTION
from mcts.settings import SETTINGS, Settings
from mcts.tree import PATH, PLAYED, UNEXPANDED, Trace, Tree
from mcts.tree_search import TREE_POLICY_FUNCTION, tree_search
from mcts.variant import Backpropagation, Evaluation, Expansion, TreePolicy
from state_manager.policy import (
    CRITIC,
    CRITIC_FUNCTION,
    MATRIX,
    NET,
    POLICY_FUNCTION,
    PRIOR,
    PRIOR_FUNCTION,
    ActiveFeatures,
    CriticKernel,
    Net,
    PolicyKernel,
    PriorKernel,
)
from state_manager.rules import (
    ACTIVE_FEATURES_FUNCTION,
    GOES_ON,
    INDICES,
    LEGAL_ACTIONS_FUNCTION,
    PLAY_FUNCTION,
    RNG,
    STATE,
    UNIFORM_ROLLOUT_FUNCTION,
    Indices,
    State,
)

Floats = NDArray[np.float32]
STATES = types.int8[:, ::1]


@kernel(PRIOR, inner=True)
def answered_prior(
    active_features: ActiveFeatures,
    state: State,
    legal: Indices,
    count: int,
    weights: Floats,
    layout: Indices,
    values: Floats,
    rows: Indices,
    out: NDArray[np.float64],
) -> None:
    """Write the policy that begins an answer."""
    total = 0.0
    for i in range(count):
        total += float(weights[legal[i]])
    for i in range(count):
        out[i] = float(weights[legal[i]]) / total


@kernel(CRITIC, inner=True)
def answered_value(
    active_features: ActiveFeatures,
    state: State,
    weights: Floats,
    layout: Indices,
    values: Floats,
    rows: Indices,
) -> float:
    """Return the value that ends an answer, seen from player 1."""
    return float(weights[len(weights) - 1])


@kernel(NET(MATRIX, types.int64, NET), inner=True)
def answer_of(answers: Floats, row: int, net: Net) -> Net:
    """Return one row of the answers in the place of a net's weights."""
    return Net(answers[row], net.layout, net.epsilon, net.values, net.rows)


@kernel(
    types.void(
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        EXPANSION_FUNCTION,
        PRIOR_FUNCTION,
        STATES,
        MATRIX,
        FOREST,
        TRACES,
        NET,
    )
)
def plant_all(
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    expand: Expansion,
    prior: PriorKernel,
    root_states: State,
    answers: Floats,
    forest: Tree,
    traces: Trace,
    net: Net,
) -> None:
    """Make each empty tree a single root, for a state that is not final."""
    for row in range(len(root_states)):
        tree, trace = tree_of(forest, row), trace_of(traces, row)
        trace.length[PATH] = trace.length[PLAYED] = 0
        trace.nodes[0] = UNEXPANDED
        answer = answer_of(answers, row, net)
        state = root_states[row]
        expand(legal_actions, active_features, prior, state, GOES_ON, tree, trace, answer)


@kernel(types.void(LEGAL_ACTIONS_FUNCTION, STATE, INDICES, types.boolean[::1]), inner=True)
def mark_legal(
    legal_actions: LegalActions, state: State, actions: Indices, legal: NDArray[np.bool_]
) -> None:
    """Mark the legal actions of a state; ``actions`` is scratch memory."""
    legal[:] = False
    for i in range(legal_actions(state, actions)):
        legal[actions[i]] = True


@kernel(
    types.void(
        PLAY_FUNCTION,
        LEGAL_ACTIONS_FUNCTION,
        TREE_POLICY_FUNCTION,
        STATES,
        STATES,
        types.boolean[:, ::1],
        INDICES,
        FOREST,
        TRACES,
        SETTINGS,
        RNG,
    )
)
def find_leaves(
    play: Play,
    legal_actions: LegalActions,
    tree_policy: TreePolicy,
    root_states: State,
    leaves: State,
    legal: NDArray[np.bool_],
    outcomes: Indices,
    forest: Tree,
    traces: Trace,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Walk to a leaf in every tree.

    Args:
        play: The game's rule.
        legal_actions: The game's rule.
        tree_policy: Process 1's choice.
        root_states: `[T, S]`.
        leaves: `[T, S]`, gets the states at the leaves.
        legal: `[T, A]`, gets which actions are legal there, none if the game is over.
        outcomes: `[T]`, gets the outcomes there: 0 if the game goes on.
        forest: Read only.
        traces: Get the ways.
        settings: The search's settings.
        rng: For tree policies that draw.
    """
    for row in range(len(root_states)):
        leaf = leaves[row]
        for i in range(len(leaf)):
            leaf[i] = root_states[row, i]
        tree, trace = tree_of(forest, row), trace_of(traces, row)
        outcomes[row] = tree_search(play, tree_policy, leaf, tree, trace, settings, rng)
        if outcomes[row] == GOES_ON:
            mark_legal(legal_actions, leaf, trace.legal, legal[row])
        else:
            legal[row, :] = False


@kernel(
    types.void(
        PLAY_FUNCTION,
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        UNIFORM_ROLLOUT_FUNCTION,
        EXPANSION_FUNCTION,
        EVALUATION_FUNCTION,
        BACKPROPAGATION_FUNCTION,
        POLICY_FUNCTION,
        CRITIC_FUNCTION,
        PRIOR_FUNCTION,
        STATES,
        INDICES,
        MATRIX,
        FOREST,
        TRACES,
        NET,
        SETTINGS,
        RNG,
    )
)
def take_answers(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    uniform_rollout: UniformRollout,
    expand: Expansion,
    evaluate: Evaluation,
    backpropagate: Backpropagation,
    policy: PolicyKernel,
    critic: CriticKernel,
    prior: PriorKernel,
    leaves: State,
    outcomes: Indices,
    answers: Floats,
    forest: Tree,
    traces: Trace,
    net: Net,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Expand, evaluate and backpropagate in every tree."""
    for row in range(len(leaves)):
        tree, trace = tree_of(forest, row), trace_of(traces, row)
        leaf, outcome, answer = leaves[row], outcomes[row], answer_of(answers, row, net)
        expand(legal_actions, active_features, prior, leaf, outcome, tree, trace, answer)
        value = evaluate(
            play,
            legal_actions,
            active_features,
            uniform_rollout,
            policy,
            critic,
            leaf,
            outcome,
            trace,
            answer,
            settings,
            rng,
        )
        backpropagate(tree, trace, value)
