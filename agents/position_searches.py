"""Searches of many positions with an agent's options, each as long as a move, for reviews."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np

import mcts
from agents.agent import Agent
from agents.mcts_agent import MCTSAgent
from agents.spec import AgentError
from base.cluster import available_cores

if TYPE_CHECKING:
    from mcts.mcts import Named
    from mcts.tree import Tree
    from state_manager import State

_SLOTS = 4
"""Positions that one thread searches at once. Of more, fewer evaluations come again later, and more
places of a batch stay empty in the end; OpenVINO hardly computes larger batches faster."""
_LONGEST_LINE = 8
_PAUSE_SECONDS = 0.005


class Opinion(NamedTuple):
    """The result of a search."""

    value: float  # of the choice, in [-1, 1], seen from player 1
    choice: int  # the best action
    line: tuple[int, ...]  # the expected line, from the choice on
    outcome: int = 0  # 1, 2 or 3 (draw) if the search has proven it


class Agenda(Protocol):
    """Positions to search, by name; several threads ask for them."""

    def following(self) -> tuple[Hashable, State] | None:
        """Return the next position, if there is one now."""

    def is_dropped(self, name: Hashable) -> bool:
        """Return whether a position that is searched is no longer of interest."""

    def add(self, name: Hashable, opinion: Opinion) -> None:
        """Take the result of a search."""

    def is_over(self) -> bool:
        """Return whether no position will follow; then all are dropped."""


Work = Callable[[Agenda], None]
"""Searches positions of an agenda, in the thread that calls it, until the agenda is over."""


_WORKS: WeakKeyDictionary[MCTSAgent, list[Work]] = WeakKeyDictionary()


def searches_of_positions(agent: Agent) -> list[Work]:
    """Return an agent's searches for reviews, one a core; an ``AgentError`` if it is no search."""
    if not isinstance(agent, MCTSAgent):
        raise AgentError("expected an agent that searches, such as mcts")
    if agent not in _WORKS:
        threads, seed = available_cores(), agent._rng.bit_generator.seed_seq
        assert isinstance(seed, np.random.SeedSequence)
        slots = max(1, min(_SLOTS, agent.rows(threads * _SLOTS) // threads))
        searches = [agent.new_search(slots, threads) for _ in range(threads)]
        _WORKS[agent] = [_work_with(each, seed, agent.batches) for each in searches]
    return _WORKS[agent]


def _work_with(search: mcts.MCTS, seed: np.random.SeedSequence, in_batches: bool) -> Work:
    """Return the work of a thread; an opinion depends on its position and the seed alone."""

    def work(agenda: Agenda) -> None:
        def following() -> Named | None:
            if (found := agenda.following()) is None:
                return None
            key = *seed.spawn_key, crc32(found[1].tobytes())
            own = np.random.SeedSequence(seed.entropy, spawn_key=key)
            return *found, np.random.default_rng(own)

        def on_result(name: Hashable, result: mcts.SearchResult, tree: Tree) -> None:
            agenda.add(name, _opinion(result, tree))

        limits = agenda.is_over, agenda.is_dropped
        while not agenda.is_over():
            if in_batches:
                search.search_named(following, search.simulations, on_result, *limits)
            elif (named := following()) is not None:
                name, state, generator = named
                search.reset(generator)
                stopped = partial(agenda.is_dropped, name)
                result = search.search(state, deadline=math.inf, stopped=stopped)
                if not stopped():
                    on_result(name, result, search.tree)
                continue
            time.sleep(_PAUSE_SECONDS)

    return work


def _opinion(result: mcts.SearchResult, tree: Tree) -> Opinion:
    choice, value = int(result.best_action), result.thought(result.best_action).value
    assert value is not None, "a search has a value for its choice"
    line = mcts.principal_variation(tree, choice)[:_LONGEST_LINE]
    return Opinion(value, choice, tuple(line), int(result.outcome))
