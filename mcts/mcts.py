"""``MCTS``: the search as the rest of the system uses it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from base.jit import deferred_interrupts
from mcts.chunks import FIRST_CHUNK, next_chunk
from mcts.forest import NOBODY
from mcts.result import SearchResult, result_of, simulations_of
from mcts.tree import BUDGET, NODES, ROOT, Tree
from mcts.tree_memory import tell_if_full
from mcts.trees import Answer, Trees, check_parts
from mcts.variant import Variant
from state_manager import IllegalActionError, State, StateError, StateManager
from state_manager.policy import Policy
from state_manager.rules import GOES_ON


class MCTS(Trees):
    """Monte Carlo tree search for any game, in one game or in many at once.

    A leaf is evaluated inside, by a rollout of the default policy or by its critic; or outside, by
    a net that evaluates the leaves of all games in one batch. Outside, the net's value replaces the
    rollout, or rollouts are uniformly random. All batches of several games have the same size, so
    that the values of a game do not depend on the number of other games.

    Trees are kept from one search to the next, unless the variant needs fresh ones.

    Attributes:
        simulations: M.
        time_limit: See ``__init__``.
    """

    def __init__(
        self,
        game: StateManager,
        simulations: int = 500,
        *,
        variant: Variant | None = None,
        rollout_policy: Policy | None = None,
        answer: Answer | None = None,
        games: int = 1,
        time_limit: float | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator = 0,
    ) -> None:
        """Prepare searches.

        Args:
            game: The rules.
            simulations: M, the number of new simulations of each search.
            variant: The four processes and their settings; ``None`` for UCT.
            rollout_policy: The default policy; ``None`` plays uniformly at random. A variant with
                priors needs it, or ``answer``; the priors of ``Policy()`` are uniform.
            answer: Evaluates leaves outside, see ``Answer``; ``None`` to evaluate them inside.
            games: T, the largest number of games searched at once.
            time_limit: Seconds after which a search stops early, or ``None``.
            seed: The seed or generator of all random numbers.

        Raises:
            TypeError: If the variant, the policy or ``answer`` has the wrong type.
            ValueError: If a number is out of range, or the variant lacks a part that it needs.
        """
        variant = Variant() if variant is None else variant
        check_parts(variant, rollout_policy, answer)
        if simulations < 1 or games < 1:
            raise ValueError(f"expected at least 1, got {simulations} simulations, {games} games")
        if variant.root_noise is not None and not variant.priors:
            raise ValueError("expected a variant with priors, since there is noise at the root")
        super().__init__(game, variant, rollout_policy, answer, games, seed)
        self.simulations = simulations
        self.time_limit = time_limit

    def search(
        self,
        state: State,
        simulations: int | None = None,
        deadline: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> SearchResult:
        """Search one game; see ``search_all``."""
        return self.search_all([state], simulations, deadline, stopped)[0]

    def search_all(
        self,
        states: Sequence[State],
        simulations: int | None = None,
        deadline: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        noise: Sequence[np.random.Generator] | None = None,
    ) -> list[SearchResult]:
        """Run M new simulations from each state, on top of the statistics kept in the trees.

        Args:
            states: At most T states, `[S]` int8 each, none of them final. The tree is kept if the
                state is its root, or one or two moves below it; else a new tree begins.
            simulations: Another M for these searches only.
            deadline: The ``time.perf_counter()`` at which to stop early; at least one simulation
                is always run. A search also ends when its root is proven.
            stopped: Called every few milliseconds; returns whether to stop early.
            noise: A generator for the noise at each root, if there is noise; ``None`` for the
                search's own.

        Returns:
            The statistics at each root.

        Raises:
            StateError: If a state is final or not of this game.
            ValueError: If there are too few or too many states or generators, or M is below 1.
        """
        started = time.perf_counter()
        wanted = self.simulations if simulations is None else simulations
        if wanted < 1:
            raise ValueError(f"expected at least 1 simulation, got {wanted}")
        if not 1 <= len(states) <= self.games:
            raise ValueError(f"expected 1 to {self.games} states, got {len(states)}")
        checked = [self.game.checked(state) for state in states]
        for state in checked:
            if self.game.is_final(state):
                raise StateError(f"expected a state that is not final:\n{self.game.text(state)}")
        generators = noise or [self._rng] * len(states)
        if len(generators) != len(states):
            raise ValueError(f"expected {len(states)} generators, got {len(generators)}")
        if deadline is None and self.time_limit is not None:
            deadline = started + self.time_limit
        if not self.variant.keeps_trees:
            self._forest.forget(slice(None))
        self._go_to(checked)
        self._mix_in_noise(generators)
        # With a deadline, reserve memory for all searches of a game.
        self.make_room(wanted, 0 if deadline is None else self.game.max_plies)
        trees = [self._forest.tree(row) for row in range(len(states))]
        kept = [simulations_of(tree) for tree in trees]
        seconds = self._run_in_chunks(len(states), wanted, started, deadline, stopped)
        results = [self._result(tree) for tree in trees]
        return [
            replace(result, simulations=result.simulations - before, seconds=seconds / len(states))
            for result, before in zip(results, kept, strict=True)
        ]

    def search_each(
        self,
        states: Sequence[State],
        simulations: int,
        stopped: Callable[[], bool] = lambda: False,
    ) -> list[SearchResult]:
        """Run M simulations from each of any number of states.

        With evaluation outside, T states are searched at once. When a search ends, after M
        simulations or with a proven root, the next state takes its row, so that no batch waits for
        the longest search. The time limit is ignored.

        Args:
            states: `[S]` int8 each, none of them final. Each begins a new tree.
            simulations: M.
            stopped: Called every few milliseconds; returns whether to stop early.

        Returns:
            The statistics at each root. Unless searches draw random numbers, they do not depend on
            T. After an early stop, those of the finished searches, in order.
        """
        if self._answer is None:
            found = [
                self._search_anew(state, simulations, stopped) for state in states if not stopped()
            ]
            return found[:-1] if stopped() else found
        self._forest.forget(slice(None))
        self.make_room(simulations)
        forest, generators = self._forest, self._rng.spawn(len(states))
        results: dict[int, SearchResult] = {}
        begun, searched = 0, dict.fromkeys(range(self.games), -1)
        while len(results) < len(states) and not stopped():
            for row, number in searched.items():
                if number < 0 and begun < len(states):
                    forest.begin(row, states[begun])
                    searched[row], self._is_noisy[row] = begun, False
                    begun += 1
            with deferred_interrupts():
                self._step()
            is_over = (forest.left == 0) | (forest.trees.outcome[:, ROOT] != GOES_ON)
            for row, number in searched.items():
                if number >= 0 and not self._is_noisy[row]:  # its root has been initialised
                    self._add_noise(row, generators[number])
                    forest.left[row] = forest.trees.used[row, BUDGET] = simulations
                    self._is_noisy[row] = True
                elif number >= 0 and is_over[row]:
                    results[number], searched[row] = self._result(forest.tree(row)), -1
                    forest.forget(row)
        return [results[number] for number in sorted(results)]

    def _search_anew(
        self, state: State, simulations: int, stopped: Callable[[], bool]
    ) -> SearchResult:
        """Search a state with an empty tree."""
        self._forest.forget(slice(None))
        return self.search(state, simulations, None, stopped)

    def _result(self, tree: Tree) -> SearchResult:
        """Return the statistics of a root."""
        return result_of(
            tree, self.game.num_actions, self.variant.distribution, self._given.settings
        )

    def _run_in_chunks(
        self,
        games: int,
        wanted: int,
        started: float,
        deadline: float | None,
        stopped: Callable[[], bool],
    ) -> float:
        """Run simulations until there is a reason to stop; return the seconds since ``started``."""
        used, left = self._forest.trees.used[:games], self._forest.left[:games]
        outcomes = self._forest.trees.outcome[:games, ROOT]
        # Outside, the roots have just been evaluated; that time belongs to no simulation.
        now = started if self._answer is None else time.perf_counter()
        left[:] = used[:, BUDGET] = wanted
        chunk = FIRST_CHUNK
        with deferred_interrupts() as are_pressed:
            try:
                while ((left > 0) & (outcomes == GOES_ON)).any() and not are_pressed():
                    tell_if_full(self._forest.trees, self._forest.left > 0, self.memory)
                    before = now
                    self._run(chunk)
                    now = time.perf_counter()
                    seconds = now - before
                    # An evaluation outside may take long and cannot be interrupted.
                    ahead = 0.0 if self._answer is None else seconds
                    if (deadline is not None and now + ahead >= deadline) or stopped():
                        break
                    chunk = next_chunk(chunk, seconds)
            finally:
                self._end_evaluations()
        return now - started

    def best_so_far(self, state: State) -> int | None:
        """Return the best action so far in the first game's state, even during a search.

        ``None`` before the first simulation, or if ``state`` is not the root. Thread-safe.
        """
        if not np.array_equal(state, self._forest.root_states[0]):
            return None
        tree = self._forest.tree(0)
        if tree.used[NODES] == 0 or simulations_of(tree) == 0:
            return None
        return self._result(tree).best_action

    def _mix_in_noise(self, generators: Sequence[np.random.Generator]) -> None:
        """Mix noise into the priors of each root, once."""
        for row, generator in enumerate(generators):
            if not self._is_noisy[row]:
                self._add_noise(row, generator)
                self._is_noisy[row] = True

    def advance(self, action: int) -> None:
        """Make the successor by ``action`` the first game's root: keep its subtree, drop the rest.

        Raises:
            IllegalActionError: If nothing has been searched yet, or the action is not legal.
        """
        if self._forest.root_states[0, 0] == NOBODY:
            raise IllegalActionError("expected a search before the first advance")
        state = self.game.child_state(self._forest.root_states[0], action)
        if self.game.is_final(state):
            self.reset()
        else:
            self._go_to([state])
