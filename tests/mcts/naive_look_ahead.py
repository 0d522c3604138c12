"""The solver and looking ahead as a slow twin: new nodes try all moves of both players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from state_manager import DRAW, GOES_ON, State, StateManager
from state_manager.rules import no_winning_actions
from tests.mcts.naive_mcts import VALUE, Evaluate
from tests.mcts.remembering import remembering
from tests.mcts.trees import Nested


def wins_at_once(game: StateManager, state: State, player: int) -> list[int]:
    """Return the actions that win at once, if a player were to move; none if no rule says so."""
    if game.rules.winning_actions is no_winning_actions:
        return []
    turned = state.copy()
    turned[0] = player
    return [action for action, child in game.children(turned) if game.winner(child) == player]


@dataclass
class LookingNode:
    """A state in the tree.

    Attributes:
        actions: The actions that have edges.
        outcome: Its result, if it is known; else 0.
    """

    state: State
    actions: list[int]
    outcome: int = GOES_ON
    visits: int = 0
    total: float = 0.0
    children: dict[int, LookingNode] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    q: dict[int, float] = field(default_factory=dict)


class NaiveLookAhead:
    """UCT, or PUCT where there is a prior, that looks ahead, has a solver, or both."""

    def __init__(
        self,
        game: StateManager,
        exploration: float,
        rng: np.random.Generator,
        evaluate: Evaluate,
        solver: bool,
        prior: Callable[[State], NDArray[np.float64]] | None = None,
        static: bool = False,
        looks: bool = True,
    ) -> None:
        self.game, self.exploration, self.rng = remembering(game), exploration, rng
        self.evaluate, self.solver, self.prior = evaluate, solver, prior
        self.static, self.looks = static, looks
        self.root: LookingNode | None = None

    def looked_at(self, state: State) -> LookingNode:
        """Return a new node: solved, with a single action, or with all of them."""
        game = self.game
        if game.is_final(state):
            return LookingNode(state, [], game.winner(state))
        mover = game.to_play(state)
        legal: list[int] = game.legal_actions(state).tolist()
        if not self.looks:
            return LookingNode(state, legal)
        if wins_at_once(game, state, mover):
            return LookingNode(state, [], mover)
        threats = wins_at_once(game, state, 3 - mover)
        if len(threats) > 1:
            return LookingNode(state, [], 3 - mover)
        if self.static and self.root and (winner := game.rules.proven_winner(state)):
            return LookingNode(state, [], winner)
        return LookingNode(state, threats or legal)

    def new_root(self, state: State) -> LookingNode:
        """Return a node that has edges, even if it is solved."""
        root = self.looked_at(state)
        if root.outcome != GOES_ON:
            root.actions = self.game.legal_actions(state).tolist()
        if root.outcome == self.game.to_play(state):
            for action in wins_at_once(self.game, state, root.outcome):
                root.q[action] = VALUE[root.outcome] * inf
        return root

    def search(self, state: State, simulations: int) -> LookingNode:
        """Run simulations until the root is solved."""
        self.root = self.root or self.new_root(state)
        for _ in range(simulations):
            if self.root.outcome != GOES_ON:
                break
            self.simulate(self.root)
        return self.root

    def advance(self, action: int) -> None:
        """Keep the subtree of a move, unless it is a single solved node."""
        assert self.root is not None
        child = self.root.children.get(action)
        self.root = child if child is not None and child.actions else None

    def simulate(self, node: LookingNode) -> float:
        """Go down, add one node, evaluate it unless it is solved, and count on the way back."""
        action = self.best(node)
        child = node.children.get(action)
        if child is not None and child.actions:
            value = self.simulate(child)
        else:
            if child is None:
                child = self.looked_at(self.game.child_state(node.state, action))
                node.children[action] = child
            value = (
                self.evaluate(child.state, self.rng)
                if child.outcome == GOES_ON
                else VALUE[child.outcome]
            )
            child.visits += 1
            child.total += value
        node.counts[action] = node.counts.get(action, 0) + 1
        node.q[action] = child.total / node.counts[action]
        node.visits += 1
        node.total += value
        if self.solver and child.outcome != GOES_ON:
            if child.outcome != DRAW:
                node.q[action] = VALUE[child.outcome] * inf
            node.outcome = self.proven(node)
        return value

    def proven(self, node: LookingNode) -> int:
        """Return the outcome that the edges of a node prove."""
        mover = self.game.to_play(node.state)
        results = [
            node.children[action].outcome if action in node.children else GOES_ON
            for action in node.actions
        ]
        if mover in results:
            return mover
        if GOES_ON in results:
            return GOES_ON
        return DRAW if DRAW in results else 3 - mover

    def best(self, node: LookingNode) -> int:
        """Return the choice of the tree policy; ties go to the lowest action."""
        sign = 1.0 if self.game.to_play(node.state) == 1 else -1.0
        scores = {}
        for action in node.actions:
            count, q = node.counts.get(action, 0), sign * node.q.get(action, 0.0)
            if self.prior is None:
                weight = self.exploration * sqrt(log(max(1, node.visits)))
                scores[action] = q + weight * (1.0 / sqrt(1.0 + count))
            else:
                policy = self.prior(node.state)
                share = policy[action] / sum(policy[each] for each in node.actions)
                bonus = self.exploration * sqrt(max(1, node.visits)) * share
                scores[action] = q + bonus / (1 + count)
        return max(node.actions, key=lambda action: (scores[action], -action))


def nested_looks(game: StateManager, node: LookingNode) -> Nested:
    """Return the tree below a node as ``nested`` does."""
    edges = tuple(
        (action, node.counts[action], child.total, node.q[action], nested_looks(game, child))
        for action, child in sorted(node.children.items())
    )
    return game.to_play(node.state), node.outcome, node.visits, edges
