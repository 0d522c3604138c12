"""The trees of a search, grown by kernels alone or with leaves evaluated outside."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from base.jit import deferred_interrupts, direct, make_ready
from mcts.distribution import root_value
from mcts.forest import Forest, gather_leaves, hand_out_answers, new_forest
from mcts.leaf_evaluation import evaluate_by_rollout, evaluate_by_uniform_rollout
from mcts.search import (
    PLAIN,
    find_leaves,
    plant_plainly,
    simulate,
    simulate_plainly,
    take_values,
)
from mcts.settings import LOOK_AHEAD, ROLLOUT_PROBABILITY, Given, new_settings
from mcts.tree import NODES, ROLLED, Tree, find_below, in_use, retain_subtree
from mcts.tree_memory import memory_share, with_room
from mcts.variant import Processes, Variant
from state_manager import State, StateManager
from state_manager.policy import Policy, move_by_move, uniform_choice, uniform_prior
from state_manager.rules import no_uniform_rollout

Answer = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64] | None]
]
"""``answer(states, legal) -> policies, values``: for states `[B, S]` with legal actions `[B, A]`
the policies `[B, A]`, 0 on illegal actions, and the values `[B]` in [-1, 1], seen from player 1.
A search of several games always calls it with the same number of states."""


_LARGEST_BATCH = 32
"""Limit on the leaves of a batch, where several of each tree wait; T alone may exceed it."""


def check_parts(variant: Variant, policy: Policy | None, answer: Answer | None) -> None:
    """Check the types of the parts of a search; see ``MCTS``.

    Raises:
        TypeError: If a part has the wrong type.
        ValueError: If the variant needs a net, and there is none.
    """
    if not isinstance(variant, Variant):
        raise TypeError(f'variant: expected one such as search_variant("puct"), got {variant!r}')
    if not isinstance(policy, Policy | None):
        got = type(policy).__name__
        raise TypeError(f"rollout_policy: expected a Policy: net.rollout_policy(), got {got}")
    if answer is not None:
        try:
            inspect.signature(answer).bind("states", "legal")
        except TypeError:
            got = getattr(answer, "__qualname__", type(answer).__name__)
            what = "a function of states and legal actions: net.evaluate_checked"
            raise TypeError(f"answer: expected {what}, got {got}") from None
    if variant.priors and policy is None and answer is None:
        raise ValueError(
            "expected a net with a variant that asks one: rollout_policy=net.rollout_policy(), or "
            "answer=net.evaluate_checked; Policy() for one that finds all actions alike"
        )


class Trees:
    """The trees of the games that are searched together; see ``MCTS``.

    Attributes:
        game: The rules.
        variant: The four processes.
        games: T, the number of trees.
        memory: The limit of all trees together, in megabytes.
    """

    def __init__(
        self,
        game: StateManager,
        variant: Variant,
        rollout_policy: Policy | None,
        answer: Answer | None,
        games: int,
        seed: int | np.random.SeedSequence | np.random.Generator,
    ) -> None:
        """Allocate the trees; see ``MCTS``."""
        self.game = game
        self.variant = variant
        self.games = games
        self.memory = memory_share(variant.memory)
        self._answer = answer
        self._given = Given(game.rules, Policy(), new_settings(variant.settings))
        self._rng = np.random.default_rng(seed)
        sizes = (game.state_length, game.max_plies, game.num_actions)
        leaves = 1 if answer is None else max(1, min(variant.leaves, _LARGEST_BATCH // games))
        self._forest = new_forest(games, *sizes, variant.edge_memory, variant.replies, leaves)
        self._was_asked = False
        self._is_noisy = np.zeros(games, np.bool_)
        sigma = variant.settings.get("rollout_probability", 1.0 if answer is None else 0.0)
        self.set_rollout_policy(rollout_policy, sigma)

    def set_rollout_policy(self, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        """Change the default policy; the trees stay.

        Args:
            policy: ``None`` plays uniformly at random.
            rollout_probability: sigma, the probability that a leaf is evaluated by a rollout, not
                by the critic or the value from outside.

        Raises:
            ValueError: If sigma is no probability, or does not fit the policy or the variant.
        """
        rules, policy, settings = self.game.rules, policy or Policy(), self._given.settings
        self._processes = self.variant.processes(
            Given(rules, policy, settings), rollout_probability, self._answer is not None
        )
        # Functions that are never called need no compilation: stubs take their place.
        if self._processes.evaluate is not evaluate_by_uniform_rollout:
            rules = rules._replace(uniform_rollout=no_uniform_rollout)
        if self._processes.evaluate is evaluate_by_rollout and policy.rollout is not move_by_move:
            policy = policy._replace(choose=uniform_choice)
        if not self.variant.priors:
            policy = policy._replace(prior=uniform_prior)
        self._given = Given(rules, policy, settings)
        settings[ROLLOUT_PROBABILITY] = rollout_probability
        self.make_ready()

    def observe(self, observed: Callable[[Processes], Processes]) -> None:
        """Replace the four processes by functions that wrap and watch them.

        These are no kernels, so this needs ``NUMBA_DISABLE_JIT=1``.
        """
        self._processes = observed(self._processes)

    def make_ready(self) -> None:
        """Compile or load, once, the kernels of searches, before a clock runs.

        ``answer`` is called once with the initial state.
        """
        inside = [plant_plainly, simulate_plainly] if self._is_plain else [simulate]
        outside = [find_leaves, gather_leaves, hand_out_answers, take_values]
        loop = inside if self._answer is None else outside
        variant, noise = self.variant, self.variant.root_noise
        ends = (variant.distribution, root_value, *([noise.mix_in] if noise else []))
        given = (*self._given.rules, *self._given.policy, *self._processes)
        make_ready(*loop, find_below, retain_subtree, *ends, *given)
        if self._answer is not None and not self._was_asked:
            self._was_asked = True
            states = np.tile(self.game.initial_state(), (self.games, 1))
            self._answer(states, self.game.legal_mask(states))

    def reset(self, generator: np.random.Generator | None = None) -> None:
        """Empty the trees; use another generator, if one is given."""
        self._rng = generator or self._rng
        self._forest.forget(slice(None))

    @property
    def forest(self) -> Forest:
        """The forest, for a caller that plays games in its rows."""
        return self._forest

    @property
    def arguments(self) -> tuple[Given, Processes, Forest, np.random.Generator]:
        """The arguments of the kernels of ``search.py``."""
        return self._given, self._processes, self._forest, self._rng

    @property
    def _is_plain(self) -> bool:
        """Whether the search runs ``simulate_plainly``."""
        looks_ahead = self._given.settings[LOOK_AHEAD] > 0.0
        return self.games == 1 and self._processes == PLAIN and not looks_ahead

    @property
    def tree(self) -> Tree:
        """The first game's current tree, without unused room."""
        return in_use(self._forest.tree(0))

    def _run(self, steps: int) -> None:
        """Take up to ``steps`` steps in every game, or evaluate up to ``steps`` batches.

        ``Forest.left`` limits the simulations.
        """
        if self._is_plain:
            simulations = min(steps, int(self._forest.left[0]))
            direct(simulate_plainly)(self._given, self._forest, self._rng, simulations)
            self._forest.left[0] -= simulations
            return
        if self._answer is None:
            direct(simulate)(*self.arguments, steps)
            return
        for _ in range(steps):
            if not self._step():
                break

    def _end_evaluations(self) -> None:
        """End unfinished evaluations with the rollouts that they have."""
        rolled = self._forest.traces.length[:, 0, ROLLED]
        if rolled.any():
            self._forest.left[rolled == 0] = 0
            rolled *= -1
            self._run(1)

    def _step(self) -> bool:
        """Run simulations in every tree until leaves wait; evaluate these, end the simulations.

        ``Forest.left`` limits the simulations.

        Returns:
            Whether any leaf was evaluated.
        """
        direct(find_leaves)(*self.arguments)
        if not self.ask():
            return False
        direct(take_values)(*self.arguments)
        return True

    def ask(self) -> bool:
        """Evaluate all waiting leaves outside, in one batch.

        Returns:
            Whether any leaf was evaluated.
        """
        assert self._answer is not None
        forest, actions = self._forest, np.empty(self.game.num_actions, np.int64)
        states = np.empty((forest.waits.size, self.game.state_length), np.int8)
        legal = np.zeros((len(states), len(actions)), np.bool_)
        size = direct(gather_leaves)(
            self.game.rules.legal_actions, forest.waits, forest.leaves, states, legal, actions
        )
        if not size:
            return False
        policies, values = self._answer(states[:size], legal[:size])
        if values is None:
            if self._given.settings[ROLLOUT_PROBABILITY] < 1.0:
                raise ValueError("expected a net with a critic, whose values stand for rollouts")
            values = np.empty(0)
        said = np.ascontiguousarray(policies, np.float64), np.ascontiguousarray(values, np.float64)
        direct(hand_out_answers)(forest.waits, *said, forest.traces.scores)
        return True

    @deferred_interrupts()
    def _go_to(self, states: Sequence[State]) -> None:
        """Make these states the roots: keep their subtrees, initialise roots for the others."""
        forest, rules = self._forest, self._given.rules
        forest.forget(slice(len(states), None))
        for row, state in enumerate(states):
            if forest.go_to(row, state, rules):
                self._is_noisy[row] = False
        if (forest.trees.used[: len(states), NODES] == 0).any():
            if self._answer is not None:
                forest.left[:] = 0
                self._step()
            elif self._is_plain:
                direct(plant_plainly)(self._given, self._processes, forest)
            else:
                direct(simulate)(*self.arguments, 0)

    def make_room(self, simulations: int, searches: int = 0) -> None:
        """Reserve room for searches in every tree; see ``with_room``."""
        actions = self.game.num_actions
        room = with_room(self._forest.trees, actions, simulations, self.memory, searches)
        self._forest = self._forest._replace(trees=room)

    def _add_noise(self, row: int, generator: np.random.Generator) -> None:
        """Mix noise into the priors of a root, if there is noise."""
        if (noise := self.variant.root_noise) is not None:
            numbers = noise.drawn(generator, self.game.num_actions)
            noise.mix_in(self._forest.tree(row), noise.amount, numbers)
