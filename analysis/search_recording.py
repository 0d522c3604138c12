"""A recording of one search: the effect of each of its four processes, step by step.

The search is the one that plays, with its kernels as plain Python; ``step_recorder.py`` wraps them,
in a separate process.
"""

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import NamedTuple

from agents import AgentSpec
from base.params import Params
from base.project import PREFIX
from state_manager import State, StateManager

PROCESSES = ("tree search", "node expansion", "leaf evaluation", "backpropagation")
"""In the order of a simulation; ``Step.process`` counts them from 1."""
MOST_SIMULATIONS = 1000
"""More than a reader needs, and about a minute in plain Python."""
_POLL_SECONDS = 0.05


class RecordedNode(NamedTuple):
    """A node of the tree; its number is its index in ``Recording.nodes``."""

    parent: int  # its number; -1 for the root
    action: int  # the one that leads from there; -1 for the root
    depth: int
    to_play: int


class NodeValue(NamedTuple):
    """The tree's values at a node and at the edge to it."""

    visits: int  # N(s,a) of the edge, N(s) of the root
    q: float | None  # Q(s,a), seen from player 1; infinite if proven; ``None`` for the root
    outcome: int  # the known outcome of the node: 0 if none, else the winner, or 3 for a draw


class Edge(NamedTuple):
    """An edge at a node where the tree policy chose, which maximises the score."""

    action: int
    visits: int  # N(s,a)
    q: float  # the value part of the tree policy's score, mostly Q(s,a); seen from player 1
    u: float | None  # the bonus that the tree policy adds to it; ``None`` if it is infinite
    score: float  # their sum, seen from the mover; infinite with ``u``, or if a result is proven
    prior: float | None  # P(s,a), a policy's probability, if the search uses a policy


@dataclass(frozen=True)
class Step:
    """The effect of one process at one node.

    ``value``, of leaf evaluation and backpropagation, is in [-1, 1], seen from player 1; ``None``
    where an outcome is proven. ``changes`` are the values of the added or changed nodes before and
    after, the deepest node first.
    """

    simulation: int  # from 1; 0 before the first
    process: int  # from 1, see ``PROCESSES``
    path: tuple[int, ...]  # the nodes from the root to the step's; -1: a leaf of a full tree
    actions: tuple[int, ...]  # from the root to the step's state, a rollout's moves included
    edges: tuple[Edge, ...] = ()  # of tree search: all edges of the node
    action: int = -1  # of tree search: the chosen action
    visits: int = 0  # of tree search: N(s)
    value: float | None = None
    means: str = ""  # of leaf evaluation: ``result``, ``rollout`` or ``net``
    changes: Mapping[int, tuple[NodeValue, NodeValue]] = field(default_factory=dict)


@dataclass(frozen=True)
class Recording:
    """A recorded search."""

    agent: str  # the agent's name
    game: StateManager
    first: State  # the first state, `[S]`
    opening: tuple[int, ...]  # the actions that lead from there to the root
    exploration: float  # c
    policy: str  # the name of the tree policy's function; ``formula`` is its docstring
    formula: str
    sources: tuple[str, ...]  # of each process: files, lines and functions
    nodes: tuple[RecordedNode, ...]  # all nodes of the final tree
    steps: tuple[Step, ...]
    visits: tuple[int, ...]  # `[A]`, N of each action at the root
    q_values: tuple[float, ...]  # `[A]`, their Q in [-1, 1], seen from player 1
    action: int  # the agent's choice


def record(
    spec: AgentSpec,
    game: StateManager,
    opening: Sequence[int] = (),
    first: State | None = None,
    params: Params | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Recording:
    """Let an agent choose a move, in a process of plain Python, and return its recorded search.

    The agent's search grows a tree; ``best`` is already replaced by its net. ``first`` is the state
    before the opening, by default the initial one. ``params`` has the defaults of the agent's
    options, and the random seed (0 without them). ``stopped`` is called often; True cancels the
    search.

    Raises:
        AgentError: The agent cannot be made, or grows no tree.
        ChildProcessError: The process was ended from outside, or crashed.
        GameError: The opening cannot be played, or ends the game.
        InterruptedError: The search was cancelled.
    """
    # An empty path would be another folder in the other process.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    serve = f"from {PREFIX}analysis.step_recorder import serve; serve()"
    with TemporaryFile() as request, TemporaryFile() as output:
        first = game.initial_state() if first is None else first
        pickle.dump((spec, game, tuple(opening), first, params), request)
        request.seek(0)
        with subprocess.Popen(
            # -P: a file of the working directory may have the name of a module.
            [sys.executable, "-P", "-c", serve],
            stdin=request,
            stdout=output,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        ) as process:
            try:
                while process.poll() is None:
                    if stopped():
                        raise InterruptedError("the request for the search was cancelled")
                    time.sleep(_POLL_SECONDS)
            finally:
                process.kill()
        if status := process.returncode:
            raise ChildProcessError(f"the search that is recorded ended with exit status {status}")
        output.seek(0)
        result = pickle.load(output)
    if isinstance(result, Exception):
        raise result
    assert isinstance(result, Recording)
    return result
