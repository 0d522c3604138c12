"""Looking ahead as a slow twin: new nodes try all moves of both players."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from state_manager import State, StateManager
from state_manager.rules import no_winning_actions
from tests.mcts.naive_mcts import Evaluate, NaiveMCTS, Node


def wins_at_once(game: StateManager, state: State, player: int) -> list[int]:
    """Return the actions that win at once, if a player were to move; none if no rule says so."""
    if game.rules.winning_actions is no_winning_actions:
        return []
    turned = state.copy()
    turned[0] = player
    return [action for action, child in game.children(turned) if game.winner(child) == player]


class NaiveLookAhead(NaiveMCTS):
    """UCT, or PUCT where there is a prior; it may use static proofs."""

    static = False

    def __init__(
        self,
        game: StateManager,
        exploration: float,
        seed: int,
        evaluate: Evaluate,
        prior: Callable[[State], NDArray[np.float64]] | None = None,
    ) -> None:
        super().__init__(game, exploration, seed, evaluate)
        self.prior = prior

    def new_node(self, state: State) -> Node:
        """Return a new node: solved, with a single action, or with all of them."""
        node, mover = super().new_node(state), int(state[0])
        if not node.actions:
            return node
        if wins_at_once(self.game, state, mover):
            return Node(state, [], mover)
        threats = wins_at_once(self.game, state, 3 - mover)
        if len(threats) > 1:
            return Node(state, [], 3 - mover)
        if self.static and self.root and (winner := self.game.rules.proven_winner(state)):
            return Node(state, [], winner)
        return Node(state, threats or node.actions)

    def new_root(self, state: State) -> Node:
        """Return a node that has edges, even if it is solved."""
        root = self.new_node(state)
        root.actions = root.actions or self.game.legal_actions(state).tolist()
        return root

    def u(self, node: Node, action: int) -> float:
        if self.prior is None:
            return super().u(node, action)
        policy = self.prior(node.state)
        share = policy[action] / sum(policy[each] for each in node.actions)
        count = node.counts.get(action, 0)
        return float(self.exploration * sqrt(max(1, node.visits)) * share / (1 + count))
