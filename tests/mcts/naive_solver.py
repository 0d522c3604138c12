"""MCTS-Solver as a slow, obvious twin: every node reads the proofs of all of its children."""

from __future__ import annotations

from math import inf

import numpy as np

from state_manager import DRAW, State, StateManager
from tests.mcts.naive_mcts import VALUE, NaiveMCTS, Node


def proven(game: StateManager, node: Node) -> int:
    """Return the winner under best play that the tree proves; 0 for unknown."""
    if game.is_final(node.state):
        return game.winner(node.state)
    mover = game.to_play(node.state)
    results = [
        proven(game, node.children[action]) if action in node.children else 0
        for action in game.legal_actions(node.state).tolist()
    ]
    if mover in results:
        return mover
    if 0 in results:
        return 0
    return DRAW if DRAW in results else 3 - mover


class NaiveSolver(NaiveMCTS):
    """UCT that avoids proven losses, and stops when the root is proven."""

    def search(self, state: State, simulations: int) -> Node:
        """Run the simulations that are needed and return the root."""
        if self.root is None:
            self.root = Node(state)
        for _ in range(simulations):
            if self.proven(self.root):
                break
            self.played.clear()
            self.simulate(self.root)
        return self.root

    def proven(self, node: Node) -> int:
        """Return the winner under best play that the tree proves; 0 for unknown."""
        return proven(self.game, node)

    def q(self, node: Node, action: int) -> float:
        """Return Q(s,a), infinite where a win is proven."""
        result = self.proven(node.children[action]) if action in node.children else 0
        return inf * VALUE[result] if result in (1, 2) else node.q(action)

    def best(self, node: Node) -> int:
        """Return UCT's choice with these Q."""
        sign = 1.0 if self.game.to_play(node.state) == 1 else -1.0
        legal: list[int] = self.game.legal_actions(node.state).tolist()
        weight = self.exploration * np.sqrt(np.log(max(1, node.visits)))
        scores = {
            action: sign * self.q(node, action)
            + weight * (1.0 / np.sqrt(1.0 + node.counts.get(action, 0)))
            for action in legal
        }
        return min(legal, key=lambda action: (-scores[action], action))
