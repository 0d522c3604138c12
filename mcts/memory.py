"""How much memory trees may take, and the warning when it is too little."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from mcts.tree import NODES, Tree, grown, new_tree

_LOG = logging.getLogger(__name__)

_MEGABYTE = 1_000_000
_SHARE = 0.25
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_MOST_NODES = 2**31 - 1
"""Nodes are numbered by int32."""
_EDGES_OF_A_NODE = 4
"""Where edges are made when they are needed, about 2.5 a node in use, and half as many given up."""

_told: set[str] = set()


def machine_memory() -> int:
    """Return how much memory this machine has, or the container that we are in, in bytes."""
    limits = [int(psutil.virtual_memory().total)]
    for file in _CONTAINER_LIMITS:
        with suppress(OSError, ValueError):
            limits.append(int(file.read_text()))
    return min(limits)


def memory_share(megabytes: float | None, searches: int = 1) -> float:
    """Return what each of some searches may take at once, in megabytes.

    Args:
        megabytes: What all may take together; ``None`` for a quarter of the machine's memory.
        searches: How many they are.
    """
    together = _SHARE * machine_memory() / _MEGABYTE if megabytes is None else megabytes
    return together / searches


def edges_a_node(num_actions: int, edge_memory: int) -> int:
    """Return for how many edges a tree must have room, for each of its nodes.

    Where edges are made when they are needed (``node_expansion.widen``), a node with n visited ones
    has taken 4n places at most, those included that it has left; and each leads to another node.
    """
    return num_actions if edge_memory else min(num_actions, 4)


def most_nodes(megabytes: float, num_actions: int, edge_memory: int, trees: int = 1) -> int:
    """Return how many nodes each of some trees may have, at least one.

    Args:
        megabytes: What the trees may take together.
        num_actions: A, how many edges a node has at most.
        edge_memory: V.
        trees: How many trees there are.
    """
    edges = edges_a_node(num_actions, edge_memory)
    one = new_tree(1, edges, edge_memory)
    node_bytes = sum(array.nbytes for array in one) - one.used.nbytes
    return max(1, min(_MOST_NODES, int(megabytes * _MEGABYTE / (node_bytes * trees))))


def with_room(
    tree: Tree, num_actions: int, simulations: int, megabytes: float, searches: int = 0
) -> Tree:
    """Return a tree with room for more simulations, or for as many as the memory allows.

    Args:
        tree: A tree, or a forest.
        num_actions: A.
        simulations: How many are about to be run; nothing grows while they are.
        megabytes: What the tree, or the whole forest, may take.
        searches: Under a clock, how many such searches may follow. Then room is made for all of
            them now, so that no tree has to be moved while the clock runs.
    """
    room, used = tree.to_play.shape[-1], int(tree.used[..., NODES].max())
    edge_memory = tree.memory.shape[-2]
    most = most_nodes(megabytes, num_actions, edge_memory, tree.used[..., NODES].size)
    needed = max(1, used) + simulations
    if needed > most and searches == 0:
        _tell_once(
            "beforehand",
            f"{simulations:,} simulations may not fit into mcts.memory ({megabytes:,.0f} MB): "
            f"the tree stops growing at {most:,} nodes, and the search goes on in it",
        )
    if room >= min(needed, most):
        return tree
    nodes = min(most, max(needed, searches * simulations if searches else 2 * room))
    while nodes > room:
        try:
            # The root has all of its edges, whether they are needed or not.
            edges = nodes * edges_a_node(num_actions, edge_memory) + num_actions
            return grown(tree, nodes, edges)
        except MemoryError:
            nodes //= 2
    return tree


def tell_if_full(trees: Tree, is_searched: NDArray[np.bool_], megabytes: float) -> None:
    """Say once that a tree has stopped growing, if one has that is still searched, `[T]`."""
    nodes = trees.to_play.shape[-1]
    if (trees.used[is_searched, NODES] == nodes).any():
        _tell_once(
            "full",
            f"a tree is full ({nodes:,} nodes, mcts.memory {megabytes:,.0f} MB): "
            "the search goes on without adding nodes",
        )


def _tell_once(kind: str, text: str) -> None:
    """Log a warning, which Python writes to standard error, unless it was logged before."""
    if kind not in _told:
        _told.add(kind)
        _LOG.warning(text)
