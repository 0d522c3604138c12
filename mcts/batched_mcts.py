"""``BatchedMCTS``: searches in lockstep, for nets that are evaluated in batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from base.jit import deferred_interrupts, make_ready
from mcts.batched_search import (
    answered_prior,
    answered_value,
    find_leaves,
    plant_all,
    take_answers,
)
from mcts.forest import new_forest, new_traces
from mcts.memory import memory_share, tell_if_full, with_room
from mcts.result import SearchResult, best_of, result_of, simulations_of
from mcts.settings import ROLLOUT_PROBABILITY, new_settings
from mcts.tree import ROOT, Tree
from mcts.variant import EVALUATE_BY_ROLLOUT_OR_CRITIC, Variant
from state_manager import State, StateError, StateManager
from state_manager.policy import no_net, uniform_policy
from state_manager.rules import GOES_ON, no_uniform_rollout

if TYPE_CHECKING:
    from mcts.root_noise import RootNoise

Evaluate = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64] | None]
]
"""``evaluate(states, legal) -> policies, values``: for states `[T, S]` with legal actions `[T, A]`
the policies `[T, A]`, 0 on illegal actions, and the values `[T]` in [-1, 1], seen from player 1.
Final states may be among them."""


class BatchedMCTS:
    """Monte Carlo tree search in many games at once; a net judges all their leaves together.

    The net plays no rollouts: its value stands for them, or they are uniformly random. Each search
    begins with fresh trees.
    A batch has always the same number of states, so that what a game gets does not depend on how
    many others there are: torch computes other low bits in a batch of another size.

    Attributes:
        memory: What all trees may take together, in megabytes; see ``MCTS``.
    """

    def __init__(
        self,
        game: StateManager,
        evaluate: Evaluate,
        variant: Variant,
        *,
        games: int = 1,
        simulations: int = 500,
        exploration: float | None = None,
        time_limit: float | None = None,
        settings: Mapping[str, float] | None = None,
        rollout_probability: float = 0.0,
        solver: bool = False,
        root_noise: RootNoise | None = None,
    ) -> None:
        """Prepare searches.

        Args:
            game: The rules.
            evaluate: The net.
            variant: The four processes; its evaluation is the net's value.
            games: T, how many games at most are searched at once.
            simulations: M, how many simulations each search runs.
            exploration: See ``MCTS``, as for the following.
            time_limit: Seconds after which all searches stop early, or ``None``.
            settings: Other numbers that the variant reads.
            rollout_probability: sigma, the probability that a leaf is evaluated by a uniformly
                random rollout and not by the net's value.
            solver: Whether results are proven.
            root_noise: What blurs the net's opinion at the roots.

        Raises:
            ValueError: If a number is out of range, or the parts do not go together.
        """
        if simulations < 1 or games < 1:
            raise ValueError(f"expected at least 1, got {simulations} simulations, {games} games")
        if variant.evaluate is not None or variant.needs_moves:
            raise ValueError("expected a variant without rollouts of its own")
        if not 0.0 <= rollout_probability <= 1.0:
            raise ValueError(f"expected a probability from 0 to 1, got {rollout_probability}")
        if root_noise is not None and not variant.priors:
            raise ValueError("expected a variant with priors, since there is noise at the root")
        chosen = {**variant.settings, **(settings or {})}
        if exploration is not None:
            chosen["exploration"] = exploration
        self.game = game
        self.games = games
        self.simulations = simulations
        self.time_limit = time_limit
        self.variant = variant
        self._evaluate = evaluate
        self._settings = new_settings(chosen)
        self._settings[ROLLOUT_PROBABILITY] = rollout_probability
        self._backpropagate = variant.prove if solver else variant.backpropagate
        self._root_noise = root_noise
        self._rng = np.random.default_rng(0)
        self._net = no_net()
        self._traces = new_traces(games, game.max_plies, game.num_actions)
        self.memory = memory_share(None)
        self._forest = new_forest(games, 1, game.num_actions, variant.memory)
        self._roots = np.empty((0, game.state_length), np.int8)
        self._leaves = np.zeros((games, game.state_length), np.int8)
        self._legal = np.zeros((games, game.num_actions), np.bool_)
        self._outcomes = np.zeros(games, np.int64)
        self._answers = np.zeros((games, game.num_actions + 1), np.float32)

    def search(
        self,
        states: NDArray[np.int8] | Sequence[State],
        generators: Sequence[np.random.Generator] | None = None,
        simulations: int | None = None,
        deadline: float | None = None,
        rollout_generator: np.random.Generator | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> list[SearchResult]:
        """Search from each of some states, all at once.

        Args:
            states: At most T states `[S]`, none of them final.
            generators: Where the noise at each root comes from; needed if there is any.
            simulations: Another M for these searches only.
            deadline: A moment of ``time.perf_counter()`` at which to stop early, after at least
                one simulation.
            rollout_generator: Where the random numbers of all rollouts come from, and of a tree
                policy that draws, if there are any.
            stopped: Asked after each simulation whether to stop early.

        Raises:
            StateError: If a state is final or not of this game.
            ValueError: If there are no states or too many.
        """
        self.make_ready()
        started = time.perf_counter()
        if not 1 <= len(states) <= self.games:
            raise ValueError(f"expected 1 to {self.games} states, got {len(states)}")
        roots = np.stack([self.game.checked(state) for state in states])
        for root in roots:
            if self.game.is_final(root):
                raise StateError(f"expected states that are not final:\n{self.game.text(root)}")
        if deadline is None and self.time_limit is not None:
            deadline = started + self.time_limit
        self._rng = rollout_generator or self._rng
        wanted = simulations or self.simulations
        self._plant(roots, wanted, deadline is not None)
        self._blur(len(roots), generators)
        now = time.perf_counter()
        for _ in range(wanted):
            tell_if_full(self._forest, self.memory)
            before = now
            self._simulate(roots)
            now = time.perf_counter()
            # Another one would take as long, and nobody can stop it.
            if (deadline is not None and now + (now - before) >= deadline) or stopped():
                break
            if self._forest.outcome[: len(roots), ROOT].all():
                break
        seconds = (time.perf_counter() - started) / len(roots)
        trees = [self._tree(row) for row in range(len(roots))]
        return [
            result_of(tree, self.game.num_actions, simulations_of(tree), seconds) for tree in trees
        ]

    def best_so_far(self, state: State) -> int | None:
        """Return the best action that is known in the first of the states that were searched last.

        ``None`` if nothing is known, or it is another state. Any thread may ask.
        """
        if len(self._roots) == 0 or not np.array_equal(state, self._roots[0]):
            return None
        return best_of(self._tree(0), self.game.num_actions)

    def make_ready(self) -> None:
        """Compile or load, once, what searches call: no clock should run meanwhile."""
        rules, processes = self.game.rules, self.variant
        make_ready(
            *(plant_all, find_leaves, take_answers, uniform_policy, answered_value, answered_prior),
            *(rules.play, rules.legal_actions, rules.active_features),
            rules.uniform_rollout or no_uniform_rollout,
            *(processes.tree_policy, processes.expand),
            *(EVALUATE_BY_ROLLOUT_OR_CRITIC, self._backpropagate),
        )

    def set_rollout_probability(self, sigma: float) -> None:
        """Change sigma."""
        self._settings[ROLLOUT_PROBABILITY] = sigma

    def policies(self, states: Sequence[State]) -> NDArray[np.float64]:
        """Return what the net alone thinks of at most T states that are not final: `[B, A]`."""
        self._place(np.stack(states))
        policies, _ = self._evaluate(self._leaves, self._legal)
        return policies[: len(states)]

    def _place(self, states: NDArray[np.int8]) -> None:
        """Put states, and copies of the first to fill up the batch, where the net looks."""
        self._leaves[:] = states[0]
        self._leaves[: len(states)] = states
        self._legal[:] = self.game.legal_mask(self._leaves)

    @deferred_interrupts()
    def _plant(self, roots: NDArray[np.int8], simulations: int, under_clock: bool) -> None:
        """Begin a new tree for each root, with room for so many simulations."""
        self._forest.used[:] = 0
        self._forest = with_room(
            self._forest, self.game.num_actions, simulations, self.memory, int(under_clock)
        )
        self._roots = roots
        self._place(roots)
        self._ask()
        plant_all(
            self.game.rules.legal_actions,
            self.game.rules.active_features,
            self.variant.expand,
            answered_prior,
            roots,
            self._answers,
            self._forest,
            self._traces,
            self._net,
        )

    def _blur(self, games: int, generators: Sequence[np.random.Generator] | None) -> None:
        """Let the noise into the roots of so many games."""
        if self._root_noise is not None:
            if generators is None:
                raise ValueError("expected generators, since there is noise at the root")
            for row, generator in zip(range(games), generators, strict=True):
                self._root_noise.blur(self._tree(row), generator)

    @deferred_interrupts()
    def _simulate(self, roots: NDArray[np.int8]) -> None:
        """Run one simulation in every tree."""
        rules, processes, count = self.game.rules, self.variant, len(roots)
        leaves, outcomes = self._leaves[:count], self._outcomes[:count]
        find_leaves(
            rules.play,
            rules.legal_actions,
            processes.tree_policy,
            roots,
            leaves,
            self._legal[:count],
            outcomes,
            self._forest,
            self._traces,
            self._settings,
            self._rng,
        )
        if (outcomes == GOES_ON).any():
            self._ask()
        take_answers(
            rules.play,
            rules.legal_actions,
            rules.active_features,
            rules.uniform_rollout or no_uniform_rollout,
            processes.expand,
            EVALUATE_BY_ROLLOUT_OR_CRITIC,
            self._backpropagate,
            uniform_policy,
            answered_value,
            answered_prior,
            leaves,
            outcomes,
            self._answers,
            self._forest,
            self._traces,
            self._net,
            self._settings,
            self._rng,
        )

    def _ask(self) -> None:
        """Let the net answer for all leaves."""
        policies, values = self._evaluate(self._leaves, self._legal)
        self._answers[:, :-1] = policies
        if values is not None:
            self._answers[:, -1] = values
        elif self._settings[ROLLOUT_PROBABILITY] < 1.0:
            raise ValueError("expected a net with a critic, whose values stand for rollouts")

    def _tree(self, row: int) -> Tree:
        """Return one tree, as a view that keeps its arrays alive, which a kernel's would not."""
        return Tree._make(array[row] for array in self._forest)
