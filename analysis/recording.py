"""One search, step by step: what each of its four processes did, as a recorder saw it.

The steps are those of the very search that plays, whose kernels run as the Python that they are
written in; ``recorder.py`` stands between them, in a process of its own.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents import AgentSpec
    from base.params import Params
    from state_manager import StateManager

PROCESSES = ("tree search", "node expansion", "leaf evaluation", "backpropagation")
"""In the order of a simulation; ``Step.process`` counts them from 1."""
MOST_SIMULATIONS = 1000
"""A thousand are more than anybody looks at, and take plain Python about a minute."""
_LOOK_AROUND = 0.25
"""Seconds."""


@dataclass(frozen=True)
class Place:
    """Where the source of a process stands.

    Attributes:
        process: From 1.
        function: Its name.
        file: As seen from the root of the project.
        line: Where it begins, from 1.
    """

    process: int
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Node:
    """A node of the tree; its number is its place among all.

    Attributes:
        parent: -1 for the root.
        action: What led there; -1 for the root.
        depth: How many edges lie above it.
        to_play: The player to move, 1 or 2.
    """

    parent: int
    action: int
    depth: int
    to_play: int


@dataclass(frozen=True)
class Edge:
    """An edge at which the tree policy looked.

    Attributes:
        action: Its action.
        visits: N(s,a).
        q: Q(s,a), seen from player 1; infinite if a win is proven.
        score: What the tree policy maximises, as the mover sees it; ``None`` if it has none.
        prior: P(s,a), a policy's probability, if the search asks one.
    """

    action: int
    visits: int
    q: float
    score: float | None
    prior: float | None


@dataclass(frozen=True)
class Change:
    """What a simulation has changed at a node and at the edge to it.

    Attributes:
        node: Its number.
        visits: N before and after.
        q: Q of the edge before and after; ``None`` for the root.
        outcome: What is known of the node after it: 0 if nothing, else who wins, 3 for a draw.
    """

    node: int
    visits: tuple[int, int]
    q: tuple[float, float] | None
    outcome: int = 0


@dataclass(frozen=True)
class Step:
    """What one process did at one node.

    Attributes:
        simulation: From 1; 0 before the first.
        process: From 1, see ``PROCESSES``.
        path: The nodes from the root to the one that it is about; -1 for a leaf without a node,
            since the tree is full.
        actions: What leads from the root to the state it is about, a rollout's moves included.
        edges: Of tree search: all edges that the node has.
        action: Of tree search: which is taken.
        visits: Of tree search: N(s).
        new: Of node expansion: whether a node was added.
        value: Of leaf evaluation and backpropagation: in [-1, 1], seen from player 1.
        means: Of leaf evaluation: ``result``, ``rollout`` or ``net``.
        changes: Of backpropagation.
    """

    simulation: int
    process: int
    path: tuple[int, ...]
    actions: tuple[int, ...]
    edges: tuple[Edge, ...] = ()
    action: int = -1
    visits: int = 0
    new: bool = False
    value: float = 0.0
    means: str = ""
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Recording:
    """A search that was recorded.

    Attributes:
        agent: Who searched.
        game: What is played.
        opening: The actions that lead to the root.
        starting_player: Who made the first of them.
        exploration: c.
        policy: The name of the tree policy's function.
        formula: What its docstring says.
        places: Where the processes stand.
        nodes: All nodes in the end.
        steps: In order.
        visits: N of each action at the root, `[A]`.
        q_values: Q of each action at the root, `[A]`, in [-1, 1], seen from player 1.
        action: What the agent chose.
    """

    agent: str
    game: StateManager
    opening: tuple[int, ...]
    starting_player: int
    exploration: float
    policy: str
    formula: str
    places: tuple[Place, ...]
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    visits: tuple[int, ...]
    q_values: tuple[float, ...]
    action: int


def record(
    spec: AgentSpec,
    game: StateManager,
    opening: Sequence[int] = (),
    starting_player: int = 1,
    params: Params | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Recording:
    """Let an agent choose a move, in a process of plain Python, and return what its search did.

    Args:
        spec: An agent whose search grows a tree; ``best`` stands for no net any more.
        game: What is played.
        opening: The actions that lead to the state in which it is asked.
        starting_player: Who makes the first of them.
        params: Of the run, from which options take their defaults, and the random seed; it is 0
            without them.
        stopped: Asked now and then whether to give up.

    Raises:
        AgentError: It cannot be made, or grows no tree.
        ChildProcessError: Something has ended the process.
        GameError: The opening cannot be played, or ends the game.
        InterruptedError: It was given up.
    """
    # A path that is the empty word would be another folder there.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    with tempfile.TemporaryFile() as question:
        pickle.dump((spec, game, tuple(opening), starting_player, params), question)
        question.seek(0)
        process = subprocess.Popen(
            # -P, since a file of the folder that we are in may be called as a module is.
            [sys.executable, "-P", "-c", "from analysis.recorder import serve; serve()"],
            stdin=question,
            stdout=subprocess.PIPE,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        )
    with process:
        try:
            while (answered := _answer_of(process)) is None:
                if stopped():
                    raise InterruptedError("nobody waits for the search any more")
        finally:
            process.kill()
    if process.returncode:
        status = process.returncode
        raise ChildProcessError(f"the search that is recorded ended with exit status {status}")
    answer = pickle.loads(answered)
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Recording)
    return answer


def _answer_of(process: subprocess.Popen[bytes]) -> bytes | None:
    """Return all that a process writes, if it ends soon."""
    try:
        return process.communicate(timeout=_LOOK_AROUND)[0]
    except subprocess.TimeoutExpired:
        return None
