"""The recorder: wraps the four processes of a search and records the effect of each.

In a process with ``NUMBA_DISABLE_JIT=1``, ``MCTS.observe`` replaces the search's functions by the
recorder's; each calls the original, and compares the tree before and after.
"""

import inspect
import math
import pickle
import signal
import sys
from dataclasses import replace
from functools import reduce
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from agents import AgentError, AgentSpec, chosen_action, make_agent
from analysis.search_recording import (
    MOST_SIMULATIONS,
    Edge,
    NodeValue,
    RecordedNode,
    Recording,
    Step,
)
from base.params import Params
from mcts.leaf_evaluation import evaluate_leaf, evaluate_leaf_uniformly
from mcts.result import result_of
from mcts.settings import SearchContext, Settings
from mcts.tree import ROOT, UNEXPANDED, SearchPath, Tree, edges_of
from mcts.tree_search import Scores, tree_search
from mcts.variant import Processes
from state_manager import GameError, State, StateError, StateManager
from state_manager.rules import GOES_ON

_PROJECT = Path(__file__).resolve().parents[1]


def serve() -> None:
    """Serve one request of ``search_recording.record``, read from standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    result: Recording | Exception
    try:
        result = recorded(*pickle.loads(sys.stdin.buffer.read()))
    except (AgentError, GameError, OSError) as error:
        result = error
    sys.stdout.buffer.write(pickle.dumps(result))


def recorded(
    spec: AgentSpec,
    game: StateManager,
    opening: tuple[int, ...],
    first: State,
    params: Params | None,
) -> Recording:
    """Let an agent choose a move in this process; see ``search_recording.record``."""
    agent = make_agent(spec, game, seed=params.seed if params else 0, defaults=params)
    if (search := agent.search) is None:
        raise AgentError(f"{spec.quoted}: expected one that grows a tree, such as mcts")
    state = reduce(game.child_state, opening, first)
    if game.is_final(state):
        raise StateError(f"expected a state that is not final:\n{game.text(state)}")
    if search.simulations > MOST_SIMULATIONS:
        most = f"expected {MOST_SIMULATIONS} at most to look at"
        raise AgentError(f"simulations: {most}, got {search.simulations}")
    recorder = _Recorder()
    search.observe(recorder.observe)
    action = chosen_action(agent, state)
    if not recorder.steps:
        raise AgentError(f"{spec.quoted}: the judge knows the move, so nothing is searched")
    settings, processes = search.compiled.context.settings, recorder.processes
    result = result_of(search.tree, game.num_actions, processes.distribution, settings)
    policy = processes.tree_policy
    others = processes.expand, processes.evaluate_leaf, processes.backpropagate
    return Recording(
        agent=agent.name,
        game=game,
        first=first,
        opening=opening,
        exploration=float(settings.exploration),
        policy=policy.__name__,
        formula=inspect.getdoc(policy) or "",
        sources=(f"{_source(tree_search)}, {_source(policy)}", *map(_source, others)),
        nodes=tuple(recorder.nodes),
        steps=tuple(recorder.steps),
        visits=tuple(result.visit_counts.tolist()),
        q_values=tuple(result.q_values.tolist()),
        action=action,
    )


def _source(function: Any) -> str:
    file = Path(inspect.getfile(function)).resolve().relative_to(_PROJECT)
    return f"{file.as_posix()}:{inspect.getsourcelines(function)[1]} {function.__name__}()"


class _Recorder:
    processes: Processes

    def __init__(self) -> None:
        self.nodes: list[RecordedNode] = []
        self.steps: list[Step] = []
        self._simulation = 0
        self._path: tuple[int, ...] = ()
        self._actions: tuple[int, ...] = ()
        # Leaves of one tree may be evaluated together, so several paths begin before one ends.
        self._choices: dict[tuple[int, ...], Step] = {}

    def observe(self, processes: Processes) -> Processes:
        """Return functions that record these processes; see ``MCTS.observe``.

        A game's fast rollout, which fills the board at once, shows no moves. So rollouts are played
        move by move here, as in every search that needs their moves.
        """
        if processes.evaluate_leaf is evaluate_leaf_uniformly:
            processes = processes._replace(evaluate_leaf=evaluate_leaf)
        self.processes = processes
        return processes._replace(
            tree_policy=self._choose,
            expand=self._expand,
            evaluate_leaf=self._evaluate,
            backpropagate=self._backpropagate,
            prove=self._prove,
        )

    def _choose(
        self, tree: Tree, node: int, settings: Settings, rng: np.random.Generator, scores: Scores
    ) -> int:
        """Process 1 at one node; its step is added when the path ends."""
        edge = int(self.processes.tree_policy(tree, node, settings, rng, scores))
        places = range(len(tree.edges))[edges_of(tree, node)]
        edges = tuple(map(self._edge, repeat(tree), repeat(node), places, scores))
        path, actions = ((*self._path, int(node)), self._actions) if node != ROOT else ((ROOT,), ())
        action, visits = int(tree.edges[edge].action), int(tree.nodes[node].visit_count)
        self._path, self._actions = path, (*actions, action)
        self._choices[self._actions] = Step(0, 1, path, actions, edges, action, visits)
        return edge

    def _edge(self, tree: Tree, node: int, edge: int, score: Any) -> Edge:
        record, q, u = tree.edges[edge], 0.0 + float(score.q), float(score.u)  # no -0.0
        prior = float(tree.priors[edge]) if len(tree.priors) else None
        bonus = u if math.isfinite(u) else None
        first = q if tree.nodes[node].to_play == 1 else -q
        return Edge(int(record.action), int(record.visit_count), first, bonus, q + u, prior)

    def _expand(
        self, context: SearchContext, state: State, outcome: int, tree: Tree, walk: SearchPath
    ) -> None:
        """Process 2, after the steps of process 1. A search begins with its root."""
        nodes = int(tree.size.nodes)
        self.processes.expand(context, state, outcome, tree, walk)
        path, actions = _path_of(walk)
        changes = {}
        if int(tree.size.nodes) > nodes:
            parent, action = (path[-2], actions[-1]) if actions else (UNEXPANDED, -1)
            self.nodes.append(RecordedNode(parent, action, len(actions), int(state[0])))
            added = _values(tree, walk)[path[-1]]
            changes[path[-1]] = added, added
        self._simulation += bool(actions)
        for end in range(1, len(actions) + 1):
            self.steps.append(replace(self._choices[actions[:end]], simulation=self._simulation))
        self._add(2, path, actions, changes=changes)

    def _evaluate(
        self,
        context: SearchContext,
        state: State,
        outcome: int,
        walk: SearchPath,
        rng: np.random.Generator,
    ) -> float:
        value = float(self.processes.evaluate_leaf(context, state, outcome, walk, rng))
        path, actions = _path_of(walk)
        played = tuple(walk.actions[: walk.end.played].tolist())
        is_rollout = len(played) > len(actions)
        means = "result" if outcome != GOES_ON else "rollout" if is_rollout else "net"
        self._add(3, path, played, value=value, means=means)
        return value

    def _backpropagate(self, tree: Tree, walk: SearchPath, value: float) -> None:
        """Process 4: a step for each node, from the leaf to the one below the root."""
        path, actions = _path_of(walk)
        before = _values(tree, walk)
        self.processes.backpropagate(tree, walk, value)
        after = _values(tree, walk)
        for depth in range(len(actions), 0, -1):
            nodes = path[depth::-1] if depth == 1 else path[depth : depth + 1]
            changes = {node: (before[node], after[node]) for node in nodes}
            self._add(4, path[: depth + 1], actions[:depth], value=value, changes=changes)

    def _prove(self, tree: Tree, walk: SearchPath) -> None:
        """The end of process 4, recorded if it proves an outcome."""
        before = _values(tree, walk)
        self.processes.prove(tree, walk)
        after = _values(tree, walk)
        path, actions = _path_of(walk)
        both = {node: (before[node], after[node]) for node in path[::-1]}
        if changes := {n: (old, new) for n, (old, new) in both.items() if old[2] != new[2]}:
            self._add(4, path, actions, changes=changes)

    def _add(
        self, process: int, path: tuple[int, ...], actions: tuple[int, ...], **effect: Any
    ) -> None:
        self.steps.append(Step(self._simulation, process, path, actions, **effect))


def _path_of(walk: SearchPath) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the nodes from the root to the leaf, and the actions between them."""
    depth = int(walk.end.depth)
    return tuple(walk.nodes[: depth + 1].tolist()), tuple(walk.actions[:depth].tolist())


def _values(tree: Tree, walk: SearchPath) -> dict[int, NodeValue]:
    """Return the values of the nodes on a path, the root first; -1 is a leaf without a node."""
    (root, *nodes), _ = _path_of(walk)
    record = tree.nodes[root]
    values = {root: NodeValue(int(record.visit_count), None, int(record.outcome))}
    for node, edge in zip(nodes, walk.edges.tolist(), strict=False):
        outcome = GOES_ON if node == UNEXPANDED else int(tree.nodes[node].outcome)
        visits, q = int(tree.edges[edge].visit_count), float(tree.edges[edge].q_value)
        values[node] = NodeValue(visits, q, outcome)
    return values
