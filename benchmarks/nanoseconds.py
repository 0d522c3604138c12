"""Where the nanoseconds of a simulation go: UCT with uniform rollouts from the empty board of Hex.

After ``BEFORE`` simulations, the next ``SIMULATIONS`` are timed as a whole. Then each part of their
work is repeated by itself: the choices at the nodes on their paths, the moves, the new nodes and
their edges, the rollouts from their leaves, the backpropagation. No part explains the rest, such
as waiting for memory that is in the cache where a part is repeated.

Run it with ``python -m benchmarks.nanoseconds`` on an idle core.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from base.jit import make_ready, row_of
from benchmarks.timing import compiled, seconds, show
from mcts import MCTS, Variant
from mcts.backpropagation import backpropagate
from mcts.node_expansion import make_edges, new_node
from mcts.settings import SearchContext, Settings
from mcts.slots import Slots, new_slots
from mcts.tree import SearchPath, Tree
from mcts.tree_search import uct
from state_manager import State, make_game
from state_manager.rules import Rules, copy_state

BEFORE, SIMULATIONS, REPETITIONS = 10_000, 1_000, 15
BOARD_SIZES = (5, 7, 11)

Row = tuple[str, str, float]
"""A part, its amount, and its nanoseconds, in one simulation."""


@compiled
def choose(tree: Tree, paths: SearchPath, settings: Settings, rng: np.random.Generator) -> int:
    """Choose at all nodes on the paths of the simulations."""
    total = 0
    for place in range(len(paths.end)):
        for depth in range(paths.end[place].depth):
            total += uct(tree, paths.nodes[place, depth], settings, rng, paths.scores[place])
    return total


@compiled
def move(rules: Rules, root_state: State, leaf: State, paths: SearchPath) -> None:
    """Copy the state of the root, and make the moves to each leaf."""
    for place in range(len(paths.end)):
        copy_state(root_state, leaf)
        for depth in range(paths.end[place].depth):
            rules.play(leaf, paths.actions[place, depth])


@compiled
def roll_out(rules: Rules, leaves: State, state: State, rng: np.random.Generator) -> int:
    """Play a rollout from each leaf."""
    total = 0
    for place in range(len(leaves)):
        copy_state(leaves[place], state)
        total += rules.uniform_rollout(state, rng)
    return total


@compiled
def make_nodes(leaves: State, tree: Tree, paths: SearchPath) -> None:
    """Make a node of each leaf; the tree is reset afterwards."""
    path = row_of(paths, 0)
    for place in range(len(leaves)):
        new_node(leaves[place], 0, tree, path)


@compiled
def make_first_edges(
    context: SearchContext, leaves: State, tree: Tree, paths: SearchPath, first: int
) -> None:
    """Make the first edges of these nodes."""
    path = row_of(paths, 0)
    for place in range(len(leaves)):
        make_edges(context, leaves[place], first + place, tree, path)


@compiled
def count_values(tree: Tree, paths: SearchPath) -> None:
    """Backpropagate a value on the way of each simulation."""
    for place in range(len(paths.end)):
        backpropagate(tree, row_of(paths, place), 1.0)


@compiled
def draw(rng: np.random.Generator, count: int) -> float:
    """Draw random numbers."""
    total = 0.0
    for _ in range(count):
        total += rng.random()
    return total


def nanoseconds(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> float:
    """Return the least time of some work, for one simulation; the first call may compile."""
    times = []
    for _ in range(1 + REPETITIONS):
        prepare()
        times.append(seconds(work, time.thread_time))
    return min(times[1:]) / SIMULATIONS * 1e9


def recorded(search: MCTS, state: State) -> tuple[Slots, NDArray[np.int64]]:
    """Run the simulations one by one; return their leaves and paths, and where edges were made."""
    game = search.game
    record = new_slots((len(state), game.max_plies, game.num_actions), leaves=SIMULATIONS)
    made = []
    for place in range(SIMULATIONS):
        before = int(search.tree.size.edges)
        search.search(state, 1)
        made.append(int(search.tree.size.edges) > before)
        record.leaves[0, place] = search.slots.leaves[0, 0]
        for name in SearchPath._fields:
            getattr(record.paths, name)[0, place] = getattr(search.slots.paths, name)[0, 0]
    return record, np.flatnonzero(made)


def parts(size: int) -> list[Row]:
    """Return the parts of a simulation on a board."""
    game = make_game("hex", size=size)
    state, scratch = game.initial_state(), game.initial_state()
    search = MCTS(game, SIMULATIONS, variant=Variant().with_settings(exploration=1.0), seed=1)

    def begin() -> None:
        search.reset()
        search.search(state, BEFORE)
        search.slots.left[:] = SIMULATIONS

    begin()
    search.make_room(3 * SIMULATIONS)
    make_ready(uct, new_node, make_edges, backpropagate)
    whole = nanoseconds(lambda: search._take_steps(SIMULATIONS), begin)
    begin()
    record, made = recorded(search, state)
    tree = search.slots.tree(0)
    paths = SearchPath._make(array[0] for array in record.paths)
    leaves, rules, rng = record.leaves[0], game.rules, np.random.default_rng(1)
    settings = search.compiled.context.settings
    live = np.array([leaf for leaf in leaves if not game.is_final(leaf)])
    depth = float(paths.end.depth.mean())
    through = [paths.nodes[place, : paths.end[place].depth] for place in range(SIMULATIONS)]
    edges = float(tree.nodes[np.concatenate(through)].edge_count.mean())
    draws, fresh = 0, np.random.default_rng(1)
    roll_out(rules, live, scratch, rng)
    while fresh.bit_generator.state != rng.bit_generator.state:
        fresh.random()
        draws += 1
    at_root = paths._replace(end=np.zeros_like(paths.end))
    copying = nanoseconds(lambda: move(rules, state, scratch, at_root))
    moving = nanoseconds(lambda: move(rules, state, scratch, paths))
    rolling = nanoseconds(lambda: roll_out(rules, live, scratch, rng))
    drawing = nanoseconds(lambda: draw(rng, draws))
    used = int(tree.size.nodes), int(tree.size.edges)

    def forget() -> None:
        tree.size.nodes, tree.size.edges = used

    creating = nanoseconds(lambda: make_nodes(live, tree, paths), forget)
    first = used[0]

    def make_anew() -> None:
        forget()
        make_nodes(leaves[made], tree, paths)

    widening = nanoseconds(
        lambda: make_first_edges(search.compiled.context, leaves[made], tree, paths, first),
        make_anew,
    )
    choosing = nanoseconds(lambda: choose(tree, paths, settings, rng))
    counting = nanoseconds(lambda: count_values(tree, paths))
    rows: list[Row] = [
        ("choices", f"{depth:.1f} of {edges:.0f} edges", choosing),
        ("moves", f"{depth:.1f}", moving - copying),
        ("the root's state copied", f"{len(state)} bytes", copying),
        ("a new node", f"{len(live) / SIMULATIONS:.2f}", creating),
        ("its edges, and more of them", f"{len(made) / SIMULATIONS:.2f}", widening),
        ("the rollout without random numbers", "", rolling - drawing - copying),
        ("random numbers", f"{draws / SIMULATIONS:.1f}", drawing),
        ("backpropagation", f"{depth:.1f} edges", counting),
    ]
    rows.append(("unexplained", "", whole - sum(row[2] for row in rows)))
    return [*rows, ("a simulation", "", whole)]


if __name__ == "__main__":
    tables: dict[str, list[str]] = {}
    for size in BOARD_SIZES:
        for name, amount, part in parts(size):
            tables.setdefault(name, []).extend([amount, f"{part:.0f}"])
    headings = (heading for size in BOARD_SIZES for heading in ("", f"{size}x{size}"))
    show(("ns of a simulation", *headings), [(name, *cells) for name, cells in tables.items()])
