"""The recorder: wraps the four processes of a search and records the effect of each.

It runs in a process with ``NUMBA_DISABLE_JIT=1``, where every kernel is a plain Python function.
There ``MCTS.observe`` replaces the search's functions by the recorder's; each calls the original,
and compares the tree before and after.
"""

from __future__ import annotations

import inspect
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from agents import AgentError, make_agent
from agents.mcts_agent import MCTSAgent
from agents.spec import AgentSpec
from analysis.recording import MOST_SIMULATIONS, Change, Edge, Node, Place, Recording, Step
from base.params import Params
from mcts.leaf_evaluation import evaluate_by_rollout, evaluate_by_uniform_rollout
from mcts.priors import PRIORS
from mcts.result import result_of
from mcts.settings import EXPLORATION, SearchContext, Settings
from mcts.tree import DEPTH, DONE, NODES, PLAYED, ROOT, UNEXPANDED, SearchPath, Tree, edges_of
from mcts.tree_search import tree_search
from mcts.variant import Processes
from state_manager import State, StateError, StateManager
from state_manager.errors import GameError
from state_manager.rules import GOES_ON

_PROJECT = Path(__file__).resolve().parents[1]


class Recorder:
    """Records one search from its first process to its last.

    Attributes:
        nodes: The nodes, in order of addition.
        steps: The steps, in order.
        processes: The search's own functions.
    """

    processes: Processes

    def __init__(self, has_priors: bool) -> None:
        """Prepare to record; ``has_priors``: whether the edges hold a policy's probabilities."""
        self.nodes: list[Node] = []
        self.steps: list[Step] = []
        self._has_priors = has_priors
        self._simulation = 0
        self._way: list[Step] = []
        # If leaves of one tree are evaluated together, several paths begin before one ends.
        self._ways: dict[tuple[int, ...], list[Step]] = {}

    def observe(self, processes: Processes) -> Processes:
        """Return functions that record these processes; see ``MCTS.observe``.

        A game's fast rollout, which fills the board at once, shows no moves. So rollouts are played
        move by move here, as in every search that needs their moves.
        """
        if processes.evaluate is evaluate_by_uniform_rollout:
            processes = processes._replace(evaluate=evaluate_by_rollout)
        self.processes = processes
        return processes._replace(
            tree_policy=self._choose,
            expand=self._expand,
            evaluate=self._evaluate,
            backpropagate=self._backpropagate,
            prove=self._prove,
        )

    def _choose(self, tree: Tree, node: int, settings: Settings, rng: np.random.Generator) -> int:
        """Process 1 at one node."""
        edge, scores = _scored(self.processes.tree_policy, tree, node, settings, rng)
        seen = edges_of(tree, node)
        edges = tuple(
            Edge(
                int(tree.action[each]),
                int(tree.visit_counts[each]),
                float(tree.q_values[each]),
                scores.get(each),
                float(tree.memory[PRIORS, each]) if self._has_priors else None,
            )
            for each in range(seen.start, seen.stop)
        )
        if node == ROOT:
            self._way = []
        before = self._way[-1] if self._way else None
        path = (*before.path, node) if before else (node,)
        actions = (*before.actions, before.action) if before else ()
        action, visits = int(tree.action[edge]), int(tree.node_visits[node])
        self._way.append(Step(0, 1, path, actions, edges, action, visits))
        self._ways[*actions, action] = list(self._way)
        return edge

    def _expand(
        self, context: SearchContext, state: State, outcome: int, tree: Tree, walk: SearchPath
    ) -> None:
        """Process 2; first record the steps of process 1. A search begins with its root."""
        nodes, depth = int(tree.counts[NODES]), int(walk.numbers[DEPTH])
        self.processes.expand(context, state, outcome, tree, walk)
        path = tuple(walk.nodes[: depth + 1].tolist())
        actions = tuple(walk.actions[:depth].tolist())
        new = int(tree.counts[NODES]) > nodes
        if new:
            parent, action = (path[-2], actions[-1]) if depth else (UNEXPANDED, -1)
            self.nodes.append(Node(parent, action, depth, int(state[0])))
        if depth:
            self._simulation += 1
            for step in self._ways[actions]:
                self._note(1, step.path, step.actions, step.edges, step.action, step.visits)
        self._note(2, path, actions, new=new)

    def _evaluate(
        self,
        context: SearchContext,
        state: State,
        outcome: int,
        walk: SearchPath,
        rng: np.random.Generator,
    ) -> float:
        """Process 3."""
        value = float(self.processes.evaluate(context, state, outcome, walk, rng))
        if walk.numbers[DONE] != 0:  # more rollouts follow
            return value
        depth, played = walk.numbers[DEPTH], walk.numbers[PLAYED]
        means = "result" if outcome != GOES_ON else "rollout" if played > depth else "net"
        path = tuple(walk.nodes[: depth + 1].tolist())
        self._note(3, path, tuple(walk.actions[:played].tolist()), value=value, means=means)
        return value

    def _backpropagate(self, tree: Tree, walk: SearchPath, value: float) -> None:
        """Process 4: a step for each node, from the leaf to the one below the root."""
        depth = int(walk.numbers[DEPTH])
        nodes, edges = walk.nodes[: depth + 1].tolist(), walk.edges[:depth]
        before = tree.visit_counts[edges].tolist(), tree.q_values[edges].tolist()
        root_visits = int(tree.node_visits[ROOT])
        self.processes.backpropagate(tree, walk, value)
        after = tree.visit_counts[edges].tolist(), tree.q_values[edges].tolist()
        actions = tuple(walk.actions[:depth].tolist())
        for place in range(depth, 0, -1):
            visits, q = ((b[place - 1], a[place - 1]) for b, a in zip(before, after, strict=True))
            changes = [Change(nodes[place], visits, q, self._outcome(tree, nodes[place]))]
            if place == 1:
                changes.append(Change(ROOT, (root_visits, int(tree.node_visits[ROOT])), None))
            self._note(
                4, tuple(nodes[: place + 1]), actions[:place], value=value, changes=tuple(changes)
            )

    def _prove(self, tree: Tree, walk: SearchPath) -> None:
        """The end of process 4, recorded if it proves an outcome."""
        depth = int(walk.numbers[DEPTH])
        nodes = walk.nodes[: depth + 1].tolist()
        before = [self._outcome(tree, node) for node in nodes]
        self.processes.prove(tree, walk)
        changes = [
            Change(node, (int(tree.node_visits[node]),) * 2, None, self._outcome(tree, node))
            for node, known in zip(nodes, before, strict=True)
            if self._outcome(tree, node) != known
        ]
        if changes:
            actions = tuple(walk.actions[:depth].tolist())
            self._note(4, tuple(nodes), actions, changes=tuple(changes[::-1]))

    def _note(self, process: int, path: tuple[int, ...], *about: Any, **more: Any) -> None:
        self.steps.append(Step(self._simulation, process, path, *about, **more))

    @staticmethod
    def _outcome(tree: Tree, node: int) -> int:
        return GOES_ON if node == UNEXPANDED else int(tree.outcome[node])


