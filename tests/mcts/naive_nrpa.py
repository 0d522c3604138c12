"""Nested rollout policy adaptation, slow and obvious: dictionaries, and weights as written."""

from dataclasses import dataclass
from math import exp, inf

import numpy as np

from state_manager import State, StateManager
from tests.mcts.naive_mcts import VALUE

ALPHA = 1.0

Weights = dict[tuple[int, int], float]
"""By ply or player, and action; a missing one has the initial weight."""


@dataclass
class Best:
    """The best sequence so far, and its score for its player."""

    score: float
    actions: list[int]


class NaiveNRPA:
    def __init__(self, game: StateManager, iterations: int, form: str, seed: int) -> None:
        self.game = game
        self.iterations = iterations
        self.softmax = form == "softmax"
        self.by_ply = game.max_plies > game.num_actions
        self.rng = np.random.default_rng(seed)

    def search(
        self, level: int, state: State, weights: Weights | None = None
    ) -> tuple[dict[int, Best], Weights]:
        weights = dict(weights or {})
        if level == 0:
            return self.rollout(state, weights), weights
        best = {player: Best(-0.5 if self.softmax else -inf, []) for player in (1, 2)}
        for _ in range(self.iterations):
            found, _ = self.search(level - 1, state, weights)
            mover, before = self.game.to_play(state), dict(weights)
            if self.softmax:
                for p in (1, 2):
                    if found[p].score >= best[p].score:
                        best[p] = found[p]
                    self.climb(weights, before, state, best[p].actions, p)
            elif found[mover].score > best[mover].score:
                best = found
                self.add(weights, state, best[mover].actions)
        return best, weights

    def rollout(self, state: State, weights: Weights) -> dict[int, Best]:
        actions: list[int] = []
        while not self.game.is_final(state):
            strengths = self.strengths(weights, state, len(actions))
            reached = np.cumsum(list(strengths.values()))
            place = np.searchsorted(reached, self.rng.random() * reached[-1], side="right")
            actions.append(list(strengths)[int(place)])
            state = self.game.child_state(state, actions[-1])
        value = VALUE[self.game.winner(state)]
        return {1: Best(value, actions), 2: Best(-value, actions)}

    def climb(
        self, weights: Weights, before: Weights, state: State, actions: list[int], player: int
    ) -> None:
        """Go a step up the gradient of the player's moves in the sequence."""
        for ply, action in enumerate(actions):
            if self.game.to_play(state) == player:
                strengths = self.strengths(before, state, ply)
                total = sum(strengths.values())
                for legal, strength in strengths.items():
                    code = self.code(state, ply, legal)
                    step = ALPHA * ((legal == action) - strength / total)
                    weights[code] = weights.get(code, 0.0) + step
            state = self.game.child_state(state, action)

    def add(self, weights: Weights, state: State, actions: list[int]) -> None:
        rate = 1.0
        for ply, action in enumerate(actions):
            code = self.code(state, ply, action)
            weights[code] = weights.get(code, 1.0) + rate
            rate *= 0.9
            state = self.game.child_state(state, action)

    def strengths(self, weights: Weights, state: State, ply: int) -> dict[int, float]:
        """Return the weights in proportion to which the legal actions are drawn."""
        legal = self.game.legal_actions(state).tolist()
        codes = {action: self.code(state, ply, action) for action in legal}
        if self.softmax:
            return {action: exp(weights.get(code, 0.0)) for action, code in codes.items()}
        return {action: weights.get(code, 1.0) for action, code in codes.items()}

    def code(self, state: State, ply: int, action: int) -> tuple[int, int]:
        return (ply if self.by_ply else self.game.to_play(state), action)
