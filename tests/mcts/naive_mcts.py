"""The pinned search as a slow, obvious twin: dictionaries, recursion and a game's methods."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any

import numpy as np

from state_manager import DRAW, GOES_ON, State, StateManager
from state_manager.rules import no_uniform_rollout

Evaluate = Callable[[State, np.random.Generator], float]
"""The value of a state that is not final, in [-1, 1], seen from player 1."""
Chooser = Callable[[State, np.random.Generator], int]

VALUE = {1: 1.0, 2: -1.0, 3: 0.0}
"""By outcome, seen from player 1."""


def by_uniform_rollout(game: StateManager) -> Evaluate:
    """Evaluate by the game's own ``uniform_rollout``, or by random play if it has none."""
    if game.rules.uniform_rollout is no_uniform_rollout:
        return by_playing(game, uniformly(game))
    return lambda state, rng: VALUE[game.rules.uniform_rollout(state.copy(), rng)]


def by_playing(game: StateManager, choose: Chooser, played: list[int] | None = None) -> Evaluate:
    """Evaluate by letting a policy play both sides to the end; ``played`` gets the moves."""

    def evaluate(state: State, rng: np.random.Generator) -> float:
        while not game.is_final(state):
            action = choose(state, rng)
            state = game.child_state(state, action)
            if played is not None:
                played.append(action)
        return VALUE[game.winner(state)]

    return evaluate


def uniformly(game: StateManager) -> Chooser:
    def choose(state: State, rng: np.random.Generator) -> int:
        legal = game.legal_actions(state).tolist()
        return int(legal[int(rng.random() * len(legal))])

    return choose


@dataclass
class Node:
    """A state in the tree, its edges, and its result, if it is known."""

    state: State
    actions: list[int]
    outcome: int = GOES_ON
    visits: int = 0
    total: float = 0.0
    children: "dict[int, Node]" = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    totals: dict[int, float] = field(default_factory=dict)
    proofs: dict[int, float] = field(default_factory=dict)
    values: dict[int, list[float]] = field(default_factory=dict)
    later_values: dict[int, list[float]] = field(default_factory=dict)

    def q(self, action: int) -> float:
        mean = self.totals[action] / self.counts[action] if action in self.counts else 0.0
        return self.proofs.get(action, mean)


class NaiveMCTS:
    """The twin of ``MCTS``; its ``solver`` proves results."""

    solver = False

    def __init__(
        self, game: StateManager, exploration: float, seed: Any, evaluate: Evaluate
    ) -> None:
        self.game = game
        self.exploration = exploration
        self.rng = np.random.default_rng(seed)
        self.evaluate = evaluate
        self.root: Node | None = None
        self.played: list[int] = []

    def new_node(self, state: State) -> Node:
        if self.game.is_final(state):
            return Node(state, [], self.game.winner(state))
        return Node(state, self.game.legal_actions(state).tolist())

    def new_root(self, state: State) -> Node:
        return self.new_node(state)

    def search(self, state: State, simulations: int) -> Node:
        if self.root is None:
            self.root = self.new_root(state)
        assert np.array_equal(self.root.state, state)
        for _ in range(simulations):
            if self.root.outcome != GOES_ON:
                break
            self.played.clear()
            self.simulate(self.root)
        return self.root

    def simulate(self, node: Node) -> float:
        """Go down, add one node, evaluate it, and count the value on the way back."""
        if not node.actions:
            value = self.value_of(node)
        else:
            action, ply = self.best(node), len(self.played)
            self.played.append(action)
            if action in node.children:
                value = self.simulate(node.children[action])
            else:
                leaf = self.new_node(self.game.child_state(node.state, action))
                node.children[action], leaf.visits = leaf, 1
                value = leaf.total = self.value_of(leaf)
            node.counts[action] = node.counts.get(action, 0) + 1
            node.totals[action] = node.totals.get(action, 0.0) + value
            self.learn(node, self.played[ply::2], value)
            outcome = node.children[action].outcome
            if self.solver and outcome != GOES_ON:
                if outcome != DRAW:
                    node.proofs[action] = VALUE[outcome] * inf
                node.outcome = self.proven(node)
        node.visits += 1
        node.total += value
        return value

    def value_of(self, leaf: Node) -> float:
        """Return the value of a leaf, which ``played`` leads to."""
        if leaf.outcome != GOES_ON:
            return VALUE[leaf.outcome]
        return self.evaluate(leaf.state, self.rng)

    def proven(self, node: Node) -> int:
        """Return the outcome that the edges of a node prove."""
        known = {action: child.outcome for action, child in node.children.items()}
        results, mover = [known.get(each, GOES_ON) for each in node.actions], node.state[0]
        if mover in results:
            return int(mover)
        if GOES_ON in results:
            return GOES_ON
        return DRAW if DRAW in results else 3 - int(mover)

    def learn(self, node: Node, actions: list[int], value: float) -> None:
        """Learn from the later moves of the node's mover; UCT learns nothing."""

    def best(self, node: Node) -> int:
        """Return the action with the best score; ties go to the lowest one."""
        return max(node.actions, key=lambda action: (self.score(node, action), -action))

    def score(self, node: Node, action: int) -> float:
        """Return the score that the mover maximises: Q + u, with Q as the mover sees it."""
        return self.sign(node) * node.q(action) + self.u(node, action)

    def sign(self, node: Node) -> float:
        return 1.0 if node.state[0] == 1 else -1.0

    def u(self, node: Node, action: int) -> float:
        count = node.counts.get(action, 0)
        return self.exploration * sqrt(log(max(1, node.visits)) / (1 + count))

    def advance(self, action: int) -> None:
        """Keep the subtree of the move, if there is one with edges."""
        assert self.root is not None
        child = self.root.children.get(action)
        self.root = child if child is not None and child.actions else None
