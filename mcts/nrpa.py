"""Nested rollout policy adaptation (Rosin 2011), for two players; see ``docs/methods/nrpa.md``.

Letters: A actions, D length of the longest game, L levels, R rows of a policy, S length of a state.
At ply t, an action is drawn in proportion to row t mod R of the policy, `[R, A]`: with R = 2 an
action has one weight for each player, with R = D one for each ply. Sequences, `[D]` int32, hold the
moves of both players, then -1.
"""

import math
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from base.jit import deferred_interrupts, direct, kernel, make_ready, record_type
from mcts.leaf_evaluation import outcome_value
from state_manager import State, StateError, StateManager
from state_manager.rules import GOES_ON, INDICES, RNG, RULES, STATE, Indices, Rules, copy_state

LEARNING_RATE = 1.0
"""alpha of the softmax form; the additive form's increment for the first move."""
LEARNING_RATE_DECAY = 0.9
"""Factor on the additive form's increment, from move to move."""
ROLLOUTS_BETWEEN_CHECKS = 64
"""Rollouts from one look at the clock to the next."""
BETWEEN_LOSS_AND_DRAW = -0.5
"""Score below that no sequence of the softmax form is learned: lost games teach nothing."""

Form = Literal["softmax", "additive"]


class Levels(NamedTuple):
    """Memory of a search; level 0 is the rollout, by a copy of the policy adapted last.

    In the softmax form, policies hold e to the power of Rosin's weights.
    """

    policies: NDArray[np.float64]  # [L + 1, R, A]
    # [L + 1, 2, D], best sequences, of the searching player and the other
    actions: NDArray[np.int32]
    scores: NDArray[np.float64]  # [L + 1, 2], their scores for that player, in [-1, 1]
    steps: NDArray[np.float64]  # [R, A], zeros between adaptations
    state: State  # [S], scratch memory
    legal: Indices  # [A], scratch memory


LEVELS = record_type(
    Levels,
    types.float64[:, :, ::1],
    types.int32[:, :, ::1],
    types.float64[:, ::1],
    types.float64[:, ::1],
    STATE,
    INDICES,
)


@kernel(types.void(RULES, STATE, LEVELS, RNG), inner=True)
def roll_out(rules: Rules, root: State, levels: Levels, rng: np.random.Generator) -> None:
    """Play to the end by the policy of level 0; its sequence and score are the outcome."""
    state, legal, policy = levels.state, levels.legal, levels.policies[0]
    copy_state(root, state)
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
        levels.actions[0, :, ply] = legal[chosen]
        outcome = rules.play(state, legal[chosen])
        ply += 1
    value = outcome_value(outcome) if root[0] == 1 else -outcome_value(outcome)
    levels.scores[0, 0], levels.scores[0, 1] = value, -value


@kernel(types.void(RULES, STATE, LEVELS, types.int64, types.int64), inner=True)
def climb(rules: Rules, root: State, levels: Levels, level: int, side: int) -> None:
    """Take a gradient step for a side's best sequence: its moves at even (0) or odd (1) plies."""
    state, legal, steps = levels.state, levels.legal, levels.steps
    policy, actions = levels.policies[level], levels.actions[level, side]
    copy_state(root, state)
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
            steps[row, action] = 0.0


@kernel(types.void(LEVELS, types.int64), inner=True)
def reinforce(levels: Levels, level: int) -> None:
    """Add 1, 0.9, 0.81 ... to the weights of the best sequence's moves."""
    policy, rate = levels.policies[level], LEARNING_RATE
    for ply in range(levels.actions.shape[2]):
        action = levels.actions[level, 0, ply]
        if action < 0:
            break
        policy[ply % len(policy), action] += rate
        rate *= LEARNING_RATE_DECAY


@kernel(types.void(LEVELS, types.int64, types.int64, types.boolean), inner=True)
def renew(levels: Levels, level: int, source: int, is_additive: bool) -> None:
    """Begin a level anew: with another level's policy, and without a best sequence."""
    _, rows, actions = levels.policies.shape
    for row in range(rows):
        for action in range(actions):
            levels.policies[level, row, action] = levels.policies[source, row, action]
    levels.scores[level] = -math.inf if is_additive else BETWEEN_LOSS_AND_DRAW
    levels.actions[level] = -1


