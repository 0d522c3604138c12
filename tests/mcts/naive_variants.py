"""Slow, obvious twins of the search variants: each a few lines over the twin of UCT."""

from collections.abc import Callable
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import numpy as np

from state_manager import State, StateManager
from tests.mcts.naive_mcts import VALUE, Chooser, Evaluate, NaiveMCTS, Node, by_playing

Prior = Callable[[State], np.ndarray]
"""The policy of a state over all actions, zero on the illegal ones."""


class NaiveVariant(NaiveMCTS):
    """Keeps every returned value, by node and action."""

    def __init__(
        self,
        game: StateManager,
        choose: Chooser,
        seed: int,
        exploration: float,
        constant: float = 0.0,
        prior: Prior | None = None,
    ) -> None:
        super().__init__(game, exploration, seed, lambda state, rng: 0.0)
        self.evaluate = by_playing(game, choose, self.played)
        self.constant = constant
        self.prior: Any = prior

    def learn(self, node: Node, actions: list[int], value: float) -> None:
        node.values.setdefault(actions[0], []).append(value)
        for action in set(actions):
            node.later_values.setdefault(action, []).append(value)


class NaiveUCB1Tuned(NaiveVariant):
    def score(self, node: Node, action: int) -> float:
        values = node.values.get(action, [])
        if not values:
            return float("inf")
        rewards = [(1 + self.sign(node) * value) / 2 for value in values]
        n, log_visits = len(rewards), log(node.visits)
        mean = sum(rewards) / n
        variance = sum(r * r for r in rewards) / n - mean**2 + sqrt(2 * log_visits / n)
        return mean + self.exploration * sqrt(log_visits / n * self.bounded(variance))

    def bounded(self, variance: float) -> float:
        return min(0.25, variance)


class NaiveRAVE(NaiveVariant):
    def beta(self, n: int, m: int) -> float:
        return m / (n + m + 4 * n * m * self.constant**2) if m else 0.0

    def score(self, node: Node, action: int) -> float:
        later = node.later_values.get(action, [])
        beta = self.beta(node.counts.get(action, 0), len(later))
        rave = sum(later) / len(later) if later else 0.0
        mixed = (1 - beta) * node.q(action) + beta * rave
        return self.sign(node) * mixed + self.u(node, action)


class NaiveRAVERatio(NaiveRAVE):
    def beta(self, n: int, m: int) -> float:
        return self.constant / (n + m + self.constant)


class NaivePUCT(NaiveVariant):
    def score(self, node: Node, action: int) -> float:
        count = node.counts.get(action, 0)
        bonus = self.exploration * self.prior(node.state)[action] * sqrt(max(1, node.visits))
        return float(self.sign(node) * node.q(action) + bonus / (1 + count))


class NaivePUCTFPU(NaivePUCT):
    reduction = 0.2

    def q_of(self, node: Node, action: int) -> float:
        return self.sign(node) * node.q(action)

    def score(self, node: Node, action: int) -> float:
        """Return PUCT's score; an unvisited action is worth its node's mean, less a reduction."""
        prior, count = self.prior(node.state), node.counts.get(action, 0)
        q, visits = self.q_of(node, action), max(1, node.visits)
        if count == 0:
            mass = sum(prior[a] for a in sorted(node.counts))
            q = self.sign(node) * node.total / visits - self.reduction * sqrt(mass)
        return float(q + self.exploration * sqrt(visits) * prior[action] / (1 + count))


class NaiveNMCTS(NaiveVariant):
    def fading(self, count: int) -> float:
        return 1.0

    def score(self, node: Node, action: int) -> float:
        count = node.counts.get(action, 0)
        reward = (1 + self.sign(node) * node.q(action)) / 2 if count else 0.0
        bound = self.exploration * sqrt(log(max(1, node.visits)) / max(1, count))
        opinion = self.constant * self.prior(node.state)[action]
        return float(reward + bound + opinion * self.fading(count))


class NaiveNMCTSPaper(NaiveNMCTS):
    def fading(self, count: int) -> float:
        return 1 / (1 + count)


class NaiveNMCTSProportional(NaiveNMCTS):
    def best(self, node: Node) -> int:
        scores = [self.score(node, action) for action in node.actions]
        left = self.rng.random() * sum(scores)
        for action, score in zip(node.actions, scores, strict=True):
            left -= score
            if left < 0:
                return int(action)
        return node.actions[-1]


def by_several_rollouts(
    game: StateManager, choose: Chooser, rollouts: int, discount: float
) -> Evaluate:
    def evaluate(state: State, rng: np.random.Generator) -> float:
        total = 0.0
        for _ in range(rollouts):
            played: list[int] = []
            total += by_playing(game, choose, played)(state, rng) * discount ** len(played)
        return total / rollouts

    return evaluate


class NaiveLastGoodReply(NaiveMCTS):
    """UCT whose rollouts repeat the last reply that won."""

    def __init__(self, game: StateManager, choose: Chooser, seed: int, exploration: float) -> None:
        super().__init__(game, exploration, seed, self.by_replies)
        self.choose = choose
        self.replies: dict[tuple[int, int], int] = {}

    def by_replies(self, state: State, rng: np.random.Generator) -> float:
        while not self.game.is_final(state):
            reply = self.replies.get((self.game.to_play(state), self.played[-1]))
            legal = self.game.legal_actions(state)
            action = reply if reply in legal else self.choose(state, rng)
            assert action is not None
            self.played.append(action)
            state = self.game.child_state(state, action)
        return VALUE[self.game.winner(state)]

    def simulate(self, node: Node) -> float:
        value = super().simulate(node)
        if node is self.root and self.played:
            player = self.game.to_play(node.state)
            for before, reply in pairwise(self.played):
                player = 3 - player
                key = (player, before)
                if VALUE[player] == value:
                    self.replies[key] = reply
                elif self.replies.get(key) == reply and value != 0:
                    del self.replies[key]
        return value


class NaiveQuality(NaiveMCTS):
    """UCT whose rewards depend on how long each player's wins usually take."""

    def __init__(self, game: StateManager, choose: Chooser, seed: int) -> None:
        super().__init__(game, 1.0, seed, lambda state, rng: 0.0)
        self.lengths: dict[int, list[int]] = {1: [], 2: []}
        self.play_on = by_playing(game, choose, self.played)

    def value_of(self, leaf: Node) -> float:
        if self.game.is_final(leaf.state):
            return self.reward(VALUE[self.game.winner(leaf.state)])
        return self.reward(self.play_on(leaf.state, self.rng))

    def reward(self, value: float) -> float:
        """Return the reward of the simulation whose moves are in ``played``."""
        if value == 0:
            return 0.0
        wins, bonus = self.lengths[1 if value > 0 else 2], 0.0
        if len(set(wins)) > 1:
            mean = sum(wins) / len(wins)
            deviation = sqrt(sum((each - mean) ** 2 for each in wins) / len(wins))
            bonus = -1 + 2 / (1 + exp(-1.4 * (mean - len(self.played)) / deviation))
        wins.append(len(self.played))
        return value * (1 + 0.25 * bonus) / 1.25
