"""The pinned search as a slow, obvious twin: dictionaries, recursion and a game's methods.

It draws the same random numbers as the kernels, in the same order, so that the same seed must give
the same tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from state_manager import State, StateManager
from state_manager.rules import no_uniform_rollout
from tests.mcts.remembering import remembering

Evaluate = Callable[[State, np.random.Generator], float]
"""The value of a state that is not final, in [-1, 1], seen from player 1."""

VALUE = {1: 1.0, 2: -1.0, 3: 0.0}
"""By outcome, seen from player 1."""


def by_uniform_rollout(game: StateManager) -> Evaluate:
    """Evaluate by the game's own ``uniform_rollout``, or by random play if it has none."""
    if game.rules.uniform_rollout is no_uniform_rollout:
        return by_playing(game, uniformly(game))
    return lambda state, rng: VALUE[game.rules.uniform_rollout(state.copy(), rng)]


def by_playing(
    game: StateManager,
    choose: Callable[[State, np.random.Generator], int],
    played: list[int] | None = None,
) -> Evaluate:
    """Evaluate by letting a policy play both sides to the end; ``played`` gets the moves."""

    def evaluate(state: State, rng: np.random.Generator) -> float:
        while not game.is_final(state):
            action = choose(state, rng)
            state = game.child_state(state, action)
            if played is not None:
                played.append(action)
        return VALUE[game.winner(state)]

    return evaluate


def uniformly(game: StateManager) -> Callable[[State, np.random.Generator], int]:
    """Choose any legal action."""

    def choose(state: State, rng: np.random.Generator) -> int:
        legal = game.legal_actions(state).tolist()
        return int(legal[int(rng.random() * len(legal))])

    return choose


@dataclass
class Node:
    """A state in the tree."""

    state: State
    visits: int = 0
    total: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    totals: dict[int, float] = field(default_factory=dict)
    values: dict[int, list[float]] = field(default_factory=dict)
    later_values: dict[int, list[float]] = field(default_factory=dict)

    def q(self, action: int) -> float:
        """Return Q(s,a)."""
        return self.totals[action] / self.counts[action] if action in self.counts else 0.0


class NaiveMCTS:
    """The twin of ``MCTS``."""

    def __init__(
        self,
        game: StateManager,
        exploration: float,
        seed: int | np.random.Generator,
        evaluate: Evaluate,
    ) -> None:
        self.game = remembering(game)
        self.exploration = exploration
        self.rng = np.random.default_rng(seed)
        self.evaluate = evaluate
        self.root: Node | None = None
        self.played: list[int] = []

    def search(self, state: State, simulations: int) -> Node:
        """Run the simulations and return the root."""
        if self.root is None:
            self.root = Node(state)
        assert np.array_equal(self.root.state, state)
        for _ in range(simulations):
            self.played.clear()
            self.simulate(self.root)
        return self.root

    def simulate(self, node: Node) -> float:
        """Go down, add one node, evaluate it, and count the value on the way back."""
        if self.game.is_final(node.state):
            value = self.value_of(node)
        else:
            action, ply = self.best(node), len(self.played)
            self.played.append(action)
            if action in node.children:
                value = self.simulate(node.children[action])
            else:
                leaf = Node(self.game.child_state(node.state, action), visits=1)
                node.children[action] = leaf
                value = leaf.total = self.value_of(leaf)
            node.counts[action] = node.counts.get(action, 0) + 1
            node.totals[action] = node.totals.get(action, 0.0) + value
            self.learn(node, self.played[ply::2], value)
        node.visits += 1
        node.total += value
        return value

    def value_of(self, leaf: Node) -> float:
        """Return the value of a leaf, which ``played`` leads to."""
        if self.game.is_final(leaf.state):
            return VALUE[self.game.winner(leaf.state)]
        return self.evaluate(leaf.state, self.rng)

    def learn(self, node: Node, actions: list[int], value: float) -> None:
        """Learn from the later moves of the node's mover; UCT learns nothing."""

    def best(self, node: Node) -> int:
        """Return the action with the best score; ties go to the lowest one."""
        legal: list[int] = self.game.legal_actions(node.state).tolist()
        return max(legal, key=lambda action: (self.score(node, action), -action))

    def score(self, node: Node, action: int) -> float:
        """Return the score that the mover maximises: Q + u, with Q as the mover sees it."""
        return self.sign(node) * node.q(action) + self.u(node, action)

    def sign(self, node: Node) -> float:
        return 1.0 if self.game.to_play(node.state) == 1 else -1.0

    def u(self, node: Node, action: int) -> float:
        count = node.counts.get(action, 0)
        return self.exploration * sqrt(log(max(1, node.visits)) / (1 + count))

    def advance(self, action: int) -> None:
        """Keep the subtree of the move, if there is one."""
        assert self.root is not None
        self.root = self.root.children.get(action)
