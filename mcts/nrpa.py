"""Nested rollout policy adaptation (Rosin 2011), for two players.

A search of level n makes N searches of level n - 1, each with a copy of its own policy; a search of
level 0 is a rollout by that policy. After each, level n adapts its policy to its best sequence of
moves so far. A policy is a weight for each code of a move. ``docs/methods/nrpa.md`` explains the
two forms, the codes and the two kinds of opponent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from base.jit import deferred_interrupts, make_ready
from mcts.chunks import FIRST_CHUNK, next_chunk
from mcts.nested import Learning, learn_by_addition, learn_by_softmax, new_nest, run_rollouts
from state_manager import State, StateError, StateManager

Form = Literal["softmax", "additive"]
Opponent = Literal["adversarial", "cooperative"]
Code = Literal["ply", "player"]

_LEARNING: dict[Form, Learning] = {"softmax": learn_by_softmax, "additive": learn_by_addition}


@dataclass(frozen=True)
class NRPAResult:
    """The result of nested searches. A: actions.

    Attributes:
        distribution: `[A]` float64, the mean over the searches: of each one's chosen action if the
            opponent is cooperative, else of its policy at the root.
        sequence: The best sequence of the last search for the player to move: the moves of both
            players from the root to a final state. Empty if every game was lost to an adversary.
        score: Its outcome for that player, in [-1, 1]; -1 if it is empty.
        simulations: The number of rollouts.
        seconds: Their duration.
    """

    distribution: NDArray[np.float64]
    sequence: tuple[int, ...]
    score: float
    simulations: int
    seconds: float

    @property
    def best_action(self) -> int:
        """The action with the most weight; ties go to the lowest."""
        return int(np.argmax(self.distribution))


class NRPA:
    """Nested rollout policy adaptation for any game; each search begins with fresh weights.

    Attributes:
        time_limit: Seconds after which a search stops early, or ``None``.
    """

    def __init__(
        self,
        game: StateManager,
        level: int = 3,
        iterations: int = 10,
        *,
        form: Form = "softmax",
        opponent: Opponent = "adversarial",
        code: Code | None = None,
        simulations: int | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator = 0,
    ) -> None:
        """Prepare a search.

        Args:
            game: The rules.
            level: The number of nested levels, at least 1.
            iterations: N, the searches of the level below in each search, at least 1; a search of
                the whole nest plays N to the power of ``level`` rollouts.
            form: The rule that adapts policies.
            opponent: Adapt the other player's moves to that player's own best sequence
                (``adversarial``), or to the searching player's (``cooperative``).
            code: Whether an action has one weight for each ply, or one for each player; ``None``
                for the ply in games with more plies than actions, since actions recur there.
            simulations: The number of rollouts, in several searches or a part of one; ``None`` for
                one search.
            seed: The seed or generator of all random numbers.

        Raises:
            ValueError: If a number is out of range, or a form or an opponent is unknown.
        """
        if level < 1 or iterations < 1:
            raise ValueError(
                f"expected at least 1 level and 1 iteration, got {level} and {iterations}"
            )
        if simulations is not None and simulations < 1:
            raise ValueError(f"expected at least 1 simulation, got {simulations}")
        if form not in _LEARNING:
            raise ValueError(f"expected a form ({', '.join(_LEARNING)}), got {form!r}")
        if opponent not in ("adversarial", "cooperative"):
            raise ValueError(f"expected an adversarial or cooperative opponent, got {opponent!r}")
        if code not in ("ply", "player", None):
            raise ValueError(f"expected a code (ply, player), got {code!r}")
        if code is None:
            code = "ply" if game.max_plies > game.num_actions else "player"
        self.game = game
        self._whole = iterations**level
        self.simulations = simulations
        self.time_limit: float | None = None
        self._learn = _LEARNING[form]
        self._rng = np.random.default_rng(seed)
        rows = 2 if code == "player" else game.max_plies
        sizes = (game.state_length, game.max_plies, game.num_actions)
        self._nest = new_nest(sizes, level, iterations, rows, opponent == "cooperative")
        self._distribution = np.zeros(game.num_actions)
        make_ready(run_rollouts, *game.rules, self._learn)

    def search(self, state: State, stopped: Callable[[], bool] = lambda: False) -> NRPAResult:
        """Search from ``state``: once, or for M simulations, until the time is over.

        Successive searches begin with fresh weights and count equally in the result; one that is
        stopped half-way counts half. At least one rollout is played.

        Args:
            state: `[S]` int8, not final.
            stopped: Called every few milliseconds; returns whether to stop early.

        Raises:
            StateError: If the state is final or not of this game.
        """
        started = time.perf_counter()
        state = self.game.checked(state)
        if self.game.is_final(state):
            raise StateError(f"expected a state that is not final:\n{self.game.text(state)}")
        deadline = np.inf if self.time_limit is None else started + self.time_limit
        full = self._whole
        wanted = full if self.simulations is None else self.simulations
        self._nest.iterations[:] = 0
        self._distribution = distribution = np.zeros(self.game.num_actions)
        self._nest.root_state[:] = state
        chunk, run, now = FIRST_CHUNK, 0, started
        while run == 0 or (run < wanted and now < deadline and not stopped()):
            done = run % full
            if done == 0:
                self._begin()
            before, count = now, min(chunk, wanted - run, full - done)
            with deferred_interrupts():
                run_rollouts(self.game.rules, self._learn, self._nest, count, self._rng)
            run += count
            now = time.perf_counter()
            if count == chunk:
                chunk = next_chunk(chunk, now - before)
            if done + count == full:
                distribution += self._choice()
        if run % full != 0:
            distribution += self._choice() * (run % full) / full
        sequence, score = self._best_sequence()
        return NRPAResult(distribution / distribution.sum(), sequence, score, run, now - started)

    def best_so_far(self, state: State) -> int | None:
        """Return the best action so far in the searched state, even during a search.

        ``None`` before the first rollout, or if ``state`` is not the searched one. Thread-safe.
        """
        if not np.array_equal(state, self._nest.root_state):
            return None
        if not self._nest.iterations.any():
            return int(np.argmax(self._distribution)) if self._distribution.any() else None
        return int(np.argmax(self._distribution + self._choice()))

    def _begin(self) -> None:
        """Begin a search of the whole nest."""
        nest = self._nest
        nest.iterations[:] = 0  # first, for ``best_so_far`` in another thread
        nest.strengths[:] = 1.0
        nest.scores[:] = nest.threshold
        nest.lengths[:] = 0

    def _choice(self) -> NDArray[np.float64]:
        """Return the current policy at the root, as probabilities of all actions."""
        choice = np.zeros(self.game.num_actions)
        if self._nest.teachers == 1:
            choice[self._best_sequence()[0][:1]] = 1.0
        else:
            # Level 1 begins with the policy of the levels above it, so it is the newest.
            legal = self.game.legal_actions(self._nest.root_state)
            choice[legal] = self._nest.strengths[1, 0, legal]
            choice /= choice.sum()
        return choice

    def _best_sequence(self) -> tuple[tuple[int, ...], float]:
        """Return the best sequence of all levels for the player to move, and its score.

        Ties go to the highest level.
        """
        nest = self._nest
        scores = nest.scores[1:, 0]
        level = len(scores) - int(np.argmax(scores[::-1]))
        actions = tuple(nest.actions[level, 0, : nest.lengths[level, 0]].tolist())
        return actions, float(nest.scores[level, 0]) if actions else -1.0
