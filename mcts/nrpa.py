"""Nested rollout policy adaptation (Rosin 2011), for two players; see ``docs/methods/nrpa.md``.

Letters: A actions, D length of the longest game, R rows of a policy, S length of a state.
At ply t, an action is drawn in proportion to row t mod R of the policy, `[R, A]`: with R = 2 an
action has one weight for each player, with R = D one for each ply. Sequences, `[D]` int32, hold the
moves of both players, then -1.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, direct, kernel, make_ready
from mcts.leaf_evaluation import outcome_value
from state_manager import State, StateError, StateManager
from state_manager.rules import GOES_ON, INDICES, RNG, RULES, STATE, Indices, Rules

LEARNING_RATE = 1.0
"""alpha of the softmax form; the additive form's increment for the first move."""
LEARNING_RATE_DECAY = 0.9
"""Factor on the additive form's increment, from move to move."""
_BETWEEN_LOSS_AND_DRAW = -0.5

Form = Literal["softmax", "additive"]
Policy = NDArray[np.float64]
Sequence = NDArray[np.int32]
_POLICY, _SEQUENCE = types.float64[:, ::1], types.int32[::1]


@kernel(types.int64(RULES, STATE, INDICES, _POLICY, _SEQUENCE, RNG))
def roll_out(
    rules: Rules,
    state: State,
    legal: Indices,
    policy: Policy,
    actions: Sequence,
    rng: np.random.Generator,
) -> int:
    """Play to the end by a policy, and return the outcome.

    ``state`` and ``actions`` are changed in place; ``legal``, `[A]`, is scratch memory.
    """
    outcome, ply = GOES_ON, 0
    while outcome == GOES_ON:
        row = ply % len(policy)
        count = rules.legal_actions(state, legal)
        total = 0.0
        for i in range(count):
            total += policy[row, legal[i]]
        rest = rng.random() * total - policy[row, legal[0]]
        chosen = 0
        while rest >= 0.0 and chosen < count - 1:
            chosen += 1
            rest -= policy[row, legal[chosen]]
        actions[ply] = legal[chosen]
        outcome = rules.play(state, legal[chosen])
        ply += 1
    return outcome


@kernel(types.void(RULES, STATE, INDICES, _POLICY, _POLICY, _SEQUENCE, types.int64))
def climb(
    rules: Rules,
    state: State,
    legal: Indices,
    policy: Policy,
    steps: Policy,
    actions: Sequence,
    side: int,
) -> None:
    """Take a gradient step for the moves of a sequence at even (0) or odd (1) plies.

    A policy holds e to the power of Rosin's weights. ``policy`` and ``state`` are changed in place;
    ``steps``, zeros, and ``legal``, `[A]`, are scratch memory.
    """
    for ply in range(len(actions)):
        if actions[ply] < 0:
            break
        if ply % 2 == side:
            row = ply % len(policy)
            count = rules.legal_actions(state, legal)
            total = 0.0
            for i in range(count):
                total += policy[row, legal[i]]
            for i in range(count):
                steps[row, legal[i]] -= LEARNING_RATE * policy[row, legal[i]] / total
            steps[row, actions[ply]] += LEARNING_RATE
        rules.play(state, actions[ply])
    for row in range(len(policy)):
        for action in range(len(legal)):
            policy[row, action] *= math.exp(steps[row, action])


class NRPAResult(NamedTuple):
    """The result of nested searches.

    Attributes:
        distribution: `[A]` float64, the mean over the searches: of the policy at the root in the
            softmax form, of the first move of the best sequence in the additive form.
        simulations: The number of rollouts.
        seconds: Their duration.
    """

    distribution: NDArray[np.float64]
    simulations: int
    seconds: float

    @property
    def best_action(self) -> int:
        """The action with the most weight; ties go to the lowest."""
        return int(np.argmax(self.distribution))


class _Best(NamedTuple):
    """A player's best sequence so far, and its score for that player, in [-1, 1]."""

    score: float
    actions: Sequence


