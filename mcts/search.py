"""The search loop: one simulation is the four processes, in order."""

from __future__ import annotations

import numpy as np
from numba import types

from base.jit import kernel
from mcts.backpropagation import BACKPROPAGATION_FUNCTION
from mcts.leaf_evaluation import EVALUATION_FUNCTION, LegalActions, Play, UniformRollout
from mcts.node_expansion import EXPANSION_FUNCTION
from mcts.settings import SETTINGS, Settings
from mcts.tree import PATH, PLAYED, TRACE, TREE, UNEXPANDED, Trace, Tree
from mcts.tree_search import TREE_POLICY_FUNCTION, tree_search
from mcts.variant import Backpropagation, Evaluation, Expansion, TreePolicy
from state_manager.policy import (
    CRITIC_FUNCTION,
    NET,
    POLICY_FUNCTION,
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
    LEGAL_ACTIONS_FUNCTION,
    PLAY_FUNCTION,
    RNG,
    STATE,
    UNIFORM_ROLLOUT_FUNCTION,
    State,
    copy_state,
)


@kernel(
    types.void(
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        EXPANSION_FUNCTION,
        PRIOR_FUNCTION,
        STATE,
        TREE,
        TRACE,
        NET,
    )
)
def plant(
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    expand: Expansion,
    prior: PriorKernel,
    root_state: State,
    tree: Tree,
    trace: Trace,
    net: Net,
) -> None:
    """Make the empty tree a single root, for a state that is not final."""
    trace.length[PATH] = trace.length[PLAYED] = 0
    trace.nodes[0] = UNEXPANDED
    expand(legal_actions, active_features, prior, root_state, GOES_ON, tree, trace, net)


@kernel(
    types.void(
        PLAY_FUNCTION,
        LEGAL_ACTIONS_FUNCTION,
        ACTIVE_FEATURES_FUNCTION,
        UNIFORM_ROLLOUT_FUNCTION,
        TREE_POLICY_FUNCTION,
        EXPANSION_FUNCTION,
        EVALUATION_FUNCTION,
        BACKPROPAGATION_FUNCTION,
        POLICY_FUNCTION,
        CRITIC_FUNCTION,
        PRIOR_FUNCTION,
        STATE,
        types.int64,
        TREE,
        TRACE,
        NET,
        SETTINGS,
        RNG,
    ),
    allocates=True,
)
def simulate(
    play: Play,
    legal_actions: LegalActions,
    active_features: ActiveFeatures,
    uniform_rollout: UniformRollout,
    tree_policy: TreePolicy,
    expand: Expansion,
    evaluate: Evaluation,
    backpropagate: Backpropagation,
    policy: PolicyKernel,
    critic: CriticKernel,
    prior: PriorKernel,
    root_state: State,
    simulations: int,
    tree: Tree,
    trace: Trace,
    net: Net,
    settings: Settings,
    rng: np.random.Generator,
) -> None:
    """Run so many simulations from the root."""
    state = np.empty_like(root_state)
    for _ in range(simulations):
        copy_state(root_state, state)
        outcome = tree_search(play, tree_policy, state, tree, trace, settings, rng)
        expand(legal_actions, active_features, prior, state, outcome, tree, trace, net)
        value = evaluate(
            play,
            legal_actions,
            active_features,
            uniform_rollout,
            policy,
            critic,
            state,
            outcome,
            trace,
            net,
            settings,
            rng,
        )
        backpropagate(tree, trace, value)
