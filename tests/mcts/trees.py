"""Trees as nested tuples, so that two of them can be compared with ``==``."""

from typing import Any

from mcts import MCTS
from mcts.tree import ROOT, UNEXPANDED, Tree, new_trees, tree_of
from state_manager import StateManager
from tests.mcts.naive_mcts import Node

Nested = tuple[Any, ...]


def one_root(to_play: int, visits: list[int], q_values: list[float], actions: list[int]) -> Tree:
    """Return a tree that has only a root, with these edges."""
    tree = tree_of(new_trees(1, 1, len(visits), 1 + max(actions), priors=True), 0)
    tree.nodes[ROOT].to_play, tree.nodes[ROOT].edge_count = to_play, len(visits)
    for name, values in (("visit_count", visits), ("q_value", q_values), ("action", actions)):
        tree.edges[name] = values
    return tree


def nested(tree: Tree, node: int = ROOT) -> Nested:
    """Return mover, outcome and visits of a node, then its visited edges, each with its subtree.

    Unvisited edges hold no results.
    """
    first = int(tree.nodes[node].first_edge)
    edges = []
    for edge in range(first, first + int(tree.nodes[node].edge_count)):
        child = int(tree.edges[edge].child)
        if tree.edges[edge].visit_count == 0:
            assert child == UNEXPANDED
            continue
        edges.append(
            (
                int(tree.edges[edge].action),
                int(tree.edges[edge].visit_count),
                0.0 if child == UNEXPANDED else float(tree.nodes[child].total_value),
                float(tree.edges[edge].q_value),
                None if child == UNEXPANDED else nested(tree, child),
            )
        )
    head = (
        int(tree.nodes[node].to_play),
        int(tree.nodes[node].outcome),
        int(tree.nodes[node].visit_count),
    )
    return (*head, tuple(edges))


def nested_twin(game: StateManager, node: Node) -> Nested:
    """Return the same of a twin's tree."""
    edges = []
    for action in sorted(node.counts):
        edges.append(
            (
                action,
                node.counts[action],
                node.totals[action],
                node.q(action),
                nested_twin(game, node.children[action]),
            )
        )
    head = (game.to_play(node.state), game.winner(node.state), node.visits)
    return (*head, tuple(edges))


def go_to(search: MCTS, action: int) -> None:
    """Make a successor of the root the root, and keep its subtree."""
    state = search.game.child_state(search.slots.root_states[0], action)
    search.slots.go_to(0, state, search.game.rules)