class NRPA:
    """Nested rollout policy adaptation for any game; each search begins with fresh weights."""

    def __init__(
        self,
        game: StateManager,
        level: int = 3,
        iterations: int = 10,
        form: Form = "softmax",
        simulations: int | None = None,
        time_limit: float | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator = 0,
    ) -> None:
        """Prepare a search.

        Args:
            game: The rules.
            level: The number of nested levels, at least 1.
            iterations: N, at least 1; a whole search plays N to the power of ``level`` rollouts.
            form: The rule that adapts policies.
            simulations: The number of rollouts, in several searches or a part of one; ``None`` for
                one search.
            time_limit: Seconds after which a search stops early, or ``None``.
            seed: The seed or generator of all random numbers.
        """
        self._game, self._level, self._iterations = game, level, iterations
        self._is_additive = form == "additive"
        self._simulations = simulations or iterations**level
        self._limit = math.inf if time_limit is None else time_limit
        self._rng = np.random.default_rng(seed)
        self._legal = np.zeros(game.num_actions, np.int64)
        # Actions recur, and mean something else each time, in games with more plies than actions.
        self._rows = game.max_plies if game.max_plies > game.num_actions else 2
        make_ready(roll_out, outcome_value, *([] if self._is_additive else [climb]), *game.rules)

    def search(self, state: State, stopped: Callable[[], bool] = lambda: False) -> NRPAResult:
        """Search from ``state``: once, or for M simulations, until the time is over.

        Successive searches begin with fresh weights and count equally in the result; one that is
        stopped half-way counts half. At least one rollout is played.

        Args:
            state: `[S]` int8, not final.
            stopped: Called after each rollout; returns whether to stop early.

        Raises:
            StateError: If the state is final or not of this game.
        """
        began = time.perf_counter()
        self._root, self._run = self._game.checked(state), 0
        if self._game.is_final(state):
            raise StateError(f"expected a state that is not final:\n{self._game.text(state)}")

        def is_over() -> bool:
            is_late = time.perf_counter() - began >= self._limit
            return self._run == self._simulations or is_late or stopped()

        self._is_over = is_over
        legal, distribution = self._game.legal_actions(state), np.zeros(self._game.num_actions)
        while self._run == 0 or not is_over():
            before = self._run
            best = self._nested(self._level, np.ones((self._rows, self._game.num_actions)))
            share = (self._run - before) / self._iterations**self._level
            if self._is_additive:
                distribution[best[0].actions[0]] += share
            else:
                weights = self._newest[0, legal]
                distribution[legal] += share * weights / weights.sum()
        seconds = time.perf_counter() - began
        return NRPAResult(distribution / distribution.sum(), self._run, seconds)

    def _nested(self, level: int, policy: Policy) -> list[_Best]:
        """Search at a level; return the best sequence of the player to move, and of the other.

        ``policy`` is adapted in place, to each player's own best sequence; or, in the additive
        form, to that of the player to move alone, as if the opponent helped.
        """
        empty = np.full(self._game.max_plies, -1, np.int32)
        if level == 0:
            outcome = self._call(roll_out, policy, empty, self._rng)
            self._run += 1
            value = outcome_value(outcome) * (1.0 if self._root[0] == 1 else -1.0)
            return [_Best(value, empty), _Best(-value, empty)]
        best = [_Best(-math.inf if self._is_additive else _BETWEEN_LOSS_AND_DRAW, empty)] * 2
        with deferred_interrupts() if level == 1 else nullcontext():
            for _ in range(self._iterations):
                found = self._nested(level - 1, policy.copy())
                if not self._is_additive:
                    for side in (0, 1):
                        best[side] = max(found[side], best[side], key=lambda each: each.score)
                        self._call(climb, policy, np.zeros_like(policy), best[side].actions, side)
                elif found[0].score > best[0].score:
                    best, rate = found, LEARNING_RATE
                    for ply, action in enumerate(best[0].actions[best[0].actions >= 0]):
                        policy[ply % len(policy), action] += rate
                        rate *= LEARNING_RATE_DECAY
                if self._run % self._iterations ** (level - 1) == 0:  # all levels below are done
                    self._newest = policy
                if self._is_over():
                    break
        return best

    def _call(self, kernel: Callable[..., Any], *arguments: object) -> Any:
        """Call a kernel with the rules, the root, scratch memory, and arguments of its own."""
        return direct(kernel)(self._game.rules, self._root.copy(), self._legal, *arguments)