def _scored(policy: Callable[..., int], *arguments: Any) -> tuple[int, dict[int, float]]:
    """Return the edge that a tree policy chooses, and the score of each edge that it examined.

    The scores exist only in its local variables ``edge`` and ``score``. They are traced line by
    line, in functions that it calls too.
    """
    scores: dict[int, float] = {}
    seen: Any = None

    def on_line(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal seen
        edge, score = frame.f_locals.get("edge"), frame.f_locals.get("score")
        if edge is not None and score is not None and score is not seen:  # a new score: this edge's
            scores[int(edge)], seen = float(score), score
        return on_line

    def on_call(frame: FrameType, event: str, argument: object) -> Any:
        names = frame.f_code.co_varnames
        return on_line if "edge" in names and "score" in names else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        edge = int(policy(*arguments))
    finally:
        sys.settrace(before)
    return edge, scores


def recorded(
    spec: AgentSpec,
    game: StateManager,
    opening: tuple[int, ...],
    starting_player: int,
    params: Params | None,
) -> Recording:
    """Let an agent choose a move, and return its recorded search; see ``recording.record``."""
    agent = make_agent(spec, game, seed=params.seed if params else 0, defaults=params)
    if not isinstance(agent, MCTSAgent):
        raise AgentError(f"{spec.quoted}: expected one that grows a tree, such as mcts")
    state = game.initial_state(starting_player)
    for action in opening:
        state = game.child_state(state, action)
    if game.is_final(state):
        raise StateError(f"expected a state that is not final:\n{game.text(state)}")
    search = agent.search
    if search.simulations > MOST_SIMULATIONS:
        found = f"got {search.simulations}"
        raise AgentError(f"simulations: expected {MOST_SIMULATIONS} at most to look at, {found}")
    recorder = Recorder(search.variant.priors)
    search.observe(recorder.observe)
    action = agent.choose_action(state)
    if not recorder.steps:
        raise AgentError(f"{spec.quoted}: the judge knows the move, so nothing is searched")
    settings = search.compiled.context.settings
    result = result_of(search.tree, game.num_actions, search.variant.distribution, settings)
    policy = recorder.processes.tree_policy
    return Recording(
        agent=agent.name,
        game=game,
        opening=opening,
        starting_player=starting_player,
        exploration=float(settings[EXPLORATION]),
        policy=policy.__name__,
        formula=inspect.getdoc(policy) or "",
        places=_places(recorder.processes),
        nodes=tuple(recorder.nodes),
        steps=tuple(recorder.steps),
        visits=tuple(result.visit_counts.tolist()),
        q_values=tuple(result.q_values.tolist()),
        action=action,
    )


def _places(processes: Processes) -> tuple[Place, ...]:
    """Return the source of each process; the first one calls the tree policy at each node."""
    places = []
    for process, function in (
        (1, tree_search),
        (1, processes.tree_policy),
        (2, processes.expand),
        (3, processes.evaluate),
        (4, processes.backpropagate),
    ):
        file = Path(inspect.getfile(function)).resolve().relative_to(_PROJECT)
        line = inspect.getsourcelines(function)[1]
        places.append(Place(process, function.__name__, file.as_posix(), line))
    return tuple(places)


def serve() -> None:
    """Serve one request of ``recording.record``, read from standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    answer: Recording | Exception
    try:
        answer = recorded(*pickle.loads(sys.stdin.buffer.read()))
    except (AgentError, GameError, OSError) as error:
        answer = error
    sys.stdout.buffer.write(pickle.dumps(answer))
