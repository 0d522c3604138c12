"""An agent that searches before each move."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.agent import AgentKind
from agents.nets import evaluator_for, search_parts
from agents.position_searches import SLOTS, Work, work_with
from agents.search_options import MCTSOptions
from base.cluster import available_cores
from mcts import Thought
from state_manager import DRAW

if TYPE_CHECKING:
    from agents.judged import Adviser
    from anet.evaluator import Evaluator
    from mcts import MCTS
    from mcts.result import SearchResult
    from state_manager import Indices, State

_LEAVES = 16
_MOST_ANALYSED = 1_000_000
"""Simulations from a state after which an analysis searches no more, so that trees stay small."""


class MCTSAgent(AgentKind):
    """Searches a tree before each move, with uniform rollouts or a net.

    With a fixed number of simulations, each move gets a fresh tree, so that all moves get the same
    effort. With a time limit, the search keeps the subtree of the state.

    Attributes:
        search: Holds the tree of the last move.
        known_outcome: That of the game before the last move, if the judge or the solver knows it.
    """

    Options = MCTSOptions
    net_use = "optional"
    search: MCTS
    known_outcome = 0
    _adviser: Adviser | None = None
    _played: int | None = None

    def _prepare(self) -> None:
        from mcts import make_variant

        options, net = self._options, self.net
        if options.judge:
            from agents.judged import Adviser

            self._adviser = Adviser(self._game, options.time_limit, net)
        self._works: list[Work] = []
        self._variant = make_variant(
            options, exploration=options.exploration, rollout_probability=options.sigma
        )
        is_asked = net is not None and not net.facts.plays_rollouts
        seconds, method = options.time_limit or 0.0, self._variant.method
        if method.out_of_order:
            leaves = options.leaves or (_LEAVES if seconds else 1)
            self._variant = replace(self._variant, leaves=leaves)
        self._evaluator = net
        if net and is_asked:
            self._evaluator = evaluator_for(net, options.runtime, options.threads, seconds)
        is_in_order = options.leaves in (None, 1)  # else a game would depend on those beside it
        self.batches = is_asked and options.sigma == 0 and not method.draws and is_in_order
        self.search = self._new_search(1)

    def searches_of_positions(self) -> list[Work]:
        """Return searches of positions apart from games, one for each core; the judge is left out.

        In float32: int8 would shift values by more than what two moves differ in.
        """
        if not self._works:
            threads, seed = available_cores(), self._rng.bit_generator.seed_seq
            assert isinstance(seed, np.random.SeedSequence)
            slots = max(1, min(SLOTS, self._rows(threads * SLOTS) // threads))
            memory, evaluator = self.search.memory / threads, None
            if self.batches and self.net is not None:
                evaluator = evaluator_for(self.net, self._options.runtime, 1, math.inf, exact=True)
            searches = [self._new_search(slots, evaluator, memory) for _ in range(threads)]
            self._works = [work_with(each, seed, self.batches) for each in searches]
        return self._works

    def _new_search(
        self, games: int, evaluator: Evaluator | None = None, memory: float | None = None
    ) -> MCTS:
        """Return a search of this many games at once; the others replace its own, if given."""
        from mcts import MCTS

        options = self._options
        return MCTS(
            self._game,
            options.simulations,
            variant=self._variant if memory is None else replace(self._variant, memory=memory),
            games=games,
            time_limit=options.time_limit,
            # Batched searches draw only noise, from the generator of each game.
            seed=0 if self.batches else self._rng,
            **search_parts(evaluator or self._evaluator, options.rollout_epsilon),
        )

    def limit_time(self, seconds: float) -> None:
        """See ``AgentKind``; a search that had a limit before keeps its tree."""
        if self._options.time_limit is None or self._options.judge:
            return super().limit_time(seconds)
        self._options = self._options.model_copy(update={"time_limit": seconds})

    def best_so_far(self, state: State) -> int | None:
        """Return the best move found so far in a state, if any; for any thread, at any time."""
        return self.search.best_so_far(state)

    @property
    def is_deterministic(self) -> bool:
        """See ``AgentKind``: no rollouts, and no other random numbers."""
        options, variant = self._options, self._variant
        drawn = options.choice != "greedy" or options.sigma > 0 or self.net is None
        drawn = drawn or variant.method.draws or variant.root_noise is not None
        return not drawn and options.time_limit is None

    @property
    def batch_key(self) -> Hashable:
        """See ``AgentKind``: the same net and equal options; none with a judge, for its memory."""
        options = self._options
        if options.time_limit is not None or options.judge:
            return None
        return type(self), self.net, options

    def choose_action(self, state: State) -> int:
        """Return the judge's winning action, else the choice of a search."""
        limit = self._options.time_limit
        deadline = None if limit is None else time.perf_counter() + limit
        outcome, actions = 0, self._game.legal_actions(state)
        if self._adviser is not None:
            outcome, actions = self._adviser.verdict(state, self.stopped)
            if outcome == self._game.to_play(state):
                self._played, self.known_outcome = int(actions[0]), outcome
                certain = np.zeros(self._game.num_actions)
                certain[self._played] = 1.0
                value = 1.0 if outcome == 1 else -1.0
                self.thought = Thought(certain, value, is_search=False, outcome=outcome)
                return self._played
        result = self._searched_all([self], [state], deadline)[0]
        self._played = self._chosen(state, result, actions, outcome)
        return self._played

    def ponder(self, state: State, action: int) -> None:
        """After this action, search on until ``stopped``, at most M simulations."""
        state = self._game.child_state(state, action)
        if self._options.time_limit is not None and not self._game.is_final(state):
            self.search.search(state, deadline=math.inf, stopped=self.stopped)

    def expected_line(self) -> list[int]:
        """Return the principal variation, from the last move on; only that if the judge chose."""
        from mcts.result import principal_variation

        if self.thought is None or self._played is None:
            return []
        if not self.thought.is_search:
            return [self._played]
        return principal_variation(self.search.tree, self._played)

    def look(self, state: State) -> tuple[SearchResult, list[int]] | None:
        """Return what the last search knows of a state below its root, and the expected line.

        ``None`` if it knows nothing, or if the judge chose the last move.
        """
        from mcts.result import principal_variation

        if self.thought is None or not self.thought.is_search:
            return None
        result = self.search.look(state)
        if result.simulations == 0:
            return None
        return result, principal_variation(self.search.tree, result.best_action)

    def analyse(
        self, state: State, seconds: float, stopped: Callable[[], bool], most: int
    ) -> tuple[SearchResult, dict[int, list[int]]]:
        """Search on from a state that is not final, until a time limit or a true ``stopped``.

        Return all that is known, and the expected line of the best action and of the next ones by
        visits, at ``most`` that many. After a million simulations the search stops for good.
        """
        from mcts.result import principal_variation

        left = _MOST_ANALYSED - self.search.look(state).simulations
        if left > 0:
            self.search.search(state, left, time.perf_counter() + seconds, stopped)
        result = self.search.look(state)
        best, visits = int(result.best_action), result.visit_counts
        self._played, self.thought = best, result.thought(best)
        tried = sorted(np.flatnonzero(visits).tolist(), key=lambda action: -visits[action])
        first = [best, *(action for action in tried if action != best)][:most]
        return result, {each: principal_variation(self.search.tree, each) for each in first}

    def choose_actions(self, agents: Sequence[Any], states: Sequence[State]) -> list[int]:
        """See ``AgentKind``: one search for all games, if searches draw no random numbers."""
        results = self._searched_all(agents, states)
        return [
            agent._chosen(state, result, self._game.legal_actions(state))
            for agent, state, result in zip(agents, states, results, strict=True)
        ]

    def _searched_all(
        self, agents: Sequence[Any], states: Sequence[State], deadline: float | None = None
    ) -> list[SearchResult]:
        """Return the search results for agents with this one's batch key."""
        rows = self._rows(len(states))
        if rows != self.search.games:
            self.search = self._new_search(rows)
        results: list[SearchResult] = []
        for first in range(0, len(states), rows):
            part = slice(first, first + rows)
            generators = [agent._rng for agent in agents[part]]
            if self._options.time_limit is None:
                draws = None if self.batches else generators[0]
                self.search.reset(draws, keep_evaluations=True)
            results += self.search.search_all(
                states[part], deadline=deadline, stopped=self.stopped, noise=generators
            )
        for agent, result in zip(agents, results, strict=True):
            agent.simulations_run += result.simulations
            agent.search_seconds += result.seconds
        return results

    def _rows(self, games: int) -> int:
        """Return how many games to search at once: a power of two that fits into the memory."""
        from mcts.tree_memory import most_nodes

        rows, wanted = 1, games if self.batches else 1
        node = self.search.memory, self.search.slots.trees, self._game.num_actions
        while rows < wanted and most_nodes(*node, 2 * rows) > self._options.simulations:
            rows *= 2
        return rows

    def _chosen(
        self, state: State, result: SearchResult, actions: Indices, outcome: int = 0
    ) -> int:
        """Return the action to play by a search and the judge's outcome; keep the thought.

        If the outcome is known, by the judge or the solver, greedy play takes a win at once, and
        prevents that of the opponent.
        """
        action, weights = int(result.best_action), result.distribution
        self.known_outcome = outcome or result.outcome
        if self._options.choice == "greedy" and self.known_outcome:
            from state_manager.successors import at_once

            actions = at_once(self._game, state, actions)
        if self._options.choice != "greedy" or action not in actions:
            # The search may not have tried any drawing move.
            action = self._choose(weights + 1e-9 if outcome == DRAW else weights, actions)
        self.thought = replace(result.thought(action), outcome=outcome)
        return action
