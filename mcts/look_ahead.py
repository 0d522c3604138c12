"""Look-ahead: a new leaf whose result a few moves prove gets it at once."""

import math

from numba import types

from base.jit import kernel
from mcts.settings import CONTEXT, SearchContext
from mcts.tree import ANY, PATH, ROOT, TREE, SearchPath, Tree
from state_manager.rules import GOES_ON, RULES, STATE, Rules, State


@kernel(types.int64(RULES, STATE, PATH), inner=True)
def threats(rules: Rules, state: State, path: SearchPath) -> int:
    """Return the winner if a player can win at once in a state where the game goes on, else 0.

    The mover needs a winning action, the opponent two, since the mover can prevent one. A single
    threat writes its action to the path.
    """
    mover = int(state[0])
    if rules.winning_actions(state, mover, path.legal) > 0:
        return mover
    count = rules.winning_actions(state, 3 - mover, path.legal)
    if count > 1:
        return 3 - mover
    path.end.forced = path.legal[0] if count == 1 else ANY
    return GOES_ON


@kernel(types.int64(CONTEXT, STATE, PATH), inlined=True, inner=True)
def solve(context: SearchContext, state: State, path: SearchPath) -> int:
    """Return the proven winner of a new leaf where the game goes on, or 0, as the settings ask."""
    outcome = GOES_ON
    if context.settings.look_ahead:
        outcome = threats(context.rules, state, path)
    if context.settings.static_proofs and outcome == GOES_ON:
        outcome = context.rules.proven_winner(state)
    return outcome


@kernel(types.void(RULES, STATE, types.int64, TREE, PATH), inner=True)
def prove_root(rules: Rules, state: State, outcome: int, tree: Tree, path: SearchPath) -> None:
    """Store the result of ``threats`` in a new root, and prove the moves that win at once."""
    tree.nodes[ROOT].outcome = outcome
    if outcome == state[0]:
        for i in range(rules.winning_actions(state, outcome, path.legal)):
            for edge in range(tree.nodes[ROOT].edge_count):
                if tree.edges[edge].action == path.legal[i]:
                    tree.edges[edge].q_value = math.inf if outcome == 1 else -math.inf
