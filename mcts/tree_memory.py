"""The memory limit of trees, and the warning when it is reached."""

import logging
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from mcts.tree import Tree, grown

_LOG = logging.getLogger(__name__)

_MEGABYTE = 1_000_000
_SHARE = 0.25
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_MOST_NODES = 2**31 - 1
"""Nodes are numbered by int32."""

_told: set[str] = set()


def machine_memory() -> int:
    """Return the memory of this machine, or of its container if that is less, in bytes."""
    limits = [int(psutil.virtual_memory().total)]
    for file in _CONTAINER_LIMITS:
        with suppress(OSError, ValueError):
            limits.append(int(file.read_text()))
    return min(limits)


def memory_share(megabytes: float | None, searches: int = 1) -> float:
    """Return a search's share of the megabytes; ``None`` for a quarter of the machine's."""
    together = _SHARE * machine_memory() / _MEGABYTE if megabytes is None else megabytes
    return together / searches


def edges_a_node(trees: Tree, num_actions: int) -> int:
    """Return the number of edges to reserve for each node of such trees.

    Where edges are made on demand (``node_expansion.make_edges``), a node with n visited edges has
    taken at most 4n places, including those that it gave up; and each visited edge leads to another
    node.
    """
    has_all = trees.priors.shape[-1] > 0 or trees.statistics.shape[-1] > 0
    return num_actions if has_all else min(num_actions, 4)


def most_nodes(megabytes: float, trees: Tree, num_actions: int, number: int = 1) -> int:
    """Return the largest number of nodes of each of some such trees, which share the megabytes.

    At least 1.
    """
    of_edges = [each for each in (trees.edges, trees.priors, trees.statistics) if each.shape[-1]]
    edge_bytes = sum(array.itemsize for array in of_edges)
    node_bytes = trees.nodes.itemsize + trees.policies.itemsize * trees.policies.shape[-1]
    node_bytes += edges_a_node(trees, num_actions) * edge_bytes
    return max(1, min(_MOST_NODES, int(megabytes * _MEGABYTE / (node_bytes * number))))


def with_room(
    trees: Tree, num_actions: int, simulations: int, megabytes: float, searches: int = 0
) -> Tree:
    """Return trees with room for more simulations, within the limit.

    With a deadline, ``searches`` is the largest number of such searches to come: room for all of
    them is reserved now, so that no tree is moved while the clock runs.
    """
    room, used = trees.nodes.shape[-1], int(trees.size.nodes.max())
    most = most_nodes(megabytes, trees, num_actions, len(trees.size))
    needed = max(1, used) + simulations
    if needed > most and searches == 0:
        _tell_once(
            "beforehand",
            f"{simulations:,} simulations may not fit into mcts.memory ({megabytes:,.0f} MB): "
            f"the tree stops growing at {most:,} nodes, and the search goes on in it",
        )
    if room >= min(needed, most):
        return trees
    nodes = min(most, max(needed, searches * simulations if searches else 2 * room))
    while nodes > room:
        try:
            # The root always has all of its edges.
            edges = nodes * edges_a_node(trees, num_actions) + num_actions
            return grown(trees, nodes, edges)
        except MemoryError:
            nodes //= 2
    return trees


def tell_if_full(trees: Tree, is_searched: NDArray[np.bool_], megabytes: float) -> None:
    """Log once that a tree has stopped growing, if one of those still searched, `[T]`, is full."""
    nodes = trees.nodes.shape[-1]
    if (trees.size.nodes[is_searched] == nodes).any():
        _tell_once(
            "full",
            f"a tree is full ({nodes:,} nodes, mcts.memory {megabytes:,.0f} MB): "
            "the search goes on without adding nodes",
        )


def _tell_once(kind: str, text: str) -> None:
    """Log a warning of this kind, unless one was logged before."""
    if kind not in _told:
        _told.add(kind)
        _LOG.warning(text)
