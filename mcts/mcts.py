"""``MCTS``: the search as the rest of the system uses it."""

import math
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from base.jit import deferred_interrupts, direct, make_ready
from mcts.chunks import FIRST_CHUNK, next_chunk
from mcts.distribution import root_value
from mcts.leaf_evaluation import Evaluate
from mcts.result import SearchResult, result_of, simulations_of
from mcts.search import Search, back_up, find_leaves, plain_processes, run_plainly
from mcts.settings import new_settings
from mcts.slots import NO_GAME, Slots, begin, new_slots
from mcts.tree import ROOT, Tree, find_below, in_use, retain_subtree
from mcts.tree_memory import memory_share, tell_if_full, with_room
from mcts.variant import Processes, Variant, check_types
from state_manager import State, StateError, StateManager
from state_manager.policy import Policy
from state_manager.rules import GOES_ON

_LARGEST_BATCH = 32
"""Limit on the leaves of a batch, where several of each tree wait; T alone may exceed it."""


Named = tuple[Hashable, State, np.random.Generator]
"""The name of a search, its state, `[S]`, that is not final, and the generator of its noise."""


class MCTS:
    """Monte Carlo tree search for any game, in one game or in many at once.

    A leaf is evaluated inside, by a rollout of the default policy or by its critic; or outside, by
    a net that evaluates the leaves of all games in one batch: its value replaces the rollout, or
    rollouts are uniformly random. All batches of several games have the same size, so that the
    values of a game do not depend on the number of other games.

    Trees are kept from one search to the next, unless the variant needs fresh ones.

    Attributes:
        game, simulations, variant, games, time_limit: See ``__init__``.
        memory: The limit of all trees together, in megabytes.
        slots: The searches.
    """

    def __init__(
        self,
        game: StateManager,
        simulations: int = 500,
        *,
        variant: Variant | None = None,
        rollout_policy: Policy | None = None,
        evaluate: Evaluate | None = None,
        games: int = 1,
        time_limit: float | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator = 0,
    ) -> None:
        """Prepare searches of M = ``simulations`` simulations, in up to T = ``games`` games.

        The variant is UCT by default. ``rollout_policy`` is the default policy; ``None`` plays
        uniformly at random. A variant with priors needs it, or ``evaluate``, which evaluates leaves
        outside, see ``Evaluate``; the priors of ``Policy()`` are uniform. After ``time_limit``
        seconds, a search stops early. ``seed`` is that of all random numbers, or their generator.

        Raises:
            TypeError: If the variant, the policy or ``evaluate`` has the wrong type.
            ValueError: If a number is out of range, or the parts do not fit each other.
        """
        self.variant = variant = Variant() if variant is None else variant
        check_types(variant, rollout_policy, evaluate)
        if simulations < 1 or games < 1:
            raise ValueError(f"expected at least 1, got {simulations} simulations, {games} games")
        noise = variant.root_noise
        self.game, self.simulations, self.games = game, simulations, games
        self.time_limit, self.memory = time_limit, memory_share(variant.memory)
        self._evaluate = evaluate
        self._rng = np.random.default_rng(seed)
        self.slots: Slots = new_slots(
            (game.state_length, game.max_plies, game.num_actions),
            games,
            leaves=0 if evaluate is None else max(1, min(variant.leaves, _LARGEST_BATCH // games)),
            priors=variant.method.is_guided,
            statistics=variant.statistics,
            replies=variant.replies,
            noise=noise is not None,
        )
        self._settings = new_settings(variant.settings)
        self._settings.root_noise = 0.0 if noise is None else noise.amount
        self._has_values = False
        if evaluate is not None:  # prepares the net before a clock runs
            size = len(self.slots.states)
            while size:
                states = np.tile(game.initial_state(), (size, 1))
                self._has_values = evaluate(states, game.legal_mask(states))[1] is not None
                size = size // 2 if games == 1 else 0
        sigma = variant.settings.get("rollout_probability", 0.0 if self._has_values else 1.0)
        self.set_rollout_policy(rollout_policy, sigma)

    def set_rollout_policy(self, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        """Change the default policy (``None``: uniform), and compile or load all kernels.

        ``rollout_probability`` is sigma: the probability that a leaf is evaluated by a rollout, not
        by the critic or the value from outside.

        Raises:
            ValueError: If sigma is no probability, or the parts do not fit each other.
        """
        is_batched = self._evaluate is not None
        self.variant.check(policy, self._has_values if is_batched else None, rollout_probability)
        self._context, self._processes = self.variant.parts(
            self.game.rules,
            policy or Policy(),
            self._settings,
            rollout_probability,
            self.game.num_actions if is_batched else 0,
            self.slots.waits.shape[1],
        )
        loop = (back_up, find_leaves, begin) if is_batched else (self._inside,)
        ends = find_below, retain_subtree, root_value
        make_ready(*loop, *ends, *self._context.rules, *self._context.policy, *self._processes)

    def observe(self, observed: Callable[[Processes], Processes]) -> None:
        """Replace the processes by functions around them; this needs ``NUMBA_DISABLE_JIT=1``."""
        self._processes = observed(self._processes)

    def reset(
        self, generator: np.random.Generator | None = None, keep_evaluations: bool = False
    ) -> None:
        """Empty the trees; use another generator, if one is given.

        ``keep_evaluations`` is for a net that has learned nothing since the last search.
        """
        self._rng = generator or self._rng
        self.slots.clear()
        if not keep_evaluations:
            self.slots.kept.states[:, 0] = NO_GAME

    @property
    def compiled(self) -> Search:
        """The argument of the kernels of ``search.py``."""
        return Search(self._context, self._processes, self.slots, self._rng)

    @property
    def tree(self) -> Tree:
        """The first game's current tree, without unused room."""
        return in_use(self.slots.tree(0))

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
        """Run M new simulations from each state; return the statistics at each root.

        Args:
            states: At most T states, `[S]` int8 each, none of them final. The tree is kept if the
                state is its root, or one or two moves below it; else a new tree begins.
            simulations: Another M for these searches only.
            deadline: The ``time.perf_counter()`` at which to stop early, by default after
                ``time_limit``; infinite for none. At least one simulation is always run. A search
                also ends when its root is proven.
            stopped: Called every few milliseconds; returns whether to stop early.
            noise: A generator for the noise at each root, if there is noise; ``None`` for the
                search's own.

        Raises:
            StateError: If a state is final or not of this game.
            ValueError: If there are too few or too many states, or M is below 1.
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
        if deadline is None and self.time_limit is not None:
            deadline = started + self.time_limit
        if not self.variant.keeps_trees:
            self.slots.clear()
        self._go_to(checked, noise or [self._rng] * len(states))
        # With a deadline, reserve memory for all searches of a game.
        self.make_room(wanted, 0 if deadline in (None, math.inf) else self.game.max_plies)
        trees = [self.slots.tree(row) for row in range(len(states))]
        kept = [simulations_of(tree) for tree in trees]
        seconds = self._run_in_chunks(len(states), wanted, started, deadline, stopped)
        results = [self._result(tree) for tree in trees]
        return [
            replace(result, simulations=result.simulations - before, seconds=seconds / len(states))
            for result, before in zip(results, kept, strict=True)
        ]

    def search_each(
        self, states: Sequence[State], simulations: int, stopped: Callable[[], bool] = lambda: False
    ) -> list[SearchResult]:
        """Run M simulations from each of any number of states, `[S]`, each with a new tree.

        With evaluation outside, T states are searched at once; the next state takes the slot of a
        search that ends. The time limit is ignored. ``stopped`` is called every few milliseconds
        and returns whether to stop early; then only the finished searches have results. Unless
        searches draw random numbers, results do not depend on T.
        """
        results: dict[Hashable, SearchResult] = {}
        if self._evaluate is None:
            for number, state in enumerate(states):
                self.slots.clear()
                result = self.search(state, simulations, math.inf, stopped)
                if stopped():
                    break
                results[number] = result
            return list(results.values())
        waiting = iter(enumerate(states))

        def following() -> Named | None:
            number, state = next(waiting, (0, None))
            return None if state is None else (number, state, self._rng.spawn(1)[0])

        self.search_named(
            following, simulations, lambda name, result, _: results.update({name: result}), stopped
        )
        return [results[each] for each in range(len(states)) if each in results]

    def search_named(
        self,
        following: Callable[[], Named | None],
        simulations: int,
        on_result: Callable[[Hashable, SearchResult, Tree], object],
        stopped: Callable[[], bool] = lambda: False,
        is_dropped: Callable[[Hashable], bool] = lambda name: False,
    ) -> None:
        """Do the same for states that are not all known at the beginning, evaluated outside.

        ``following()`` names the next state for a free slot, if there is one now; once there is
        none, and no search is left, all is done. ``on_result`` receives the name, the result and
        the tree of a search. One that ``is_dropped`` by its name ends without a result.
        """
        self.slots.clear()
        self.make_room(simulations)
        searched: dict[int, Hashable] = {}

        def refill() -> None:
            for row in range(self.games):
                is_over = self.slots.is_over[row]
                if row in searched and (is_over or is_dropped(searched[row])):
                    name, tree = searched.pop(row), self.slots.tree(row)
                    if is_over:
                        on_result(name, self._result(tree), tree)
                    self.slots.clear(row)
                if row not in searched and (named := following()) is not None:
                    searched[row], state, generator = named
                    self._draw_noise(row, generator)
                    direct(begin)(self.slots, row, state, simulations)

        with deferred_interrupts() as are_pressed:
            while not (stopped() or are_pressed()):
                self._take_step(refill)
                if not searched:
                    return

    def look(self, state: State) -> SearchResult:
        """Make a state that is not final the root, and return what is known of it."""
        self._go_to([self.game.checked(state)], [self._rng])
        return self._result(self.tree)

    def best_so_far(self, state: State) -> int | None:
        """Return the first game's best action so far, thread-safe; ``None`` if there is none."""
        slots, best = self.slots, None
        tree, root_state = slots.tree(0), slots.root_states[0]
        if np.array_equal(state, root_state) and tree.size.nodes > 0 and simulations_of(tree) > 0:
            best = self._result(tree).best_action
        # The search in the other thread may have gone to another root meanwhile.
        return best if np.array_equal(state, root_state) else None

    def make_room(self, simulations: int, searches: int = 0) -> None:
        """Reserve room for searches in every tree; see ``with_room``."""
        actions = self.game.num_actions
        room = with_room(self.slots.trees, actions, simulations, self.memory, searches)
        self.slots = self.slots._replace(trees=room)

    def evaluate_batch(self, size: int) -> None:
        """Evaluate the batch of leaves outside; ``find_leaves`` returns its size."""
        assert self._evaluate is not None
        slots = self.slots
        try:
            policies, values = self._evaluate(slots.states[:size], slots.legal[:size])
            slots.policies[:size] = policies
            if values is not None:
                slots.values[:size] = values
        except BaseException:
            slots.clear()  # trees count the visits of leaves that wait
            raise

    @property
    def _inside(self) -> Callable[..., int]:
        """The loop of a search with evaluation inside."""
        is_plain = self.games == 1 and self._processes == plain_processes()
        return run_plainly if is_plain else find_leaves

    def _take_step(self, finish: Callable[[], None] = lambda: None) -> bool:
        """Back up a batch, call ``finish``, and evaluate the next batch; return whether any."""
        direct(back_up)(self.compiled)
        finish()
        size = direct(find_leaves)(self.compiled, 1)
        if size:
            self.evaluate_batch(size)
        return bool(size)

    def _take_steps(self, steps: int) -> None:
        """Take up to ``steps`` steps; ``Slots.left`` limits the simulations."""
        if self._evaluate is None:
            direct(self._inside)(self.compiled, steps)
            return
        while steps > 0 and self._take_step():
            steps -= 1

    def _end_evaluations(self) -> None:
        """End the simulations whose leaves have been evaluated outside."""
        if self._evaluate is not None:
            direct(back_up)(self.compiled)

    @deferred_interrupts()
    def _go_to(self, states: Sequence[State], generators: Sequence[np.random.Generator]) -> None:
        """Make these states the roots: keep their subtrees, initialise the other roots."""
        slots = self.slots
        slots.clear(slice(len(states), None))
        slots.left[:] = 0
        for row, (state, generator) in enumerate(zip(states, generators, strict=True)):
            slots.go_to(row, state, self._context.rules)
            if slots.is_new[row]:
                self._draw_noise(row, generator)
        if (slots.trees.size.nodes[: len(states)] == 0).any():
            self._take_steps(1)
            self._end_evaluations()

    def _draw_noise(self, row: int, generator: np.random.Generator) -> None:
        """Draw the numbers of the noise at a new root, if there is noise."""
        if (noise := self.variant.root_noise) is not None:
            self.slots.noise[row] = noise.drawn(generator, self.game.num_actions)

    def _run_in_chunks(
        self,
        games: int,
        wanted: int,
        started: float,
        deadline: float | None,
        stopped: Callable[[], bool],
    ) -> float:
        """Run simulations until there is a reason to stop; return the seconds since ``started``."""
        left, outcomes = self.slots.left[:games], self.slots.trees.nodes[:games, ROOT].outcome
        left[:] = self.slots.trees.root.simulations[:games] = wanted
        # Outside, the roots have just been evaluated; that time belongs to no simulation.
        now = started if self._evaluate is None else time.perf_counter()
        chunk = FIRST_CHUNK
        with deferred_interrupts() as are_pressed:
            try:
                while ((left > 0) & (outcomes == GOES_ON)).any() and not are_pressed():
                    tell_if_full(self.slots.trees, self.slots.left > 0, self.memory)
                    before = now
                    self._take_steps(chunk)
                    now = time.perf_counter()
                    seconds = now - before
                    # An evaluation outside may take long and cannot be interrupted.
                    ahead = 0.0 if self._evaluate is None else seconds
                    if (deadline is not None and now + ahead >= deadline) or stopped():
                        break
                    chunk = next_chunk(chunk, seconds)
            finally:
                self._end_evaluations()
        return now - started

    def _result(self, tree: Tree) -> SearchResult:
        return result_of(tree, self.game.num_actions, self._processes.distribution, self._settings)
