"""``MCTS``: the search as the rest of the system uses it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from base.jit import deferred_interrupts, make_ready
from mcts.chunks import next_chunk
from mcts.memory import memory_share, tell_if_full, with_room
from mcts.result import SearchResult, best_of, result_of, simulations_of
from mcts.search import plant, simulate
from mcts.settings import ROLLOUT_PROBABILITY, new_settings
from mcts.tree import (
    NO_REPLY,
    ROOT,
    UNEXPANDED,
    Tree,
    find_below,
    in_use,
    new_trace,
    new_tree,
    retain_subtree,
)
from mcts.variant import (
    EVALUATE_BY_ROLLOUT,
    EVALUATE_BY_ROLLOUT_OR_CRITIC,
    EVALUATE_BY_UNIFORM_ROLLOUT,
    Variant,
)
from state_manager import IllegalActionError, State, StateError, StateManager
from state_manager.policy import Policy, no_critic, no_net, uniform_policy
from state_manager.rules import GOES_ON, no_uniform_rollout

if TYPE_CHECKING:
    from mcts.root_noise import RootNoise

_FIRST_CHUNK = 1000
_FIRST_CHUNK_UNDER_DEADLINE = 1
"""Nobody knows yet how long a simulation takes."""


class MCTS:
    """Monte Carlo tree search for any game and any default policy; the tree outlives a search.

    Attributes:
        memory: What the tree may take, in megabytes. A tree that is full stops growing; its search
            goes on.
    """

    def __init__(
        self,
        game: StateManager,
        simulations: int = 500,
        *,
        exploration: float | None = None,
        time_limit: float | None = None,
        rollout_policy: Policy | None = None,
        rollout_probability: float = 1.0,
        seed: int | np.random.SeedSequence | np.random.Generator = 0,
        variant: Variant | None = None,
        settings: Mapping[str, float] | None = None,
        solver: bool = False,
        root_noise: RootNoise | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The rules.
            simulations: M, how many new simulations each search runs.
            exploration: c, the weight of u(s,a), at least 0; ``None`` for the variant's own, or 1.
            time_limit: Seconds after which a search stops early, or ``None``.
            rollout_policy: The default policy; ``None`` plays uniformly at random.
            rollout_probability: sigma, the probability that a leaf is evaluated by a rollout and
                not by the policy's critic; below 1 needs a critic.
            seed: Where all random numbers come from.
            variant: The four processes; ``None`` for UCT.
            settings: Other numbers that the variant reads, by name; see ``mcts.settings``.
            solver: Whether results are proven; see ``mcts/proof.py``.
            root_noise: What blurs the policy's opinion at the root; needs a variant that asks it.

        Raises:
            ValueError: If a number is out of range, or what something needs is missing.
        """
        if simulations < 1:
            raise ValueError(f"expected at least 1 simulation, got {simulations}")
        if not 0.0 <= rollout_probability <= 1.0:
            raise ValueError(f"expected a probability from 0 to 1, got {rollout_probability}")
        self.variant = variant or Variant()
        if root_noise is not None and not self.variant.priors:
            raise ValueError("expected a variant with priors, since there is noise at the root")
        chosen = {**self.variant.settings, **(settings or {})}
        if exploration is not None:
            chosen["exploration"] = exploration
        self.game = game
        self.simulations = simulations
        self.time_limit = time_limit
        self._root_noise = root_noise
        self._backpropagate = self.variant.prove if solver else self.variant.backpropagate
        self._settings = new_settings(chosen)
        self._rng = np.random.default_rng(seed)
        self._trace = new_trace(game.max_plies, game.num_actions, self.variant.replies)
        self.set_rollout_policy(rollout_policy, rollout_probability)
        self.memory = memory_share(None)
        self._tree = new_tree(1, game.num_actions, self.variant.memory)
        self._root_state: State | None = None
        self._is_noisy = False

    def set_rollout_policy(self, policy: Policy | None, rollout_probability: float = 1.0) -> None:
        """Change the default policy and sigma; the tree stays.

        Raises:
            ValueError: If sigma is below 1 and the policy has no critic.
        """
        if rollout_probability < 1.0 and (policy is None or policy.critic is None):
            raise ValueError("expected a policy with a critic, since sigma is below 1")
        if rollout_probability < 1.0 and self.variant.evaluate is not None:
            raise ValueError("expected sigma 1, since the variant has an evaluation of its own")
        self._policy = policy or Policy(uniform_policy, no_net(), any_uniform_rollout=True)
        self._settings[ROLLOUT_PROBABILITY] = rollout_probability
        if self.variant.evaluate is not None:
            self._evaluate = self.variant.evaluate
        elif rollout_probability < 1.0:
            self._evaluate = EVALUATE_BY_ROLLOUT_OR_CRITIC
        elif (
            self._policy.any_uniform_rollout
            and self.game.rules.uniform_rollout is not None
            and not self.variant.needs_moves
        ):
            self._evaluate = EVALUATE_BY_UNIFORM_ROLLOUT
        else:
            self._evaluate = EVALUATE_BY_ROLLOUT

    def reset(self, generator: np.random.Generator | None = None) -> None:
        """Forget the tree; go on with another generator, if one is given."""
        self._rng = generator or self._rng
        self._tree.used[:] = 0
        self._trace.replies[:] = NO_REPLY
        self._trace.lengths[:] = 0.0
        self._root_state = None
        self._is_noisy = False

    @property
    def tree(self) -> Tree:
        """The tree as it is now, without the room that it does not use."""
        return in_use(self._tree)

    def make_ready(self) -> None:
        """Compile or load, once, what searches call: no clock should run meanwhile."""
        rules, processes, policy = self.game.rules, self.variant, self._policy
        make_ready(
            *(plant, simulate, find_below, retain_subtree),
            *(rules.play, rules.legal_actions, rules.active_features),
            rules.uniform_rollout or no_uniform_rollout,
            *(processes.tree_policy, processes.expand, self._evaluate, self._backpropagate),
            *(policy.kernel, policy.critic or no_critic, policy.prior),
        )

    def search(
        self,
        state: State,
        simulations: int | None = None,
        deadline: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> SearchResult:
        """Run M simulations from ``state``, on top of what the tree already knows of it.

        Args:
            state: `[S]` int8, not final. If it is one or two moves below the root's state, what
                the tree knows of it is kept; if it is another one, a new tree is begun.
            simulations: Another M for this search only.
            deadline: A moment of ``time.perf_counter()`` at which to stop early; at least one
                simulation is always run. A proven result ends the search, too.
            stopped: Asked every few milliseconds whether to stop early.

        Returns:
            The statistics at the root.

        Raises:
            StateError: If the state is final or not of this game.
            ValueError: If there is to be no simulation at all.
        """
        self.make_ready()
        started = time.perf_counter()
        wanted = self.simulations if simulations is None else simulations
        if wanted < 1:
            raise ValueError(f"expected at least 1 simulation, got {wanted}")
        state = self.game.checked(state)
        if self.game.is_final(state):
            raise StateError(f"expected a state that is not final:\n{self.game.text(state)}")
        if deadline is None and self.time_limit is not None:
            deadline = started + self.time_limit
        self._go_to(state)
        if self._root_noise is not None and not self._is_noisy:
            self._root_noise.blur(self._tree, self._rng)
            self._is_noisy = True
        searches = 0 if deadline is None else self.game.max_plies
        self._tree = with_room(self._tree, self.game.num_actions, wanted, self.memory, searches)
        chunk = _FIRST_CHUNK if deadline is None else _FIRST_CHUNK_UNDER_DEADLINE
        kept = simulations_of(self._tree)
        run, now = 0, started
        while run < wanted and self._tree.outcome[ROOT] == GOES_ON:
            tell_if_full(self._tree, self.memory)
            before, count = now, min(chunk, wanted - run)
            self._run(count)
            run += count
            now = time.perf_counter()
            if (deadline is not None and now >= deadline) or stopped():
                break
            chunk = next_chunk(chunk, now - before)
        run = simulations_of(self._tree) - kept
        return result_of(self._tree, self.game.num_actions, run, now - started)

    def best_so_far(self, state: State) -> int | None:
        """Return the best action that is known in a state, even while it is being searched.

        ``None`` if nothing is known. Any thread may ask.
        """
        if self._root_state is None or not np.array_equal(state, self._root_state):
            return None
        return best_of(self._tree, self.game.num_actions)

    def _go_to(self, state: State) -> None:
        """Make a state the root."""
        if self._root_state is None:
            self._plant(state.copy())
        elif not np.array_equal(state, self._root_state):
            with deferred_interrupts():
                node = find_below(self.game.rules.play, self._root_state, state, self._tree)
            if node == UNEXPANDED:
                self._plant(state.copy())
            else:
                self._keep(node, state.copy())

    @deferred_interrupts()
    def _plant(self, state: State) -> None:
        """Begin a new tree."""
        self.reset()
        self._root_state = state
        plant(
            self.game.rules.legal_actions,
            self.game.rules.active_features,
            self.variant.expand,
            self._policy.prior,
            state,
            self._tree,
            self._trace,
            self._policy.net,
        )

    @deferred_interrupts()
    def _run(self, simulations: int) -> None:
        """Run so many simulations."""
        assert self._root_state is not None
        rules, processes = self.game.rules, self.variant
        simulate(
            rules.play,
            rules.legal_actions,
            rules.active_features,
            rules.uniform_rollout or no_uniform_rollout,
            processes.tree_policy,
            processes.expand,
            self._evaluate,
            self._backpropagate,
            self._policy.kernel,
            self._policy.critic or no_critic,
            self._policy.prior,
            self._root_state,
            simulations,
            self._tree,
            self._trace,
            self._policy.net,
            self._settings,
            self._rng,
        )

    def advance(self, action: int) -> None:
        """Make the successor by ``action`` the root: keep its subtree, drop everything else.

        Raises:
            IllegalActionError: If nothing has been searched yet, or the action is not legal.
        """
        if self._root_state is None:
            raise IllegalActionError("expected a search before the first advance")
        state = self.game.child_state(self._root_state, action)
        if self.game.is_final(state):
            self.reset()
        else:
            self._go_to(state)

    @deferred_interrupts()
    def _keep(self, node: int, state: State) -> None:
        """Make a node, of this state, the root."""
        self._root_state = None  # for who asks meanwhile
        retain_subtree(self._tree, node)
        self._root_state = state
        self._is_noisy = False
