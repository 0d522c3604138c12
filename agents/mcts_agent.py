"""Agents that search before each move: in a tree, or by rollouts that adapt to the game."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import mcts
from agents.agent import Agent
from agents.nets import evaluator_for, search_of
from agents.search_options import MCTSOptions, NRPAOptions
from base.methods import TREE_POLICIES
from state_manager import DRAW

if TYPE_CHECKING:
    from agents.judged import Adviser
    from state_manager import Indices, State

_LEAVES = 16


class MCTSAgent(Agent):
    """Searches a tree before each move; with a time limit, it keeps the subtree of the state."""

    Options = MCTSOptions
    net_use = "optional"
    search: mcts.MCTS
    _adviser: Adviser | None = None
    _leaves: int | None = None

    def _prepare(self) -> None:
        options, net = self._options, self.net
        if options.judge:
            from agents.judged import Adviser

            self._adviser = Adviser(self._game, options.time_limit, net)
        is_asked = net is not None and not net.facts.plays_rollouts
        seconds, method = options.time_limit or 0.0, TREE_POLICIES[options.tree_policy or "uct"]
        if method.out_of_order:
            self._leaves = options.leaves or (_LEAVES if seconds else 1)
        self._evaluator = net
        if net and is_asked:
            self._evaluator = evaluator_for(net, options.runtime, options.threads, seconds)
        is_in_order = options.leaves in (None, 1)  # else a game would depend on those beside it
        self.batches = is_asked and options.sigma == 0 and not method.draws and is_in_order
        self.search = self.new_search(1)

    def new_search(self, games: int, shares: int | None = None) -> mcts.MCTS:
        """Return a search of this many games at once, with one of ``shares`` of the memory.

        Those searches are apart from games, and in float32: int8 would shift values by more than
        what two moves differ in.
        """
        options, evaluator = self._options, self._evaluator
        if shares is not None:
            options = options.model_copy(update={"memory": self.search.memory / shares})
            if self.batches and self.net is not None:
                evaluator = evaluator_for(self.net, options.runtime, 1, math.inf, exact=True)
        # Batched searches draw only noise, from the generator of each game.
        how: dict[str, Any] = {"games": games, "seed": 0 if self.batches else self._rng}
        how |= {"sigma": options.sigma, "leaves": self._leaves}
        return search_of(self._game, options, evaluator, **how)

    def rows(self, games: int) -> int:
        """Return how many games to search at once: a power of two that fits into the memory."""
        from mcts.tree_memory import most_nodes

        rows, wanted = 1, games if self.batches else 1
        node = self.search.memory, self.search.slots.trees, self._game.num_actions
        while rows < wanted and most_nodes(*node, 2 * rows) > self._options.simulations:
            rows *= 2
        return rows

    def limit_time(self, seconds: float) -> None:
        """See ``Agent``; a search that had a limit before keeps its tree."""
        if self._options.time_limit is None or self._options.judge:
            return super().limit_time(seconds)
        self._options = self._options.model_copy(update={"time_limit": seconds})

    @property
    def is_deterministic(self) -> bool:
        """See ``Agent``: no rollouts, and no other random numbers."""
        options, variant = self._options, self.search.variant
        drawn = options.choice != "greedy" or options.sigma > 0 or self.net is None
        drawn = drawn or variant.method.draws or variant.root_noise is not None
        return not drawn and options.time_limit is None

    @property
    def batch_key(self) -> Hashable:
        """See ``Agent``: the same net and equal options; none with a judge, for its memory."""
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
                played, self.known_outcome = int(actions[0]), outcome
                certain = np.eye(self._game.num_actions)[played]
                value = 1.0 if outcome == 1 else -1.0
                self.thought = mcts.Thought(certain, value, is_search=False, outcome=outcome)
                return played
        result = self._searched_all([self], [state], deadline)[0]
        return self._chosen(state, result, actions, outcome)

    def ponder(self, state: State, action: int) -> None:
        """See ``Agent``: search on, at most M simulations."""
        state = self._game.child_state(state, action)
        if self._options.time_limit is not None and not self._game.is_final(state):
            self.search.search(state, deadline=math.inf, stopped=self.stopped)

    def choose_actions(self, agents: Sequence[Any], states: Sequence[State]) -> list[int]:
        """See ``Agent``: one search for all games, if searches draw no random numbers."""
        results = self._searched_all(agents, states)
        return [
            agent._chosen(state, result, self._game.legal_actions(state))
            for agent, state, result in zip(agents, states, results, strict=True)
        ]

    def _searched_all(
        self, agents: Sequence[Any], states: Sequence[State], deadline: float | None = None
    ) -> list[mcts.SearchResult]:
        rows = self.rows(len(states))
        if rows != self.search.games:
            self.search = self.new_search(rows)
        results: list[mcts.SearchResult] = []
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

    def _chosen(
        self, state: State, result: mcts.SearchResult, actions: Indices, outcome: int = 0
    ) -> int:
        """Return the action; if the outcome is known, greedy play wins or defends at once."""
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


class NRPAAgent(Agent):
    """Adapts rollouts to the game before each move, and grows no tree."""

    Options = NRPAOptions
    batch_key = None

    def _prepare(self) -> None:
        self._search = mcts.NRPA(self._game, **self._options.model_dump(), seed=self._rng)

    def choose_action(self, state: State) -> int:
        """Return the best action of a search from ``state``."""
        result = self._search.search(state, self.stopped)
        self.simulations_run += result.simulations
        self.search_seconds += result.seconds
        return result.best_action
