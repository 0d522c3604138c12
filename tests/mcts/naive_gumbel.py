"""A slow, obvious twin of the Gumbel root, from its formulas."""

from collections.abc import Sequence
from math import ceil, exp, inf, log, log2

import numpy as np
from numpy.typing import NDArray

from state_manager import State
from tests.mcts.fake_policy import opinion_twin
from tests.mcts.naive_mcts import Node
from tests.mcts.naive_variants import NaivePUCTFPU


class NaiveGumbel(NaivePUCTFPU):
    """Danihelka et al. 2022, from its formulas; the constants are the defaults."""

    considered, c_visit, c_scale, discount = 8, 50.0, 0.2, 1.0
    gumbels: Sequence[float] = ()

    def value(self, state: State) -> float:
        return opinion_twin(self.game, state)

    def search(self, state: State, simulations: int) -> Node:
        """Search with a fresh tree: the visits of all simulations are scheduled beforehand."""
        self.root = self.new_node(state)
        self.legal = self.root.actions
        for wanted in halving(min(self.considered, len(self.legal)), simulations):
            if self.root.outcome:
                break
            self.wanted = wanted
            self.played.clear()
            self.simulate(self.root)
        return self.root

    def value_of(self, leaf: Node) -> float:
        depth = float(len(self.played))
        return super().value_of(leaf) * float(self.discount**depth)

    def prior_of(self, node: Node) -> NDArray[np.float64]:
        prior: NDArray[np.float64] = self.prior(node.state)
        return prior

    def completed(self, root: Node, action: int) -> float:
        """Return Q, and v_mix of appendix D for an action that was not visited."""
        if action in root.counts:
            return self.q_of(root, action)
        prior, visited = self.prior_of(root), sorted(root.counts)
        total = sum(root.counts.values())
        own = self.sign(root) * self.value(root.state)
        if not visited:
            return own
        clipped = [min(1.0, max(-1.0, self.q_of(root, action))) for action in visited]
        weighted = sum(prior[a] * q for a, q in zip(visited, clipped, strict=True))
        mass = sum(prior[action] for action in visited)
        return float((own + total * weighted / mass) / (1 + total))

    def logits(self, root: Node) -> dict[int, float]:
        """Return log prior + sigma(completed Q), where Q is scaled to [0, 1]."""
        prior, most = self.prior_of(root), max(root.counts.values(), default=0)
        sigma = (self.c_visit + most) * self.c_scale
        return {
            action: log(prior[action]) + sigma * (self.completed(root, action) + 1) / 2
            for action in self.legal
        }

    def noise(self, action: int) -> float:
        return self.gumbels[self.legal.index(action)] if len(self.gumbels) else 0.0

    def best(self, node: Node) -> int:
        if node is not self.root:
            return super().best(node)
        logits = self.logits(node)
        alive = [action for action in self.legal if logits[action] > -inf]
        candidates = [action for action in alive if node.counts.get(action, 0) == self.wanted]
        return max(candidates or alive, key=lambda a: (self.noise(a) + logits[a], -a))

    def found(self, root: Node) -> tuple[NDArray[np.float64], int]:
        """Return the improved policy and the action to play.

        Proven wins share the policy by their priors; of several actions that were visited most, the
        one with the best score is played.
        """
        logits, policy = self.logits(root), np.zeros(self.game.num_actions)
        highest, counts = max(logits.values()), root.counts
        if np.isinf(highest):
            counts = {}
            logits = {
                action: log(self.prior_of(root)[action]) if logit == highest else -inf
                for action, logit in logits.items()
            }
            highest = 0.0
        for action, logit in logits.items():
            policy[action] = exp(logit - highest)
        may = [action for action in self.legal if logits[action] > -inf]
        best = max(may, key=lambda a: (counts.get(a, 0), self.noise(a) + logits[a], -a))
        return policy / policy.sum(), best


def halving(considered: int, budget: int) -> list[int]:
    """Return for each simulation the number of earlier visits of its action.

    Karnin, Koren & Somekh 2013: the budget is shared out evenly among ceil(log2 m) phases; in each,
    the remaining actions are visited in turn, then half of them are dropped, down to two.
    """
    phases, visits = max(1, ceil(log2(considered))), [0] * considered
    sequence: list[int] = []
    while len(sequence) < budget:
        for _ in range(max(1, budget // (phases * considered))):
            sequence += visits[:considered]
            visits = [count + 1 for count in visits[:considered]]
        considered = min(considered, max(2, considered // 2))
    return sequence[:budget]