@kernel(types.void(RULES, STATE, LEVELS, types.int64, types.int64, types.int64, types.boolean, RNG))
def search_levels(
    rules: Rules,
    root: State,
    levels: Levels,
    iterations: int,
    first: int,
    last: int,
    is_additive: bool,
    rng: np.random.Generator,
) -> None:
    """Play rollouts ``first`` to ``last``; each search at a level adapts the level above.

    Policies are adapted to each player's own best sequence; in the additive form to that of the
    searching player alone, as if the opponent helped.
    """
    if first == 0:
        for level in range(len(levels.policies)):
            levels.policies[level] = 1.0
            renew(levels, level, level, is_additive)
    for run in range(first + 1, last + 1):
        roll_out(rules, root, levels, rng)
        level, rollouts = 0, 1
        while level + 1 < len(levels.policies) and run % rollouts == 0:
            level += 1
            rollouts *= iterations
            for side in range(2):
                score, best = levels.scores[level - 1, side], levels.scores[level, side]
                if score > best or (score == best and not is_additive):
                    levels.scores[level, side] = score
                    for ply in range(levels.actions.shape[2]):
                        levels.actions[level, side, ply] = levels.actions[level - 1, side, ply]
                    if is_additive and side == 0:
                        reinforce(levels, level)
                if not is_additive:
                    climb(rules, root, levels, level, side)
        for below in range(level):
            renew(levels, below, level, is_additive)


class NRPAResult(NamedTuple):
    """The result of nested searches."""

    # [A], the mean over the searches: of the policy at the root in the softmax form, of the first
    # move of the best sequence in the additive form
    distribution: NDArray[np.float64]
    simulations: int  # the number of rollouts
    seconds: float  # their duration

    @property
    def best_action(self) -> int:
        """The action with the most weight; ties go to the lowest."""
        return int(np.argmax(self.distribution))


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
        """Prepare a search of ``level`` nested levels, each of N = ``iterations``; both at least 1.

        A whole search plays N to the power of ``level`` rollouts; ``simulations`` asks for another
        number of them, in several searches or a part of one. After ``time_limit`` seconds, a search
        stops early. The form is ``softmax`` as in Rosin 2011, with each player's moves adapted to
        its own wins; or ``additive`` as in the repository hexgamemctc.
        """
        self._game, self._level, self._iterations = game, level, iterations
        self._is_additive = form == "additive"
        self._simulations = simulations or iterations**level
        self._limit = math.inf if time_limit is None else time_limit
        self._rng = np.random.default_rng(seed)
        # Actions recur, and mean something else each time, in games with more plies than actions.
        rows = game.max_plies if game.max_plies > game.num_actions else 2
        self._levels = Levels(
            np.zeros((level + 1, rows, game.num_actions)),
            np.zeros((level + 1, 2, game.max_plies), np.int32),
            np.zeros((level + 1, 2)),
            np.zeros((rows, game.num_actions)),
            np.zeros(game.state_length, np.int8),
            np.zeros(game.num_actions, np.int64),
        )
        make_ready(search_levels, *game.rules)

    def search(self, state: State, stopped: Callable[[], bool] = lambda: False) -> NRPAResult:
        """Search from ``state``, `[S]`: once, or for M simulations, until the time is over.

        Successive searches begin with fresh weights and count equally in the result; one that is
        stopped half-way counts in part. At least one rollout is played. ``stopped`` is called every
        ``ROLLOUTS_BETWEEN_CHECKS`` rollouts, and returns whether to stop early.

        Raises:
            StateError: If the state is final or not of this game.
        """
        began = time.perf_counter()
        root, levels = self._game.checked(state), self._levels
        if self._game.is_final(state):
            raise StateError(f"expected a state that is not final:\n{self._game.text(state)}")
        legal, distribution = self._game.legal_actions(state), np.zeros(self._game.num_actions)
        whole, played, is_over = self._iterations**self._level, 0, False
        while not is_over:
            run = 0
            while run < whole and not is_over:
                until = min(run + ROLLOUTS_BETWEEN_CHECKS, whole, run + self._simulations - played)
                with deferred_interrupts():
                    direct(search_levels)(
                        self._game.rules,
                        root,
                        levels,
                        self._iterations,
                        run,
                        until,
                        self._is_additive,
                        self._rng,
                    )
                run, played = until, played + until - run
                is_late = time.perf_counter() - began >= self._limit
                is_over = played == self._simulations or is_late or stopped()
            if self._is_additive:
                top = len(levels.scores) - 1 - int(np.argmax(levels.scores[:0:-1, 0]))
                distribution[levels.actions[top, 0, 0]] += run / whole
            else:
                weights = levels.policies[0, 0, legal]
                distribution[legal] += run / whole * weights / weights.sum()
        seconds = time.perf_counter() - began
        return NRPAResult(distribution / distribution.sum(), played, seconds)
